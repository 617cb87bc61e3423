// Scales of groups of elements along K multiply the operands; what that does not fit is an error.
// RUN: dl-opt %s --split-input-file --ttir-scaled-dot --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @eights
// CHECK: tt.fp_to_fp %{{.*}} : tensor<16x64xf8E4M3FN> -> tensor<16x64xbf16>
// CHECK: arith.shli %{{.*}} : tensor<16x2xi32>
// CHECK: tt.broadcast %{{.*}} : tensor<16x2x1xbf16> -> tensor<16x2x32xbf16>
// CHECK: tt.reshape %{{.*}} : tensor<16x2x32xbf16> -> tensor<16x64xbf16>
// CHECK: arith.mulf %{{.*}} : tensor<16x64xbf16>
// CHECK: tt.dot %{{.*}} : tensor<16x64xbf16> * tensor<64x32xbf16> -> tensor<16x32xf32>
tt.func @eights(%a: tensor<16x64xf8E4M3FN>, %s: tensor<16x2xi8>, %b: tensor<64x32xbf16>, %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = bf16 {fastMath = false} : tensor<16x64xf8E4M3FN>, tensor<16x2xi8> * tensor<64x32xbf16> -> tensor<16x32xf32>
  tt.return %d : tensor<16x32xf32>
}

// -----

// Half precision if an operand has it; two elements a byte along K.
// CHECK-LABEL: @fours
// CHECK-NOT: arith.cmpi
// CHECK: tt.join %{{.*}} : tensor<32x32xf16> -> tensor<32x32x2xf16>
// CHECK: tt.trans %{{.*}} : tensor<32x64xf16> -> tensor<64x32xf16>
// CHECK: tt.dot %{{.*}} : tensor<16x64xf16> * tensor<64x32xf16> -> tensor<16x32xf32>
tt.func @fours(%a: tensor<16x64xf16>, %b: tensor<32x32xi8>, %s: tensor<32x2xi8>, %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %d = tt.dot_scaled %a, %b scale %s, %c lhs = fp16 rhs = e2m1 {fastMath = true} : tensor<16x64xf16> * tensor<32x32xi8>, tensor<32x2xi8> -> tensor<16x32xf32>
  tt.return %d : tensor<16x32xf32>
}

// -----

tt.func @sixes(%a: tensor<16x64xi8>, %b: tensor<64x32xbf16>, %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // expected-error @below {{tt.dot_scaled with elements of 6 bits: f16, bf16, f8 and packed f4 (e2m1, along K) are supported}}
  %d = tt.dot_scaled %a, %b, %c lhs = e3m2 rhs = bf16 {fastMath = false} : tensor<16x64xi8> * tensor<64x32xbf16> -> tensor<16x32xf32>
  tt.return %d : tensor<16x32xf32>
}

// -----

tt.func @across(%a: tensor<8x64xi8>, %b: tensor<64x32xbf16>, %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // expected-error @below {{elements of 4 bits that are packed along another dimension than K}}
  %d = tt.dot_scaled %a, %b, %c lhs = e2m1 rhs = bf16 {fastMath = false, lhs_k_pack = false} : tensor<8x64xi8> * tensor<64x32xbf16> -> tensor<16x32xf32>
  tt.return %d : tensor<16x32xf32>
}

// -----

tt.func @batched(%a: tensor<2x16x64xbf16>, %b: tensor<2x64x32xbf16>, %c: tensor<2x16x32xf32>) -> tensor<2x16x32xf32> {
  // expected-error @below {{tt.dot_scaled with operands of 3 dimensions}}
  %d = tt.dot_scaled %a, %b, %c lhs = bf16 rhs = bf16 {fastMath = false} : tensor<2x16x64xbf16> * tensor<2x64x32xbf16> -> tensor<2x16x32xf32>
  tt.return %d : tensor<2x16x32xf32>
}

// -----

tt.func @uneven(%a: tensor<16x64xbf16>, %s: tensor<16x3xi8>, %b: tensor<64x32xbf16>, %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // expected-error @below {{tt.dot_scaled with scales whose rows do not divide K}}
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = bf16 rhs = bf16 {fastMath = false} : tensor<16x64xbf16>, tensor<16x3xi8> * tensor<64x32xbf16> -> tensor<16x32xf32>
  tt.return %d : tensor<16x32xf32>
}
