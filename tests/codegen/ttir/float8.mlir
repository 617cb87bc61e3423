// Floats of eight bits are their bits; casts are integer arithmetic; products take f16.
// RUN: dl-opt %s --split-input-file --ttir-float8 --verify-diagnostics | FileCheck %s

// CHECK-LABEL: tt.func public @moved(%{{.*}}: !tt.ptr<i8>, %{{.*}}: !tt.ptr<f32>)
// CHECK: arith.constant dense<56> : tensor<16xi8>
// CHECK: tt.load %{{.*}} : tensor<16x!tt.ptr<i8>>
// CHECK: arith.extui %{{.*}} : tensor<16xi8> to tensor<16xi16>
// CHECK: arith.extf %{{.*}} : tensor<16xf16> to tensor<16xf32>
tt.func public @moved(%p: !tt.ptr<f8E4M3FN>, %q: !tt.ptr<f32>) {
  %one = arith.constant dense<1.0> : tensor<16xf8E4M3FN>
  %on = arith.constant dense<true> : tensor<16xi1>
  %lane = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %ps = tt.splat %p : !tt.ptr<f8E4M3FN> -> tensor<16x!tt.ptr<f8E4M3FN>>
  %at = tt.addptr %ps, %lane : tensor<16x!tt.ptr<f8E4M3FN>>, tensor<16xi32>
  %v = tt.load %at, %on, %one : tensor<16x!tt.ptr<f8E4M3FN>>
  %w = tt.fp_to_fp %v : tensor<16xf8E4M3FN> -> tensor<16xf32>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %to = tt.addptr %qs, %lane : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.store %to, %w : tensor<16x!tt.ptr<f32>>
  tt.return
}

// -----

// CHECK-LABEL: @product
// CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
tt.func @product(%a: tensor<16x16xf8E5M2>, %b: tensor<16x16xf8E4M3FN>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c = tt.fp_to_fp %b : tensor<16x16xf8E4M3FN> -> tensor<16x16xf16>
  %e = tt.fp_to_fp %c, rounding = rtne : tensor<16x16xf16> -> tensor<16x16xf8E5M2>
  %d = tt.dot %a, %e, %zero : tensor<16x16xf8E5M2> * tensor<16x16xf8E5M2> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}

// -----

tt.func @sum(%a: tensor<16xf8E5M2>) -> tensor<16xf8E5M2> {
  // expected-error @below {{arith.addf computes with them: floats of 8 bits can be loaded, stored, moved, cast to and from f16, bf16 and f32 (rounded to nearest even), and multiplied by tl.dot; cast to f32 before}}
  %b = arith.addf %a, %a : tensor<16xf8E5M2>
  tt.return %b : tensor<16xf8E5M2>
}

// -----

tt.func @truncated(%a: tensor<16xf32>) -> tensor<16xf8E5M2> {
  // expected-error @below {{tt.fp_to_fp rounds another way than to nearest even: floats of 8 bits can be}}
  %b = tt.fp_to_fp %a, rounding = rtz : tensor<16xf32> -> tensor<16xf8E5M2>
  tt.return %b : tensor<16xf8E5M2>
}
