// RUN: dl-opt %s --dl-halve | FileCheck %s

// Lanes of a row: halves down to a block of 32 bytes, which the scalar unit folds.
// CHECK-LABEL: @row
// CHECK: %[[L:.*]] = tensor.extract_slice %[[X:.*]][0] [32] [1] {dl.in_place} : tensor<64xi32> to tensor<32xi32>
// CHECK: %[[R:.*]] = tensor.extract_slice %[[X]][32] [32] [1] {dl.in_place} : tensor<64xi32> to tensor<32xi32>
// CHECK: arith.muli %[[L]], %[[R]] : tensor<32xi32>
// CHECK: arith.muli {{.*}} : tensor<16xi32>
// CHECK: %[[REST:.*]] = arith.muli {{.*}} : tensor<8xi32>
// CHECK: "tt.reduce"(%[[REST]]) <{axis = 0 : i32}>
func.func @row(%x: i64 {npu.pointee = i32}) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %v = dl.load %x strides[%c1] lo[%c0] hi[%c64] : i64 -> tensor<64xi32>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %p = arith.muli %a, %b : i32
    tt.reduce.return %p : i32
  }) : (tensor<64xi32>) -> i32
  dl.store_scalar %s, %x : i32, i64
  return
}

// Along the last of two dimensions the tile is transposed first; what is the same for all rows is made so.
// CHECK-LABEL: @columns
// CHECK-DAG: tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<4x32xf32> -> tensor<32x4xf32>
// CHECK-DAG: %[[LINE:.*]] = tt.expand_dims %{{.*}} {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
// CHECK-DAG: tt.broadcast %[[LINE]] : tensor<32x1xi32> -> tensor<32x4xi32>
// CHECK: arith.select {{.*}} : tensor<16x4xi1>, tensor<16x4xi32>
// CHECK: arith.select {{.*}} : tensor<1x4xi1>, tensor<1x4xi32>
// CHECK: tt.reshape %{{.*}} : tensor<1x4xi32> -> tensor<4xi32>
// CHECK-NOT: tt.reduce
func.func @columns(%x: tensor<4x32xf32>) -> tensor<4xi32> {
  %line = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %one = tt.expand_dims %line {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %at = tt.broadcast %one : tensor<1x32xi32> -> tensor<4x32xi32>
  %m:2 = "tt.reduce"(%x, %at) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %left = arith.cmpf ogt, %a, %b : f32
    %v = arith.select %left, %a, %b : f32
    %n = arith.select %left, %i, %j : i32
    tt.reduce.return %v, %n : f32, i32
  }) : (tensor<4x32xf32>, tensor<4x32xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %m#1 : tensor<4xi32>
}

// The vector unit's own, a region that is not lane by lane, and few elements stay.
// CHECK-LABEL: @kept
// CHECK: "tt.reduce"(%arg0)
// CHECK: "tt.reduce"(%arg1)
// CHECK: "tt.reduce"(%arg2)
func.func @kept(%x: tensor<64xf32>, %y: tensor<64xi32>, %z: tensor<16xi32>, %k: i32) -> (f32, i32, i32) {
  %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    tt.reduce.return %p : f32
  }) : (tensor<64xf32>) -> f32
  %t = "tt.reduce"(%y) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %p = arith.muli %a, %b : i32
    %q = arith.addi %p, %k : i32
    tt.reduce.return %q : i32
  }) : (tensor<64xi32>) -> i32
  %u = "tt.reduce"(%z) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %p = arith.muli %a, %b : i32
    tt.reduce.return %p : i32
  }) : (tensor<16xi32>) -> i32
  return %s, %t, %u : f32, i32, i32
}

// Bits: whether any is set is the largest of ones and zeros. Words of i64 are halved apart.
// CHECK-LABEL: @bits
// CHECK: %[[N:.*]] = arith.select %arg0, {{.*}} : tensor<64x64xi1>, tensor<64x64xf16>
// CHECK: "tt.reduce"(%[[N]]) <{axis = 1 : i32}>
// CHECK: arith.maxnumf
// CHECK: arith.cmpf one, {{.*}} : tensor<64xf16>
// CHECK: dl.half high
// CHECK: tensor.extract_slice {{.*}} : tensor<64xi32> to tensor<32xi32>
// CHECK-NOT: tensor.extract_slice {{.*}}xi64
func.func @bits(%x: tensor<64x64xi1>, %y: tensor<64xi64>) -> (tensor<64xi1>, i64) {
  %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: i1, %b: i1):
    %p = arith.ori %a, %b : i1
    tt.reduce.return %p : i1
  }) : (tensor<64x64xi1>) -> tensor<64xi1>
  %t = "tt.reduce"(%y) <{axis = 0 : i32}> ({
  ^bb0(%a: i64, %b: i64):
    %p = arith.addi %a, %b : i64
    tt.reduce.return %p : i64
  }) : (tensor<64xi64>) -> i64
  return %s, %t : tensor<64xi1>, i64
}
