// The last iterations of a task run with the first ones of the next, on both sides.
// RUN: dl-opt %s --split-input-file --dl-split --dl-cv-pipeline=depth=2 | FileCheck %s
// RUN: dl-opt %s --split-input-file --dl-split --dl-cv-pipeline=depth=2 -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: func.func @tasks(
// One turn more than there are tasks.
// CHECK: %[[ANY:.*]] = arith.cmpi sgt, %[[END:.*]], %c0_i64 : i64
// CHECK: %[[MORE:.*]] = arith.addi %[[END]], %c1_i64
// CHECK: %[[LAST:.*]] = arith.select %[[ANY]], %[[MORE]], %[[END]]
// CHECK: scf.for %[[T:.*]] = %c0_i64 to %[[LAST]] step %c1_i64 iter_args({{.*}}, %[[BEFORE:.*]] = %c0_i64
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[T]], %[[END]]
// The first scores of this task beside the last products of the one before, as far as both have some.
// CHECK: scf.for
// CHECK: npu.cross_set fix id 0
// CHECK: npu.cross_set fix id 1
// CHECK: } {dl.brief}
// CHECK: scf.for
// CHECK-NOT: fix id 0
// CHECK: npu.cross_set fix id 1
// CHECK: } {dl.brief}
// CHECK: scf.for
// CHECK-NOT: fix id 1
// CHECK: npu.cross_set fix id 0
// CHECK: } {dl.brief}
// CHECK: scf.for {{.*}} = %c2_i64
// CHECK: npu.cross_set fix id 0
// CHECK: npu.cross_set fix id 1
// CHECK: {dl.parallel}

// CHECK-LABEL: func.func @tasks.aiv(
// CHECK: %[[LAST:.*]] = arith.select
// CHECK: scf.for %[[T:.*]] = %c0_i64 to %[[LAST]]
// CHECK: %[[FOLLOWS:.*]] = arith.cmpi sgt, %[[T]], %c0_i64
// The task before is stored when its last product has been added.
// CHECK: scf.if %[[FOLLOWS]]
// CHECK: dl.store {{.*}} {arg = 2 : i64}
// CHECK: scf.for {{.*}} = %c1_i64
// CHECK-NOT: arg = 2 : i64
// CHECK: {dl.parallel}
func.func @tasks(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %tasks: i64, %n: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  scf.for %t = %c0 to %tasks step %c1 : i64 {
    %row = arith.muli %t, %c32 : i64
    %q = dl.load %pa strides[%c32, %c1] lo[%row, %c0] hi[%c32, %c32] {arg = 0} : !tt.ptr<f16> -> tensor<32x32xf16>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<32x32xf32>) : i64 {
      %k = dl.load %pb strides[%c32, %c1] lo[%i, %c0] hi[%c32, %c32] {arg = 1} : !tt.ptr<f16> -> tensor<32x32xf16>
      %s = tt.dot %q, %k, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
      %e = math.exp %s : tensor<32x32xf32>
      %p = arith.truncf %e : tensor<32x32xf32> to tensor<32x32xf16>
      %half = arith.addf %acc, %acc : tensor<32x32xf32>
      %o = tt.dot %p, %k, %half : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
      scf.yield %o : tensor<32x32xf32>
    }
    dl.store %r, %pc strides[%c32, %c1] lo[%row, %c0] hi[%c32, %c32] {arg = 2} : tensor<32x32xf32>, !tt.ptr<f32>
  } {dl.parallel}
  return
}

// -----

// The tile that both products need is loaded before the loop: it would be needed once for each of two tasks.
// REMARK: remark: cv-pipeline: the pipeline drains at the end of this loop: {{.*}}: dl.load is needed by the end of an iteration, too
func.func @kept(%pa: !tt.ptr<f16>, %tasks: i64, %n: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  scf.for %t = %c0 to %tasks step %c1 : i64 {
    %row = arith.muli %t, %c32 : i64
    %q = dl.load %pa strides[%c32, %c1] lo[%row, %c0] hi[%c32, %c32] {arg = 0} : !tt.ptr<f16> -> tensor<32x32xf16>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<32x32xf32>) : i64 {
      %s = tt.dot %q, %q, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
      %e = math.exp %s : tensor<32x32xf32>
      %p = arith.truncf %e : tensor<32x32xf32> to tensor<32x32xf16>
      %half = arith.addf %acc, %acc : tensor<32x32xf32>
      %o = tt.dot %p, %q, %half : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
      scf.yield %o : tensor<32x32xf32>
    }
    %f = arith.truncf %r : tensor<32x32xf32> to tensor<32x32xf16>
    dl.store %f, %pa strides[%c32, %c1] lo[%row, %c0] hi[%c32, %c32] {arg = 0} : tensor<32x32xf16>, !tt.ptr<f16>
  } {dl.parallel}
  return
}

// -----

// What one side stores the other one's next iteration may load: it waits.
// REMARK: remark: cv-pipeline: the pipeline drains at the end of this loop: {{.*}}: dl.store may store what the next iteration loads
func.func @inplace(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %tasks: i64, %n: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  scf.for %t = %c0 to %tasks step %c1 : i64 {
    %row = arith.muli %t, %c32 : i64
    %q = dl.load %pa strides[%c32, %c1] lo[%row, %c0] hi[%c32, %c32] {arg = 0} : !tt.ptr<f16> -> tensor<32x32xf16>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<32x32xf32>) : i64 {
      %k = dl.load %pb strides[%c32, %c1] lo[%i, %c0] hi[%c32, %c32] {arg = 1} : !tt.ptr<f16> -> tensor<32x32xf16>
      %s = tt.dot %q, %k, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
      %e = math.exp %s : tensor<32x32xf32>
      %p = arith.truncf %e : tensor<32x32xf32> to tensor<32x32xf16>
      %half = arith.addf %acc, %acc : tensor<32x32xf32>
      %o = tt.dot %p, %k, %half : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
      scf.yield %o : tensor<32x32xf32>
    }
    %f = arith.truncf %r : tensor<32x32xf32> to tensor<32x32xf16>
    dl.store %f, %pa strides[%c32, %c1] lo[%row, %c0] hi[%c32, %c32] {arg = 0} : tensor<32x32xf16>, !tt.ptr<f16>
  } {dl.parallel}
  return
}
