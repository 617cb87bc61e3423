// A branch or a loop that hands on a product or something else: vector code does, and the product starts from zero.
// RUN: dl-opt %s --split-input-file --dl-split | FileCheck %s
// RUN: dl-opt %s --split-input-file --dl-split -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: the second vector core of each group is idle: {{.*}}: scf.if hands on tensors; rows cannot be shared
// REMARK: the second vector core of each group is idle: {{.*}}: scf.while hands on tensors; rows cannot be shared

// CHECK-LABEL: func.func @branch(
// CHECK: scf.if
// CHECK: %[[D:.*]] = tt.dot %{{.*}}, %{{.*}}, %cst
// CHECK: npu.cross_wait fix id 0
// CHECK: dl.store %[[D]]
// CHECK-NOT: else
// CHECK-LABEL: func.func @branch.aiv(
// CHECK: scf.if %{{.*}} -> (tensor<32x32xf32>)
// CHECK: %[[LOADED:.*]] = dl.load {{.*}} {arg = 4 : i64}
// CHECK: scf.yield %[[LOADED]]
// CHECK: } else {
// CHECK: scf.yield %{{.*}} : tensor<32x32xf32>
func.func @branch(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %flag: i1, %n: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %ones = arith.constant dense<1.0> : tensor<32x32xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %r = scf.if %flag -> (tensor<32x32xf32>) {
    %d = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } else {
    scf.yield %ones : tensor<32x32xf32>
  }
  dl.store %r, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  return
}

// -----

// The cube's loop carries no tensor, the vector cores add.
// CHECK-LABEL: func.func @condition(
// CHECK: scf.while (%{{.*}} = %{{[a-z0-9_]*}}) : (i32) -> i32 {
// CHECK: tt.dot %{{.*}}, %{{.*}}, %cst
// CHECK-LABEL: func.func @condition.aiv(
// CHECK: scf.while ({{.*}}) : (i32, tensor<{{16|32}}x32xf32>)
// CHECK: %[[LOADED:.*]] = dl.load {{.*}} {arg = 3 : i64}
// CHECK: arith.addf %[[LOADED]],
func.func @condition(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %n: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %r:2 = scf.while (%i = %i0, %acc = %zeros) : (i32, tensor<32x32xf32>) -> (i32, tensor<32x32xf32>) {
    %go = arith.cmpi slt, %i, %n : i32
    scf.condition(%go) %i, %acc : i32, tensor<32x32xf32>
  } do {
  ^bb0(%i: i32, %acc: tensor<32x32xf32>):
    %d = tt.dot %a, %a, %acc : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %j = arith.addi %i, %i1 : i32
    scf.yield %j, %d : i32, tensor<32x32xf32>
  }
  dl.store %r#1, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  return
}
