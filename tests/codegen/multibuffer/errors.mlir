// RUN: not dl-opt %s --npu-multibuffer=slots=20 2>&1 | FileCheck %s --check-prefix=SLOTS
// RUN: dl-opt %s --verify-diagnostics --npu-multibuffer
// SLOTS: slots '20': not 1 to {{[0-9]+}}, auto or a list like l1:2,ub:1

// Each turn of the loop has a part of its own.
func.func @outside(%p: i64, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  // expected-error @below {{a tensor in parts is used outside the loop over its parts}}
  %x = npu.alloc {name = "x", npu.parts = 2 : i64} : memref<64xf32, #npu.space<ub>>
  npu.copy_in %x[%c0, %c0], %p rows %c1 cols %m stride %c0 : memref<64xf32, #npu.space<ub>>
  npu.vunary exp %x, %x : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
  return
}
