// `iterations` times one step of a vector core, to be measured by the difference of two runs:
// STEP 0 nothing, 1 barrier of all units, 2 scalar load from UB that the next depends on, 3 load of 32 bytes
// from global memory that is waited for, 4 store of `bytes` that is waited for, 5 block then whole sum of 256
// f32, 6 barrier of all vector cores.
#include <dlnpu.h>

__dl_kernel __dl_arg(x, tensor, f32) __dl_arg(iterations, scalar, i64)
    __dl_arg(bytes, scalar, i64) void steps(void) {
  const long x = __dl_arg_i64(0), iterations = __dl_arg_i64(1), bytes = __dl_arg_i64(2);
  long at = bytes & 0;
  for (long i = 0; i < iterations; ++i) {
#if STEP == 1
    __dl_barrier_all();
#elif STEP == 2
    at = *(__ub volatile long*)(at & 0xff8);
#elif STEP == 3
    at = (at + 512) & 0xffff;
    __dl_mte2_copy_ub(0, x + at, __dl_cfg32(1, 32), 0, __dl_cfg32(32, 0), 0, 0);
    __dl_set_flag_mte2(__dl_S, 0);
    __dl_wait_flag_s(__dl_MTE2, 0);
#elif STEP == 4
    at = (at + bytes) & 0xffff;
    __dl_mte3_copy_ub(x + at, 0, __dl_cfg32(1, bytes), 0, 0, 0);
    __dl_set_flag_mte3(__dl_S, 0);
    __dl_wait_flag_s(__dl_MTE3, 0);
#elif STEP == 5
    __dl_v_cgadd(4096, 0, __dl_strides(1, 1, 0, 1, 8, 0, 4), __dl_f32);
    __dl_barrier_v();
    __dl_v_cadd(8192, 4096, __dl_strides(1, 1, 0, 1, 8, 0, 1), __dl_f32);
    __dl_barrier_v();
#elif STEP == 6
    __dl_barrier_all();
    __dl_xset_s(0);
    __dl_xwait_s(0);
#endif
  }
  __dl_barrier_all();
  if (at == 1)
    *(volatile long*)x = at;
}
