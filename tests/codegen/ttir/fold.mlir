// RUN: dl-opt --canonicalize %s | FileCheck %s

// Constants move through shape operations.
// CHECK-LABEL: @constants
// CHECK: %[[C:.*]] = arith.constant dense<5> : tensor<4x8xi32>
// CHECK: tt.return %[[C]]
tt.func @constants() -> tensor<4x8xi32> {
  %c = arith.constant 5 : i32
  %s = tt.splat %c : i32 -> tensor<8xi32>
  %e = tt.expand_dims %s {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %b = tt.broadcast %e : tensor<1x8xi32> -> tensor<4x8xi32>
  tt.return %b : tensor<4x8xi32>
}

// Shape operations on a splat are a splat.
// CHECK-LABEL: @splats
// CHECK: %[[S:.*]] = tt.splat %{{.*}} : i32 -> tensor<4x8xi32>
// CHECK-NEXT: tt.return %[[S]]
tt.func @splats(%n: i32) -> tensor<4x8xi32> {
  %s = tt.splat %n : i32 -> tensor<8xi32>
  %e = tt.expand_dims %s {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %b = tt.broadcast %e : tensor<1x8xi32> -> tensor<4x8xi32>
  tt.return %b : tensor<4x8xi32>
}

// CHECK-LABEL: @addptr_zero
// CHECK-NEXT: tt.return %arg0
tt.func @addptr_zero(%p: !tt.ptr<f32>) -> !tt.ptr<f32> {
  %c = arith.constant 0 : i32
  %q = tt.addptr %p, %c : !tt.ptr<f32>, i32
  tt.return %q : !tt.ptr<f32>
}

// The sum of a dot without accumulator is a dot with one.
// CHECK-LABEL: @dot_sum
// CHECK: %[[D:.*]] = tt.dot %arg0, %arg1, %arg2, inputPrecision = tf32
// CHECK-NEXT: tt.return %[[D]]
tt.func @dot_sum(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %a, %b, %zero, inputPrecision = tf32 : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %s = arith.addf %c, %d : tensor<16x16xf32>
  tt.return %s : tensor<16x16xf32>
}
