// Row-major matrix of 16-bit elements to Nz in the unified buffer: tiles of tile_rows x 128 are loaded,
// copied block by block with a distance of `write_stride` blocks between the columns, and stored.
#include "two_buffers.h"
#include <dlnpu.h>

__dl_kernel __dl_arg(x, tensor, f16) __dl_arg(y, tensor, f16) __dl_arg(rows, scalar, i64)
    __dl_arg(columns, scalar, i64) __dl_arg(tile_rows, scalar, i64)
        __dl_arg(write_stride, scalar, i64) void nd2nz_ub(void) {
  const long x = __dl_arg_i64(0), y = __dl_arg_i64(1), rows = __dl_arg_i64(2), columns = __dl_arg_i64(3);
  const long tile_rows = __dl_arg_i64(4), write_stride = __dl_arg_i64(5);
  const long down = (rows + tile_rows - 1) / tile_rows, across = columns / 128;
  const long in_bytes = tile_rows * 256, out_bytes = write_stride * 8 * 32;
  offer_buffers();
  long slot = 0;
  for (long task = __dl_core(); task < down * across; task += __dl_cores()) {
    const long row = task / across * tile_rows, column = task % across * 128;
    const long count = rows - row < tile_rows ? rows - row : tile_rows;
    const long in = slot * in_bytes, out = 2 * in_bytes + slot * out_bytes;
    __dl_wait_flag_mte2(__dl_V, 0);
    __dl_mte2_copy_ub(in, x + (row * columns + column) * 2, __dl_cfg32(count, 256), columns * 2,
                      __dl_cfg32(256, 0), 0, 0);
    __dl_set_flag_mte2(__dl_V, 0);
    __dl_wait_flag_v(__dl_MTE2, 0);
    __dl_wait_flag_v(__dl_MTE3, 0);
    __dl_v_copy(out, in, __dl_strides(write_stride, 1, 0, 1, 8, 0, count), __dl_f16);
    __dl_set_flag_v(__dl_MTE2, 0);
    __dl_set_flag_v(__dl_MTE3, 0);
    __dl_wait_flag_mte3(__dl_V, 0);
    __dl_mte3_copy_ub(y + column * rows * 2 + row * 32, out, __dl_cfg32(8, count * 32), rows * 32,
                      write_stride * 32, 0);
    __dl_set_flag_mte3(__dl_V, 0);
    slot ^= 1;
  }
  collect_buffers();
  __dl_barrier_all();
}
