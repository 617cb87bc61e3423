// `iterations` times one command of a cube core: STEP 0 L1 to L0A, 1 L1 to the bias table, 2 mmad,
// 3 L1 to L0A by img2col.
#include <dlnpu.h>

#ifndef TYPE
#define TYPE __dl_f16
#endif

__dl_kernel __dl_arg(iterations, scalar, i64) __dl_arg(m, scalar, i64) __dl_arg(k, scalar, i64)
    __dl_arg(n, scalar, i64) void cube_steps(void) {
  const long iterations = __dl_arg_i64(0), m = __dl_arg_i64(1), k = __dl_arg_i64(2), n = __dl_arg_i64(3);
  (void)m, (void)k, (void)n;
  for (long i = 0; i < iterations; ++i) {
#if STEP == 0
    __dl_mte1_load_l0a(0, 0, __dl_cfg16(m, k, 0, 0), m * 512, TYPE);
#elif STEP == 1
    __dl_mte1_load_bt(0, 0, n, 0);
#elif STEP == 3
    __dl_mte1_img2col_l0a(0, 0, __dl_cfg32(m | k << 16, 0), __dl_cfg16(1, m * 16, k, 0), 0x0000010101010101,
                          0, TYPE);
#else
    __dl_m_mmad(0, 0, 0, __dl_cfg16(m, k, n, 0), 1, 0, TYPE);
#endif
  }
  __dl_barrier_all();
}
