// One tensor in, one out, tile by tile with double buffers: OP_GELU (f32, tanh form by exp), OP_CAST (FROM to
// TO).
#include "two_buffers.h"
#include <dlnpu.h>

#ifndef FROM
#define FROM __dl_f32
#define FROM_NAME f32
#define FROM_SIZE 4
#endif
#ifndef TO
#define TO __dl_f32
#define TO_NAME f32
#define TO_SIZE 4
#endif

__attribute__((unused)) static inline long f32(float x) {
  union {
    float f;
    unsigned u;
  } bits = {x};
  return bits.u;
}

static inline void work(long dst, long src, long elements) {
  const long all = (elements * (FROM_SIZE > TO_SIZE ? FROM_SIZE : TO_SIZE) + 255) / 256;
  for (long done = 0; done < all; done += 255) {
    const long repeats = all - done < 255 ? all - done : 255, in = src + done * 256,
               out = dst + done * 256 * TO_SIZE / FROM_SIZE;
#ifdef OP_CAST
    __dl_v_cast(out, in, __dl_strides(1, 1, 0, 8 * TO_SIZE / FROM_SIZE, 8, 0, repeats), TO << 4 | FROM);
#else
    // x / (1 + exp(-1.5957691 (x + 0.044715 x^3)))
    const long two = __dl_strides(1, 1, 1, 8, 8, 8, repeats), one = __dl_strides(1, 1, 0, 8, 8, 0, repeats);
    __dl_v_mul(out, in, in, two, __dl_f32);
    __dl_v_mul(out, out, in, two, __dl_f32);
    __dl_v_muls(out, out, f32(0.044715f), one, __dl_f32);
    __dl_v_add(out, out, in, two, __dl_f32);
    __dl_v_muls(out, out, f32(-1.5957691f), one, __dl_f32);
    __dl_v_exp(out, out, one, __dl_f32);
    __dl_v_adds(out, out, f32(1.0f), one, __dl_f32);
    __dl_v_div(out, in, out, two, __dl_f32);
#endif
  }
}

// Names of the dtypes, as macros: __dl_arg itself does not expand them.
#define TENSOR(name, type) __dl_arg(name, tensor, type)

__dl_kernel TENSOR(x, FROM_NAME) TENSOR(y, TO_NAME) __dl_arg(n, scalar, i64)
    __dl_arg(tile, scalar, i64) void elementwise(void) {
  const long x = __dl_arg_i64(0), y = __dl_arg_i64(1), n = __dl_arg_i64(2), tile = __dl_arg_i64(3);
  // Shares of whole repeats.
  const long share = (n + 128 * __dl_cores() - 1) / (128 * __dl_cores()) * 128, first = __dl_core() * share;
  const long end = first + share < n ? first + share : n, in_bytes = tile * FROM_SIZE;
  const long out_bytes = tile * TO_SIZE;
  offer_buffers();
  long slot = 0;
  for (long at = first; at < end; at += tile) {
    const long count = end - at < tile ? end - at : tile;
    const long in = slot * in_bytes, out = 2 * in_bytes + slot * out_bytes;
    __dl_wait_flag_mte2(__dl_V, 0);
    __dl_mte2_copy_ub(in, x + at * FROM_SIZE, __dl_cfg32(1, count * FROM_SIZE), 0, __dl_cfg32(in_bytes, 0), 0,
                      0);
    __dl_set_flag_mte2(__dl_V, 0);
    __dl_wait_flag_v(__dl_MTE2, 0);
    __dl_wait_flag_v(__dl_MTE3, 0);
    work(out, in, count);
    __dl_set_flag_v(__dl_MTE2, 0);
    __dl_set_flag_v(__dl_MTE3, 0);
    __dl_wait_flag_mte3(__dl_V, 0);
    __dl_mte3_copy_ub(y + at * TO_SIZE, out, __dl_cfg32(1, count * TO_SIZE), 0, 0, 0);
    __dl_set_flag_mte3(__dl_V, 0);
    slot ^= 1;
  }
  collect_buffers();
  __dl_barrier_all();
}
