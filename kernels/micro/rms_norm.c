// y = (x1 + x2) * rsqrt(mean((x1 + x2)^2)) * gamma + bias, row by row, rows dealt to the cores in
// shares; two buffers for each of x1, x2 and y. Rows of `columns` elements of TYPE (f16 or f32), padded to
// 256 bytes in UB.
#include "two_buffers.h"
#include <dlnpu.h>

#ifndef TYPE
#define TYPE __dl_f32
#define TYPE_NAME f32
#define SIZE 4
#endif

// The register operand of a vector command with a scalar of TYPE; f16 of a normal number, cut off.
static inline long bits(float x) {
  union {
    float f;
    unsigned u;
  } word = {x};
  return SIZE == 2 ? (long)(word.u >> 13) - (112 << 10) : (long)word.u;
}

static inline void load(long dst, long src, long rows, long bytes, long pitch) {
  __dl_mte2_copy_ub(dst, src, __dl_cfg32(rows, bytes), bytes, __dl_cfg32(pitch, 0), 0, 0);
}

static inline void row(long y, long a, long b, long gamma, long bias, long work, long repeats, long scale) {
  const long two = __dl_strides(1, 1, 1, 8, 8, 8, repeats);
  __dl_v_add(a, a, b, two, TYPE);
  __dl_v_mul(b, a, a, two, TYPE);
  __dl_v_cadd(work, b, __dl_strides(1, 1, 0, 1, 8, 0, repeats), TYPE);
  __dl_v_cadd(work + 512, work, __dl_strides(1, 1, 0, 1, 8, 0, (repeats * SIZE + 255) / 256), TYPE);
  __dl_v_muls(work + 512, work + 512, scale, __dl_strides(1, 1, 0, 8, 8, 0, 1), TYPE);
  __dl_v_rsqrt(work + 512, work + 512, __dl_strides(1, 1, 0, 8, 8, 0, 1), TYPE);
  __dl_v_brcb(work + 1024, work + 512, __dl_strides(1, 0, 0, 8, 0, 0, 1), TYPE);
  __dl_v_mul(a, a, work + 1024, __dl_strides(1, 1, 0, 8, 8, 0, repeats), TYPE);
  __dl_v_mul(a, a, gamma, two, TYPE);
  __dl_v_add(y, a, bias, two, TYPE);
}

// Names of the dtypes, as macros: __dl_arg itself does not expand them.
#define TENSOR(name, type) __dl_arg(name, tensor, type)

__dl_kernel TENSOR(x1, TYPE_NAME) TENSOR(x2, TYPE_NAME) TENSOR(gamma, TYPE_NAME) TENSOR(bias, TYPE_NAME)
    TENSOR(y, TYPE_NAME) __dl_arg(rows, scalar, i64) __dl_arg(columns, scalar, i64)
        __dl_arg(tile_rows, scalar, i64) void rms_norm(void) {
  const long x1 = __dl_arg_i64(0), x2 = __dl_arg_i64(1), y = __dl_arg_i64(4), rows = __dl_arg_i64(5);
  const long columns = __dl_arg_i64(6), tile_rows = __dl_arg_i64(7);
  const long bytes = columns * SIZE, pitch = (bytes + 255) / 256 * 256, tile = pitch * tile_rows,
             repeats = pitch / 256;
  const long share = (rows + __dl_cores() - 1) / __dl_cores(), first = __dl_core() * share;
  const long end = first + share < rows ? first + share : rows;
  const long scale = bits(1.0f / columns);
  const long work = 6 * tile, gamma = work + 4096, bias = gamma + pitch;
  if (first < end) {
    load(gamma, __dl_arg_i64(2), 1, bytes, pitch);
    load(bias, __dl_arg_i64(3), 1, bytes, pitch);
  }
  offer_buffers();
  long slot = 0;
  for (long r = first; r < end; r += tile_rows) {
    const long count = end - r < tile_rows ? end - r : tile_rows;
    const long a = slot * tile, b = 2 * tile + slot * tile, out = 4 * tile + slot * tile;
    __dl_wait_flag_mte2(__dl_V, 0);
    load(a, x1 + r * bytes, count, bytes, pitch);
    load(b, x2 + r * bytes, count, bytes, pitch);
    __dl_set_flag_mte2(__dl_V, 0);
    __dl_wait_flag_v(__dl_MTE2, 0);
    __dl_wait_flag_v(__dl_MTE3, 0);
    for (long i = 0; i < count; ++i)
      row(out + i * pitch, a + i * pitch, b + i * pitch, gamma, bias, work, repeats, scale);
    __dl_set_flag_v(__dl_MTE2, 0);
    __dl_set_flag_v(__dl_MTE3, 0);
    __dl_wait_flag_mte3(__dl_V, 0);
    __dl_mte3_copy_ub(y + r * bytes, out, __dl_cfg32(count, bytes), bytes, pitch, 0);
    __dl_set_flag_mte3(__dl_V, 0);
    slot ^= 1;
  }
  collect_buffers();
  __dl_barrier_all();
}
