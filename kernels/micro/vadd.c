// z = x + y over `n` elements of two bytes, shares of whole tiles to the cores: loads, WORK additions and a
// store per tile, with BUFFERS buffers for each operand. -DSCALARS adds with scalar instructions through UB
// instead.
#include <dlnpu.h>

#ifndef BUFFERS
#define BUFFERS 1
#endif
#ifndef BYPASS
#define BYPASS 0
#endif
#ifndef WORK
#define WORK 1
#endif
// Distance of the operands' buffers: GAP bytes beyond their size keep them in different bank groups.
#ifndef GAP
#define GAP 0
#endif

static inline void add(long dst, long a, long b, long bytes) {
#ifdef SCALARS
  __ub short *p = (__ub short*)a, *q = (__ub short*)b, *r = (__ub short*)dst;
  __dl_set_flag_mte2(__dl_S, 1);
  __dl_wait_flag_s(__dl_MTE2, 1);
  for (long i = 0; i < bytes / 2; ++i)
    r[i] = (short)(p[i] + q[i]);
  __dl_set_flag_s(__dl_MTE3, 1);
  __dl_wait_flag_mte3(__dl_S, 1);
#else
  for (long done = 0; done < bytes; done += 255 * 256) {
    const long left = (bytes - done) / 256, repeats = left < 255 ? left : 255;
    __dl_v_add(dst + done, a + done, b + done, __dl_strides(1, 1, 1, 8, 8, 8, repeats), __dl_f16);
  }
#endif
}

__dl_kernel __dl_arg(x, tensor, f16) __dl_arg(y, tensor, f16) __dl_arg(z, tensor, f16)
    __dl_arg(n, scalar, i64) __dl_arg(tile, scalar, i64) void vadd(void) {
  const long x = __dl_arg_i64(0), y = __dl_arg_i64(1), z = __dl_arg_i64(2), bytes = __dl_arg_i64(3) * 2;
  const long tile = __dl_arg_i64(4) * 2;
  const long all = bytes / tile, share = (all + __dl_cores() - 1) / __dl_cores(), first = __dl_core() * share;
  const long end = first + share < all ? first + share : all;
  const long buffer = tile + GAP, ys = BUFFERS * buffer, zs = 2 * BUFFERS * buffer;
  // Tokens: free buffers from the vector unit to MTE2 and from MTE3 to the vector unit.
  for (long i = 0; i < BUFFERS; ++i) {
    __dl_set_flag_v(__dl_MTE2, 0);
    __dl_set_flag_mte3(__dl_V, 0);
  }
  long slot = 0;
  for (long t = first; t < end; ++t) {
    const long at = t * tile, p = slot * buffer;
    __dl_wait_flag_mte2(__dl_V, 0);
    __dl_mte2_copy_ub(p, x + at, __dl_cfg32(1, tile), 0, __dl_cfg32(tile, 0), 0, BYPASS << 4);
    __dl_mte2_copy_ub(ys + p, y + at, __dl_cfg32(1, tile), 0, __dl_cfg32(tile, 0), 0, BYPASS << 4);
    __dl_set_flag_mte2(__dl_V, 0);
    __dl_wait_flag_v(__dl_MTE2, 0);
    __dl_wait_flag_v(__dl_MTE3, 0);
    for (long k = 0; k < WORK; ++k)
      add(zs + p, p, ys + p, tile);
    __dl_set_flag_v(__dl_MTE3, 0);
    __dl_set_flag_v(__dl_MTE2, 0);
    __dl_wait_flag_mte3(__dl_V, 0);
    __dl_mte3_copy_ub(z + at, zs + p, __dl_cfg32(1, tile), 0, 0, __dl_f16);
    __dl_set_flag_mte3(__dl_V, 0);
    slot = slot + 1 == BUFFERS ? 0 : slot + 1;
  }
  for (long i = 0; i < BUFFERS; ++i) { // the tokens of the free buffers
    __dl_wait_flag_mte2(__dl_V, 0);
    __dl_wait_flag_v(__dl_MTE3, 0);
  }
  __dl_barrier_all();
}
