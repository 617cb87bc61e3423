// RUN: dl-opt %s --dl-to-npu | FileCheck %s

// A slice that is one stretch of whole blocks is copied as such: half of a line, rows of a tile; others go element by element.
// CHECK-LABEL: @slices
// CHECK: %[[PART:.*]] = npu.part %[[LINE:.*]] at 128 : memref<64xf32, #npu.space<ub>> -> memref<32xf32, #npu.space<ub>>
// CHECK: npu.vunary copy %{{.*}}, %[[PART]]
// CHECK: npu.part %{{.*}} at 128 : memref<4x5xi32, #npu.space<ub>> -> memref<2x5xi32, #npu.space<ub>>
// CHECK: scf.for
// CHECK: npu.load_scalar %[[LINE]]
func.func @slices(%x: i64 {npu.pointee = f32}, %y: i64 {npu.pointee = i32}) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c4 = arith.constant 4 : i64
  %c5 = arith.constant 5 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %v = dl.load %x strides[%c1] lo[%c0] hi[%c64] : i64 -> tensor<64xf32>
  %half = tensor.extract_slice %v[32] [32] [1] : tensor<64xf32> to tensor<32xf32>
  dl.store %half, %x strides[%c1] lo[%c0] hi[%c32] : tensor<32xf32>, i64
  %t = dl.load %y strides[%c5, %c1] lo[%c0, %c0] hi[%c4, %c5] : i64 -> tensor<4x5xi32>
  %rows = tensor.extract_slice %t[2, 0] [2, 5] [1, 1] : tensor<4x5xi32> to tensor<2x5xi32>
  dl.store %rows, %y strides[%c5, %c1] lo[%c0, %c0] hi[%c2, %c5] : tensor<2x5xi32>, i64
  %odd = tensor.extract_slice %v[1] [32] [1] : tensor<64xf32> to tensor<32xf32>
  dl.store %odd, %x strides[%c1] lo[%c0] hi[%c32] : tensor<32xf32>, i64
  return
}
