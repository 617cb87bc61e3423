// A vector kernel in C: commands, constants, the unified buffer, argument metadata, line table.
// RUN: dlc %s --emit=asm -o - -verify-machineinstrs | FileCheck %s
// RUN: dlc %s -O0 --emit=asm -o %t.s -verify-machineinstrs
// RUN: dlc %s -o %t.dlk
// RUN: llvm-readelf -S -p .dlnpu.meta %t.dlk | FileCheck %s --check-prefix=DLK
// RUN: llvm-dwarfdump --debug-line %t.dlk 2>/dev/null | FileCheck %s --check-prefix=LINES
// RUN: not dlc %s -DBROKEN -o %t.dlk 2>&1 | FileCheck %s --check-prefix=BROKEN
// CHECK: scale:
// CHECK: li r{{[0-9]+}}, table
// CHECK: mte2.copy.ub
// CHECK: set_flag.mte2 v, 0
// CHECK: v.muls
// CHECK: mte3.copy.ub
// CHECK: barrier.all
// CHECK: ldub.wu
// CHECK: stub.w
// CHECK: exit
// DLK: .rodata
// DLK: "args":[{"dtype":"f32","kind":"tensor","name":"x"},{"dtype":"f32","kind":"tensor","name":"y"},{"dtype":"i32","kind":"scalar","name":"n"}]
// LINES: kernel.c
// BROKEN: kernel.c:[[#@LINE+2]]:{{.*}}: error:
#ifdef BROKEN
nonsense
#endif
#include <dlnpu.h>
static const float table[4] = {1.0f, 2.5f, -3.0f, 4.0f};
__dl_kernel __dl_arg(x, tensor, f32) __dl_arg(y, tensor, f32) __dl_arg(n, scalar, i32) void scale(void) {
  long x = __dl_arg_i64(0), y = __dl_arg_i64(1);
  int n = (int)__dl_arg_i64(2);
  for (long b = __dl_core(); b < n; b += __dl_cores()) {
    __dl_mte2_copy_ub(0, x + b * 256, __dl_cfg32(1, 256), 256, 256, 0, 0);
    __dl_set_flag_mte2(__dl_V, 0);
    __dl_wait_flag_v(__dl_MTE2, 0);
    float f = table[b & 3];
    int bits; __builtin_memcpy(&bits, &f, 4);
    __dl_v_muls(256, 0, bits, __dl_strides(1,1,1,8,8,8,1), __dl_f32);
    __dl_set_flag_v(__dl_MTE3, 0);
    __dl_wait_flag_mte3(__dl_V, 0);
    __dl_mte3_copy_ub(y + b * 256, 256, __dl_cfg32(1, 256), 256, 256, __dl_f32);
    __dl_barrier_all();
    __ub float *p = (__ub float *)256;
    if (p[3] < 1.0f) p[4] = 7.0f;
  }
}
