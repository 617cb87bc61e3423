// A product that only a transposition reads: the transposition is the vector cores', who read the product through the workspace.
// RUN: dl-opt %s --dl-split | FileCheck %s

// CHECK-LABEL: func.func @turned(
// CHECK: dl.store
// CHECK-LABEL: func.func @turned.aiv(
// CHECK: %[[PRODUCT:.*]] = dl.load
// CHECK: %[[TURNED:.*]] = tt.trans %[[PRODUCT]]
// CHECK: math.absf %[[TURNED]]
func.func @turned(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 0 : i64} : !tt.ptr<f16> -> tensor<32x32xf16>
  %d = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %t = tt.trans %d {order = array<i32: 1, 0>} : tensor<32x32xf32> -> tensor<32x32xf32>
  %e = math.absf %t : tensor<32x32xf32>
  dl.store %e, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 1 : i64} : tensor<32x32xf32>, !tt.ptr<f32>
  return
}
