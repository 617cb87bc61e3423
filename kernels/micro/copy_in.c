// Copies a row-major matrix from global memory tile by tile, and does nothing else: to UB (vector cores), or
// to L1 with the layout change of matrix operands (-DL1, cube cores).
//
// The matrix is cut in blocks of `block_rows` rows; each block is read `passes` times before the next. Cores
// share the rows of a block evenly, or each reads all of them (`shared`). Within its rows a core goes over
// tiles of `tile_rows` x `tile_bytes`, columns first, from a tile that is `rotate` tiles further for each
// core.
#include <dlnpu.h>

#ifndef BYPASS
#define BYPASS 0
#endif
#ifdef L1
enum { kBuffer = 524288 };
#else
enum { kBuffer = 196608 };
#endif

static inline void copy(long slot, long src, long rows, long bytes, long stride) {
#ifdef L1
  // Elements of two bytes; each column block of 16 elements holds its rows one after another.
  __dl_mte2_nd2nz_l1(slot, src, __dl_cfg32(rows, bytes / 2), stride, (rows + 15) / 16 * 16 * 32,
                     BYPASS << 4 | __dl_f16);
#else
  __dl_mte2_copy_ub(slot, src, __dl_cfg32(rows, bytes), stride, __dl_cfg32((bytes + 31) / 32 * 32, 0), 0,
                    BYPASS << 4);
#endif
}

__dl_kernel __dl_arg(x, tensor, f16) __dl_arg(rows, scalar, i64) __dl_arg(row_bytes, scalar, i64)
    __dl_arg(stride, scalar, i64) __dl_arg(tile_rows, scalar, i64) __dl_arg(tile_bytes, scalar, i64)
        __dl_arg(block_rows, scalar, i64) __dl_arg(passes, scalar, i64) __dl_arg(shared, scalar, i64)
            __dl_arg(rotate, scalar, i64) void copy_in(void) {
  const long x = __dl_arg_i64(0), rows = __dl_arg_i64(1), row_bytes = __dl_arg_i64(2),
             stride = __dl_arg_i64(3);
  const long tile_rows = __dl_arg_i64(4), tile_bytes = __dl_arg_i64(5), block_rows = __dl_arg_i64(6);
  const long passes = __dl_arg_i64(7), shared = __dl_arg_i64(8), rotate = __dl_arg_i64(9);
  const long core = __dl_core(), cores = shared ? 1 : __dl_cores();
  const long slot_bytes = tile_rows * ((tile_bytes + 31) / 32 * 32) * 2 <= kBuffer ? kBuffer / 2 : 0;
  long slot = 0;
  for (long block = 0; block < rows; block += block_rows) {
    const long share = block_rows / cores, first = block + (shared ? 0 : core * share);
    const long across = (row_bytes + tile_bytes - 1) / tile_bytes, down = (share + tile_rows - 1) / tile_rows;
    for (long pass = 0; pass < passes; ++pass) {
      long tile = core * rotate % (across * down);
      long row = tile / across * tile_rows, column = tile % across * tile_bytes;
      for (long left = across * down; left > 0; --left) {
        const long bytes = row_bytes - column < tile_bytes ? row_bytes - column : tile_bytes;
        const long count = share - row < tile_rows ? share - row : tile_rows;
        copy(slot, x + (first + row) * stride + column, count, bytes, stride);
        slot = slot ? 0 : slot_bytes;
        column += tile_bytes;
        if (column >= row_bytes) {
          column = 0;
          row += tile_rows;
          if (row >= share)
            row = 0;
        }
      }
    }
  }
  __dl_barrier_all();
}
