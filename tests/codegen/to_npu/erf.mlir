// erf is a quotient of polynomials in a clamped argument.
// RUN: dl-opt %s --dl-expand --dl-to-npu | FileCheck %s

// CHECK-LABEL: func.func @erf(
// CHECK: npu.vscalar mins
// CHECK: npu.vscalar maxs
// CHECK-COUNT-10: npu.vscalar adds
// CHECK: npu.vbinary div
func.func @erf(%in: i64, %out: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %x = dl.load %in strides[%c1] lo[%c0] hi[%c64] : i64 -> tensor<64xf32>
  %y = math.erf %x : tensor<64xf32>
  dl.store %y, %out strides[%c1] lo[%c0] hi[%c64] : tensor<64xf32>, i64
  return
}
