// RUN: dl-opt %s --split-input-file --dl-to-npu | FileCheck %s

// A sum that an inner loop begins anew and the outer loop hands to its next iteration: one buffer, no copy.
// CHECK-LABEL: func.func @begun_anew
// CHECK: npu.alloc
// CHECK-NOT: npu.alloc
// CHECK: scf.for
// CHECK: npu.copy_out
// CHECK: npu.vdup
// CHECK: scf.for
// CHECK-NOT: npu.alloc
// CHECK-NOT: npu.vunary copy
// CHECK: return
func.func @begun_anew(%px: !tt.ptr<f32>, %py: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %ones = arith.constant dense<1.0> : tensor<32x32xf32>
  %all = scf.for %t = %c0 to %n step %c1 iter_args(%before = %ones) -> (tensor<32x32xf32>) : i64 {
    dl.store %before, %py strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 1} : tensor<32x32xf32>, !tt.ptr<f32>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<32x32xf32>) : i64 {
      %next = arith.addf %acc, %ones : tensor<32x32xf32>
      scf.yield %next : tensor<32x32xf32>
    }
    scf.yield %sum : tensor<32x32xf32>
  }
  return
}

// -----

// The inner loop still reads what it would overwrite: a buffer of its own.
// CHECK-LABEL: func.func @still_read
// CHECK: npu.vunary copy
// CHECK: return
func.func @still_read(%px: !tt.ptr<f32>, %py: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %ones = arith.constant dense<1.0> : tensor<32x32xf32>
  %all = scf.for %t = %c0 to %n step %c1 iter_args(%before = %ones) -> (tensor<32x32xf32>) : i64 {
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<32x32xf32>) : i64 {
      %next = arith.addf %acc, %before : tensor<32x32xf32>
      scf.yield %next : tensor<32x32xf32>
    }
    scf.yield %sum : tensor<32x32xf32>
  }
  dl.store %all, %py strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 1} : tensor<32x32xf32>, !tt.ptr<f32>
  return
}
