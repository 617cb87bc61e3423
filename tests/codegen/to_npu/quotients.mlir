// RUN: dl-opt %s --dl-expand | FileCheck %s

// A row's sum divides its elements: products with one reciprocal, where the result keeps 16 bits.
// CHECK-LABEL: @softmax
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<8x1xf32>
// CHECK: %[[INVERSE:.*]] = arith.divf %[[ONE]], %arg1 : tensor<8x1xf32>
// CHECK: %[[FACTOR:.*]] = tt.broadcast %[[INVERSE]] : tensor<8x1xf32> -> tensor<8x64xf32>
// CHECK: arith.mulf %arg0, %[[FACTOR]]
tt.func public @softmax(%x: tensor<8x64xf32>, %sum: tensor<8x1xf32>) -> tensor<8x64xf16> {
  %d = tt.broadcast %sum : tensor<8x1xf32> -> tensor<8x64xf32>
  %q = arith.divf %x, %d : tensor<8x64xf32>
  %h = arith.truncf %q : tensor<8x64xf32> to tensor<8x64xf16>
  tt.return %h : tensor<8x64xf16>
}

// CHECK-LABEL: @scalar
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: arith.divf %[[ONE]], %arg1 : f32
// CHECK: arith.mulf
tt.func public @scalar(%x: tensor<64xf32>, %sum: f32) -> tensor<64xbf16> {
  %d = tt.splat %sum : f32 -> tensor<64xf32>
  %q = arith.divf %x, %d : tensor<64xf32>
  %h = arith.truncf %q : tensor<64xf32> to tensor<64xbf16>
  tt.return %h : tensor<64xbf16>
}

// Somebody reads all 32 bits.
// CHECK-LABEL: @kept
// CHECK: %[[Q:.*]] = arith.divf %arg0
// CHECK: arith.addf %[[Q]]
tt.func public @kept(%x: tensor<8x64xf32>, %sum: tensor<8x1xf32>) -> (tensor<8x64xf16>, tensor<8x64xf32>) {
  %d = tt.broadcast %sum : tensor<8x1xf32> -> tensor<8x64xf32>
  %q = arith.divf %x, %d : tensor<8x64xf32>
  %h = arith.truncf %q : tensor<8x64xf32> to tensor<8x64xf16>
  %s = arith.addf %q, %x : tensor<8x64xf32>
  tt.return %h, %s : tensor<8x64xf16>, tensor<8x64xf32>
}

// The divisor differs from element to element.
// CHECK-LABEL: @each
// CHECK: arith.divf %arg0, %arg1
tt.func public @each(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf16> {
  %q = arith.divf %x, %y : tensor<64xf32>
  %h = arith.truncf %q : tensor<64xf32> to tensor<64xf16>
  tt.return %h : tensor<64xf16>
}
