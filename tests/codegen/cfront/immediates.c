// An immediate must be a constant: the error has the line of the call.
// RUN: not dlc %s -o %t.dlk 2>&1 | FileCheck %s
#include <dlnpu.h>
__dl_kernel void k(void) {
  // CHECK: immediates.c:[[#@LINE+1]]:3: error: in 'k': 'v.abs': operand 4 must be a constant
  __dl_v_abs(0, 256, __dl_strides(1, 1, 0, 8, 8, 0, 1), __dl_core());
}
