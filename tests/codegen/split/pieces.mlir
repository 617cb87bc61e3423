// Rows in pieces, one after the other, in a kernel without products.
// RUN: dl-opt %s --split-input-file --dl-split=row-pieces=2 | FileCheck %s

// Each piece is loaded, computed and stored before the next one: the array that is stored is not the one that is loaded.
// CHECK-LABEL: func.func @elsewhere(
// CHECK-SAME: dl.row_pieces = 2
// CHECK: dl.load {{.*}} -> tensor<32xf32>
// CHECK: math.exp
// CHECK: dl.store
// CHECK: dl.load {{.*}} -> tensor<32xf32>
// CHECK: math.exp
// CHECK: dl.store
// CHECK-NOT: dl.load
func.func @elsewhere(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %v = dl.load %p strides[%c1] lo[%c0] hi[%n] {arg = 0 : i64} : !tt.ptr<f32> -> tensor<64xf32>
  %e = math.exp %v : tensor<64xf32>
  dl.store %e, %q strides[%c1] lo[%c0] hi[%n] {arg = 1 : i64} : tensor<64xf32>, !tt.ptr<f32>
  return
}

// -----

// In place: what a piece stores are the rows that it loaded.
// CHECK-LABEL: func.func @in_place(
// CHECK: dl.load
// CHECK: dl.store
// CHECK: dl.load
// CHECK: dl.store
func.func @in_place(%p: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %v = dl.load %p strides[%c1] lo[%c0] hi[%n] {arg = 0 : i64} : !tt.ptr<f32> -> tensor<64xf32>
  %e = math.exp %v : tensor<64xf32>
  dl.store %e, %p strides[%c1] lo[%c0] hi[%n] {arg = 0 : i64} : tensor<64xf32>, !tt.ptr<f32>
  return
}

// -----

// Into the same array, but elsewhere: all is loaded before the first store.
// CHECK-LABEL: func.func @shifted(
// CHECK: dl.load
// CHECK: dl.load
// CHECK: dl.store
// CHECK: dl.store
func.func @shifted(%p: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %q = tt.addptr %p, %c32 : !tt.ptr<f32>, i64
  %v = dl.load %p strides[%c1] lo[%c0] hi[%n] {arg = 0 : i64} : !tt.ptr<f32> -> tensor<64xf32>
  %e = math.exp %v : tensor<64xf32>
  dl.store %e, %q strides[%c1] lo[%c0] hi[%n] {arg = 0 : i64} : tensor<64xf32>, !tt.ptr<f32>
  return
}

// -----

// A flag for other programs is set when all pieces are stored.
// CHECK-LABEL: func.func @released(
// CHECK: dl.store
// CHECK: dl.store
// CHECK: dl.atomic_scalar
func.func @released(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %flag: !tt.ptr<i32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %one = arith.constant 1 : i32
  %v = dl.load %p strides[%c1] lo[%c0] hi[%n] {arg = 0 : i64} : !tt.ptr<f32> -> tensor<64xf32>
  dl.store %v, %q strides[%c1] lo[%c0] hi[%n] {arg = 1 : i64} : tensor<64xf32>, !tt.ptr<f32>
  %old = dl.atomic_scalar add %one, %flag ordered {arg = 2 : i64} : i32, !tt.ptr<i32> -> i32
  return
}
