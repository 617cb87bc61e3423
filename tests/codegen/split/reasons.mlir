// Reasons that --explain gives where the units cannot overlap more, or share rows.
// RUN: dl-opt %s --split-input-file --dl-split --dl-cv-pipeline=depth=2 -o /dev/null 2>&1 | FileCheck %s

// What happens in an iteration in an order stays in that order.
// CHECK: remark: cv-pipeline: depth 1 in this loop: {{.*}}: tt.print has an effect whose order must stay
func.func @effect(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %tasks: i64, %n: i64) {
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
      tt.print " sum " {hex = false, isSigned = array<i32: 1>} : %t : i64
      scf.yield %o : tensor<32x32xf32>
    }
    dl.store %r, %pc strides[%c32, %c1] lo[%row, %c0] hi[%c32, %c32] {arg = 2} : tensor<32x32xf32>, !tt.ptr<f32>
  } {dl.parallel}
  return
}

// -----

// The same beside the loop.
// CHECK: remark: cv-pipeline: the pipeline drains at the end of this loop: {{.*}}: tt.print has an effect whose order must stay
func.func @task_effect(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %tasks: i64, %n: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  scf.for %t = %c0 to %tasks step %c1 : i64 {
    %row = arith.muli %t, %c32 : i64
    %q = dl.load %pa strides[%c32, %c1] lo[%row, %c0] hi[%c32, %c32] {arg = 0} : !tt.ptr<f16> -> tensor<32x32xf16>
    tt.print " task " {hex = false, isSigned = array<i32: 1>} : %t : i64
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

// One turn more than there are tasks would carry on too far.
// CHECK: remark: cv-pipeline: the pipeline drains at the end of this loop: {{.*}}: scf.for carries what is used further on
func.func @used_further_on(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %pn: !tt.ptr<i64>, %tasks: i64, %n: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %last = scf.for %t = %c0 to %tasks step %c1 iter_args(%row = %c0) -> (i64) : i64 {
    %next = arith.addi %row, %c32 : i64
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
    dl.store %r, %pc strides[%c32, %c1] lo[%t, %c0] hi[%c32, %c32] {arg = 2} : tensor<32x32xf32>, !tt.ptr<f32>
    scf.yield %next : i64
  } {dl.parallel}
  dl.store_scalar %last, %pn {arg = 3} : i64, !tt.ptr<i64>
  return
}

// -----

// The place of a task's store is gone when the next task has begun.
// CHECK: remark: cv-pipeline: the pipeline drains at the end of this loop: {{.*}}: scf.for carries what an iteration's end needs
func.func @carried_row(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %tasks: i64, %n: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %last = scf.for %t = %c0 to %tasks step %c1 iter_args(%row = %c0) -> (i64) : i64 {
    %next = arith.addi %row, %n : i64
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
    scf.yield %next : i64
  } {dl.parallel}
  return
}

// -----

// The last iterations of a task that does not exist have no address to begin with.
// CHECK: remark: cv-pipeline: the pipeline drains at the end of this loop: {{.*}}: scf.for carries a pointer
func.func @pointer(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %tasks: i64, %n: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  scf.for %t = %c0 to %tasks step %c1 : i64 {
    %row = arith.muli %t, %c32 : i64
    %q = dl.load %pa strides[%c32, %c1] lo[%row, %c0] hi[%c32, %c32] {arg = 0} : !tt.ptr<f16> -> tensor<32x32xf16>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros, %at = %pb) -> (tensor<32x32xf32>, !tt.ptr<f16>) : i64 {
      %k = dl.load %at strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 1} : !tt.ptr<f16> -> tensor<32x32xf16>
      %s = tt.dot %q, %k, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
      %e = math.exp %s : tensor<32x32xf32>
      %p = arith.truncf %e : tensor<32x32xf32> to tensor<32x32xf16>
      %half = arith.addf %acc, %acc : tensor<32x32xf32>
      %o = tt.dot %p, %k, %half : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
      %next = tt.addptr %at, %c32 : !tt.ptr<f16>, i64
      scf.yield %o, %next : tensor<32x32xf32>, !tt.ptr<f16>
    }
    dl.store %r#0, %pc strides[%c32, %c1] lo[%row, %c0] hi[%c32, %c32] {arg = 2} : tensor<32x32xf32>, !tt.ptr<f32>
  } {dl.parallel}
  return
}

// -----

// Two sums in L0C, of this task and of the one before.
// CHECK: remark: cv-pipeline: the pipeline drains at the end of this loop: {{.*}}: scf.for carries a product
func.func @product(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %pd: !tt.ptr<f32>, %tasks: i64, %n: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  scf.for %t = %c0 to %tasks step %c1 : i64 {
    %row = arith.muli %t, %c32 : i64
    %q = dl.load %pa strides[%c32, %c1] lo[%row, %c0] hi[%c32, %c32] {arg = 0} : !tt.ptr<f16> -> tensor<32x32xf16>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros, %sum = %zeros) -> (tensor<32x32xf32>, tensor<32x32xf32>) : i64 {
      %k = dl.load %pb strides[%c32, %c1] lo[%i, %c0] hi[%c32, %c32] {arg = 1} : !tt.ptr<f16> -> tensor<32x32xf16>
      %s = tt.dot %q, %k, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
      %e = math.exp %s : tensor<32x32xf32>
      %p = arith.truncf %e : tensor<32x32xf32> to tensor<32x32xf16>
      %half = arith.addf %acc, %acc : tensor<32x32xf32>
      %u = tt.dot %k, %k, %sum : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
      %o = tt.dot %p, %k, %half : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
      scf.yield %o, %u : tensor<32x32xf32>, tensor<32x32xf32>
    }
    dl.store %r#1, %pd strides[%c32, %c1] lo[%row, %c0] hi[%c32, %c32] {arg = 3} : tensor<32x32xf32>, !tt.ptr<f32>
    dl.store %r#0, %pc strides[%c32, %c1] lo[%row, %c0] hi[%c32, %c32] {arg = 2} : tensor<32x32xf32>, !tt.ptr<f32>
  } {dl.parallel}
  return
}

// -----

// Rows come from operations.
// CHECK: remark: the second vector core of each group is idle: {{.*}}: func.func has no rows to share; rows cannot be shared
func.func @given(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %given: tensor<32x32xf32>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %d = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %e = arith.addf %d, %given : tensor<32x32xf32>
  dl.store %e, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  return
}

// -----

// An update with its old value as the result.
// CHECK: remark: the second vector core of each group is idle: {{.*}}: dl.atomic updates elements one by one; rows cannot be shared
func.func @updates(%pa: !tt.ptr<f16>, %pc: !tt.ptr<i32>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %true = arith.constant true
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %d = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %e = arith.fptosi %d : tensor<32x32xf32> to tensor<32x32xi32>
  %old = dl.atomic xor %e strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] walk [0] {
  ^bb0(%i: i64):
    %row = arith.muli %i, %c32 : i64
    %p = tt.addptr %pc, %row : !tt.ptr<i32>, i64
    dl.run %p count %c1 if %true lo[%c0, %c0] hi[%c1, %c32] : !tt.ptr<i32>
  } : tensor<32x32xi32> -> tensor<32x32xi32>
  return
}

// -----

// A task's first store comes after the last one of the task before.
// CHECK: remark: cv-pipeline: the pipeline drains at the end of this loop: {{.*}}: dl.store stores before the loop
func.func @first(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %pd: !tt.ptr<f32>, %tasks: i64, %n: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  scf.for %t = %c0 to %tasks step %c1 : i64 {
    %row = arith.muli %t, %c32 : i64
    %q = dl.load %pa strides[%c32, %c1] lo[%row, %c0] hi[%c32, %c32] {arg = 0} : !tt.ptr<f16> -> tensor<32x32xf16>
    dl.store %zeros, %pd strides[%c32, %c1] lo[%row, %c0] hi[%c32, %c32] {arg = 3} : tensor<32x32xf32>, !tt.ptr<f32>
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
