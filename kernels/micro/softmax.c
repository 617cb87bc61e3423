// y = softmax(x) of rows of 1024 halves, in f32 on the way; a multiple of 8 rows, 8 at a time, dealt to the
// cores one tile after the other; two buffers each for x and y.
#include "two_buffers.h"
#include <dlnpu.h>

enum { ROWS = 8, COLUMNS = 1024, REPEATS = ROWS * COLUMNS / 64, ROW_REPEATS = COLUMNS / 64 };
enum { TILE = ROWS * COLUMNS * 2, X = 0, Y = 2 * TILE, WIDE = 4 * TILE, WORK = WIDE + 2 * TILE };

// One value a row, each spread over a block of its own at WORK: two times eight lanes to one, then the two
// blocks that are left of a row lane by lane, then the eight lanes of each row.
#define REDUCE(blocks, lanes)                                                                                \
  do {                                                                                                       \
    blocks(WORK + 512, WIDE, __dl_strides(1, 1, 0, 1, 8, 0, REPEATS), __dl_f32);                             \
    blocks(WORK + 8192, WORK + 512, __dl_strides(1, 1, 0, 1, 8, 0, REPEATS / 8), __dl_f32);                  \
    lanes(WORK + 9216, WORK + 8192, WORK + 8224, __dl_strides(1, 2, 2, 8, 16, 16, 1), __dl_f32);             \
    blocks(WORK + 9728, WORK + 9216, __dl_strides(1, 1, 0, 1, 8, 0, 1), __dl_f32);                           \
  } while (0)

static inline void spread(void) {
  __dl_v_brcb(WORK, WORK + 9728, __dl_strides(1, 0, 0, 8, 0, 0, 1), __dl_f32);
}

static inline void tile(long y, long x) {
  const long one = __dl_strides(1, 1, 0, 8, 8, 0, REPEATS), row = __dl_strides(1, 1, 0, 8, 8, 0, ROW_REPEATS);
  __dl_v_cast(WIDE, x, __dl_strides(1, 1, 0, 8, 4, 0, REPEATS), __dl_f32 << 4 | __dl_f16);
  REDUCE(__dl_v_cgmax, __dl_v_max);
  spread();
  for (long r = 0; r < ROWS; ++r)
    __dl_v_sub(WIDE + r * COLUMNS * 4, WIDE + r * COLUMNS * 4, WORK + r * 32, row, __dl_f32);
  __dl_v_exp(WIDE, WIDE, one, __dl_f32);
  REDUCE(__dl_v_cgadd, __dl_v_add);
  __dl_v_rec(WORK + 9728, WORK + 9728, __dl_strides(1, 1, 0, 8, 8, 0, 1), __dl_f32);
  spread();
  for (long r = 0; r < ROWS; ++r)
    __dl_v_mul(WIDE + r * COLUMNS * 4, WIDE + r * COLUMNS * 4, WORK + r * 32, row, __dl_f32);
  __dl_v_cast(y, WIDE, __dl_strides(1, 1, 0, 4, 8, 0, REPEATS), __dl_f16 << 4 | __dl_f32);
}

__dl_kernel __dl_arg(x, tensor, f16) __dl_arg(y, tensor, f16) __dl_arg(rows, scalar, i64) void softmax(void) {
  const long x = __dl_arg_i64(0), y = __dl_arg_i64(1), tiles = __dl_arg_i64(2) / ROWS;
  offer_buffers();
  long slot = 0;
  for (long t = __dl_core(); t < tiles; t += __dl_cores()) {
    const long in = X + slot * TILE, out = Y + slot * TILE;
    __dl_wait_flag_mte2(__dl_V, 0);
    __dl_mte2_copy_ub(in, x + t * TILE, __dl_cfg32(1, TILE), TILE, __dl_cfg32(TILE, 0), 0, 1);
    __dl_set_flag_mte2(__dl_V, 0);
    __dl_wait_flag_v(__dl_MTE2, 0);
    __dl_wait_flag_v(__dl_MTE3, 0);
    tile(out, in);
    __dl_set_flag_v(__dl_MTE2, 0);
    __dl_set_flag_v(__dl_MTE3, 0);
    __dl_wait_flag_mte3(__dl_V, 0);
    __dl_mte3_copy_ub(y + t * TILE, out, __dl_cfg32(1, TILE), TILE, TILE, 0);
    __dl_set_flag_mte3(__dl_V, 0);
    slot ^= 1;
  }
  collect_buffers();
  __dl_barrier_all();
}
