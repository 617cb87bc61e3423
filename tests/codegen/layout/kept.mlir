// Tiles that keep their layout.
// RUN: dl-opt %s --dl-layout | FileCheck %s --implicit-check-not='tensor<32x64' --implicit-check-not='tensor<64x4xf32>'

// As many bytes the one way as the other.
// CHECK-LABEL: @transpose
// CHECK: dl.load {{.*}} -> tensor<64x32xf32>
func.func @transpose(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %pitch: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %v = dl.load %x strides[%c1, %pitch] lo[%c0, %c0] hi[%c64, %c32] : !tt.ptr<f32> -> tensor<64x32xf32>
  dl.store %v, %y strides[%c32, %c1] lo[%c0, %c0] hi[%c64, %c32] : tensor<64x32xf32>, !tt.ptr<f32>
  return
}

// Turned rows would be no whole blocks of 32 bytes.
// CHECK-LABEL: @short_rows
// CHECK: dl.load {{.*}} -> tensor<4x64xf32>
func.func @short_rows(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %pitch: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %c64 = arith.constant 64 : i64
  %v = dl.load %x strides[%c1, %pitch] lo[%c0, %c0] hi[%c4, %c64] : !tt.ptr<f32> -> tensor<4x64xf32>
  dl.store %v, %y strides[%c1, %pitch] lo[%c0, %c0] hi[%c4, %c64] : tensor<4x64xf32>, !tt.ptr<f32>
  return
}

// The cube loads either layout.
// CHECK-LABEL: @product
// CHECK: dl.load {{.*}} -> tensor<64x32xf16>
func.func @product(%x: !tt.ptr<f16>, %b: tensor<32x16xf16>, %c: tensor<64x16xf32>, %pitch: i64) -> tensor<64x16xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %v = dl.load %x strides[%c1, %pitch] lo[%c0, %c0] hi[%c64, %c32] : !tt.ptr<f16> -> tensor<64x32xf16>
  %w = arith.addf %v, %v : tensor<64x32xf16>
  %d = tt.dot %w, %b, %c : tensor<64x32xf16> * tensor<32x16xf16> -> tensor<64x16xf32>
  return %d : tensor<64x16xf32>
}

// A loop that is no count has no place for a transpose.
// CHECK-LABEL: @while_loop
// CHECK: dl.load {{.*}} -> tensor<64x32xf32>
func.func @while_loop(%x: !tt.ptr<f32>, %pitch: i64, %go: i1) -> tensor<64x32xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %v = dl.load %x strides[%c1, %pitch] lo[%c0, %c0] hi[%c64, %c32] : !tt.ptr<f32> -> tensor<64x32xf32>
  %r = scf.while (%a = %v) : (tensor<64x32xf32>) -> tensor<64x32xf32> {
    scf.condition(%go) %a : tensor<64x32xf32>
  } do {
  ^bb0(%a: tensor<64x32xf32>):
    %n = arith.addf %a, %a : tensor<64x32xf32>
    scf.yield %n : tensor<64x32xf32>
  }
  return %r : tensor<64x32xf32>
}
