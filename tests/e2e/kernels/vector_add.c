#include <dlnpu.h>
// Adds two f32 vectors in pieces of 1024; the last one may be shorter.
__dl_kernel __dl_arg(x_ptr, tensor, f32) __dl_arg(y_ptr, tensor, f32) __dl_arg(out_ptr, tensor, f32) __dl_arg(n, scalar, i32)
void vector_add_kernel(void) {
  long x = __dl_arg_i64(0), y = __dl_arg_i64(1), out = __dl_arg_i64(2), n = __dl_arg_i64(3);
  for (long i = __dl_core() * 1024; i < n; i += __dl_cores() * 1024) {
    long count = n - i < 1024 ? n - i : 1024;
    __dl_mte2_copy_ub(0, x + 4 * i, __dl_cfg32(1, count * 4), 0, 0, 0, 0);
    __dl_mte2_copy_ub(8192, y + 4 * i, __dl_cfg32(1, count * 4), 0, 0, 0, 0);
    __dl_set_flag_mte2(__dl_V, 0);
    __dl_wait_flag_v(__dl_MTE2, 0);
    __dl_v_count(count, 0);
    __dl_v_add(16384, 0, 8192, __dl_strides(1, 1, 1, 8, 8, 8, 0), __dl_f32);
    __dl_set_flag_v(__dl_MTE3, 0);
    __dl_wait_flag_mte3(__dl_V, 0);
    __dl_mte3_copy_ub(out + 4 * i, 16384, __dl_cfg32(1, count * 4), 0, 0, __dl_f32);
    __dl_set_flag_mte3(__dl_MTE2, 0);
    __dl_wait_flag_mte2(__dl_MTE3, 0);
  }
}
