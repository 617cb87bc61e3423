// Tiles whose rows lie along the first dimension in memory: everything that belongs to them is computed the other way round.
// RUN: dl-opt %s --dl-layout --canonicalize | FileCheck %s

// CHECK-LABEL: @normalised
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[COUNT:.*]] = arith.constant dense<1.280000e+02> : tensor<32xf32>
// CHECK: %[[X:.*]] = dl.load %{{.*}} strides[%[[PITCH:.*]], %[[C1]]] lo[%[[LO:.*]], %{{.*}}] hi[%[[HI:.*]], %{{.*}}] {{.*}} -> tensor<32x128xf32>
// CHECK: "tt.reduce"(%[[X]]) <{axis = 1 : i32}>
// CHECK: (tensor<32x128xf32>) -> tensor<32xf32>
// CHECK: tt.expand_dims %{{.*}} {axis = 1 : i32} : tensor<32xf32> -> tensor<32x1xf32>
// CHECK: tt.broadcast {{.*}} -> tensor<32x128xf32>
// CHECK: dl.range_mask lo[%[[LO]], %{{.*}}] hi[%[[HI]], %{{.*}}] : tensor<32x128xi1>
// CHECK: arith.select {{.*}} : tensor<32x128xi1>, tensor<32x128xf32>
// CHECK: dl.store %{{.*}}, %{{.*}} strides[%[[PITCH]], %[[C1]]] {{.*}} : tensor<32x128xf32>
// CHECK-NOT: tt.trans
func.func @normalised(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %pitch: i64, %lo: i64, %hi: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c128 = arith.constant 128 : i64
  %count = arith.constant dense<1.280000e+02> : tensor<32xf32>
  %zero = arith.constant dense<0.0> : tensor<128x32xf32>
  %v = dl.load %x strides[%c1, %pitch] lo[%c0, %lo] hi[%c128, %hi] : !tt.ptr<f32> -> tensor<128x32xf32>
  %sum = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<128x32xf32>) -> tensor<32xf32>
  %mean = arith.divf %sum, %count : tensor<32xf32>
  %row = tt.expand_dims %mean {axis = 0 : i32} : tensor<32xf32> -> tensor<1x32xf32>
  %all = tt.broadcast %row : tensor<1x32xf32> -> tensor<128x32xf32>
  %centred = arith.subf %v, %all : tensor<128x32xf32>
  %mask = dl.range_mask lo[%c0, %lo] hi[%c128, %hi] : tensor<128x32xi1>
  %kept = arith.select %mask, %centred, %zero : tensor<128x32xi1>, tensor<128x32xf32>
  dl.store %kept, %y strides[%c1, %pitch] lo[%c0, %lo] hi[%c128, %hi] : tensor<128x32xf32>, !tt.ptr<f32>
  return
}

// A sum that a loop carries, started at zero: its loads count more than the one store, which is transposed.
// CHECK-LABEL: @carried
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<16x64xf32>
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[S:.*]] = %[[ZERO]]) -> (tensor<16x64xf32>)
// CHECK: dl.load {{.*}} -> tensor<16x64xf32>
// CHECK: dl.store %[[SUM]], %{{.*}} strides[%c1{{.*}}, %{{.*}}] {{.*}} : tensor<16x64xf32>
func.func @carried(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %pitch: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c64 = arith.constant 64 : i64
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %sum = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %zero) -> (tensor<64x16xf32>) : i64 {
    %at = tt.addptr %x, %i : !tt.ptr<f32>, i64
    %v = dl.load %at strides[%c1, %pitch] lo[%c0, %c0] hi[%c64, %c16] : !tt.ptr<f32> -> tensor<64x16xf32>
    %n = arith.addf %s, %v : tensor<64x16xf32>
    scf.yield %n : tensor<64x16xf32>
  }
  dl.store %sum, %y strides[%c16, %c1] lo[%c0, %c0] hi[%c64, %c16] : tensor<64x16xf32>, !tt.ptr<f32>
  return
}

// Transposes at the border go where the tile turns; what keeps its layout (a reshape) gets one.
// CHECK-LABEL: @borders
// CHECK: %[[X:.*]] = dl.load {{.*}} -> tensor<32x64xf32>
// CHECK: %[[E:.*]] = math.exp %[[X]] : tensor<32x64xf32>
// CHECK: dl.store %[[E]], {{.*}} : tensor<32x64xf32>
// CHECK: %[[T:.*]] = tt.trans %[[E]] {order = array<i32: 1, 0>} : tensor<32x64xf32> -> tensor<64x32xf32>
// CHECK: tt.reshape %[[T]] : tensor<64x32xf32> -> tensor<2048xf32>
// CHECK: dl.extract %[[E]][%c7{{.*}}, %c5{{.*}}]
func.func @borders(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %pitch: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  %c7 = arith.constant 7 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %c2048 = arith.constant 2048 : i64
  %v = dl.load %x strides[%c1, %pitch] lo[%c0, %c0] hi[%c64, %c32] : !tt.ptr<f32> -> tensor<64x32xf32>
  %e = math.exp %v : tensor<64x32xf32>
  %t = tt.trans %e {order = array<i32: 1, 0>} : tensor<64x32xf32> -> tensor<32x64xf32>
  dl.store %t, %y strides[%c64, %c1] lo[%c0, %c0] hi[%c32, %c64] : tensor<32x64xf32>, !tt.ptr<f32>
  %flat = tt.reshape %e : tensor<64x32xf32> -> tensor<2048xf32>
  dl.store %flat, %z strides[%c1] lo[%c0] hi[%c2048] : tensor<2048xf32>, !tt.ptr<f32>
  %one = dl.extract %e[%c5, %c7] : tensor<64x32xf32> -> f32
  dl.store_scalar %one, %z : f32, !tt.ptr<f32>
  return
}

// A transpose between tiles that both turn stays.
// CHECK-LABEL: @inner
// CHECK: %[[A:.*]] = dl.load %{{.*}} strides[%c16{{.*}}, %c1{{.*}}]
// CHECK: %[[T:.*]] = tt.trans %[[A]]
// CHECK: arith.addf %[[A]], %[[T]]
// CHECK: dl.store %{{.*}} strides[%c16{{.*}}, %c1{{.*}}]
func.func @inner(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %a = dl.load %x strides[%c1, %c16] lo[%c0, %c0] hi[%c16, %c16] : !tt.ptr<f32> -> tensor<16x16xf32>
  %t = tt.trans %a {order = array<i32: 1, 0>} : tensor<16x16xf32> -> tensor<16x16xf32>
  %s = arith.addf %a, %t : tensor<16x16xf32>
  dl.store %s, %y strides[%c1, %c16] lo[%c0, %c0] hi[%c16, %c16] : tensor<16x16xf32>, !tt.ptr<f32>
  return
}
