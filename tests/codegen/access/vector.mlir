// RUN: dl-opt --allow-unregistered-dialect --dl-access-stage %s | FileCheck %s
// RUN: dl-opt --allow-unregistered-dialect --pass-pipeline='builtin.module(func.func(dl-access{report}))' %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT

// One dimension, masked by offset + i < n.
// CHECK-LABEL: @masked
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %[[N:.*]]: i32, %[[PID:.*]]: i32)
// CHECK-DAG: %[[SIZE:.*]] = arith.constant 1024 : i64
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[NL:.*]] = arith.extsi %[[N]]
// CHECK-DAG: %[[START:.*]] = arith.muli %[[PID]],
// CHECK-DAG: %[[SL:.*]] = arith.extsi %[[START]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[NL]], %[[SL]]
// CHECK: %[[MIN:.*]] = arith.minsi %[[LEFT]], %[[SIZE]]
// CHECK: %[[HI:.*]] = arith.maxsi %[[MIN]], %[[ZERO]]
// CHECK: %[[Q:.*]] = tt.addptr %[[P]], %[[SL]] : !tt.ptr<f32>, i64
// CHECK: dl.load %[[Q]] strides[%[[ONE]]] lo[%[[ZERO]]] hi[%[[HI]]] other(%{{.*}} : f32) {arg = 0 : i64} : !tt.ptr<f32> -> tensor<1024xf32>
// CHECK: dl.store %{{.*}}, %[[Q]] strides[%[[ONE]]] lo[%[[ZERO]]] hi[%[[HI]]] {arg = 0 : i64}
// REPORT: load 1024xf32: tile copy, burst 4096 B, alignment 16 B, mask range in 0
func.func @masked(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %pid: i32) {
  %c1024 = arith.constant 1024 : i32
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %s = arith.muli %pid, %c1024 : i32
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ss = tt.splat %s : i32 -> tensor<1024xi32>
  %o = arith.addi %ss, %r : tensor<1024xi32>
  %nn = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %o, %nn : tensor<1024xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %q = tt.addptr %ps, %o : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %q, %m, %zero : tensor<1024x!tt.ptr<f32>>
  tt.store %q, %v, %m : tensor<1024x!tt.ptr<f32>>
  return
}

// lo <= i (sge), equality, a strided comparison (2 i < n has ceil(n / 2) lanes), a scalar condition.
// CHECK-LABEL: @bounds
// CHECK-SAME: %[[N:[a-z0-9]+]]: i64, %[[ON:[a-z0-9]+]]: i1
// CHECK: %[[LOMIN:.*]] = arith.minsi %[[N]],
// CHECK: %[[LO:.*]] = arith.maxsi %[[LOMIN]],
// CHECK: dl.load %{{.*}} lo[%[[LO]]] hi[%c64_i64]
// CHECK: %[[UP:.*]] = arith.addi %{{.*}}, %c1_i64
// CHECK: arith.divui %[[UP]], %c2_i64
// CHECK: dl.load
// CHECK: %[[ALL:.*]] = arith.select %[[ON]], %c64_i64, %c0_i64
// CHECK: dl.load %{{.*}} lo[%c0_i64] hi[%[[ALL]]]
func.func @bounds(%p: !tt.ptr<f32>, %n: i64, %on: i1) {
  %two = arith.constant dense<2> : tensor<64xi64>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %w = arith.extsi %r : tensor<64xi32> to tensor<64xi64>
  %d = arith.muli %w, %two : tensor<64xi64>
  %nn = tt.splat %n : i64 -> tensor<64xi64>
  %m0 = arith.cmpi sge, %w, %nn : tensor<64xi64>
  %m1 = arith.cmpi slt, %d, %nn : tensor<64xi64>
  %m2 = tt.splat %on : i1 -> tensor<64xi1>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %w : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
  %a = tt.load %q, %m0 : tensor<64x!tt.ptr<f32>>
  %b = tt.load %q, %m1 : tensor<64x!tt.ptr<f32>>
  %c = tt.load %q, %m2 : tensor<64x!tt.ptr<f32>>
  "test.use"(%a, %b, %c) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> ()
  return
}

// A mask that is used as data becomes dl.range_mask; other comparisons stay tensor operations.
// CHECK-LABEL: @data
// CHECK: tt.make_range
// CHECK: dl.range_mask lo[%c0_i64] hi[%{{.*}}] : tensor<64xi1>
// CHECK: arith.select
// CHECK: arith.cmpi sge
func.func @data(%n: i32, %x: tensor<64xf32>, %y: tensor<64xi32>) {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %nn = tt.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %nn : tensor<64xi32>
  %s = arith.select %m, %x, %zero : tensor<64xi1>, tensor<64xf32>
  %m2 = arith.cmpi sge, %r, %y : tensor<64xi32>
  %t = arith.select %m2, %s, %zero : tensor<64xi1>, tensor<64xf32>
  "test.use"(%t) : (tensor<64xf32>) -> ()
  return
}

// Scalars, with and without a guard.
// CHECK-LABEL: @scalar
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<i32>, %[[ON:.*]]: i1)
// CHECK: %[[A:.*]] = dl.load_scalar %[[P]] {arg = 0 : i64} : !tt.ptr<i32> -> i32
// CHECK: %[[V:.*]] = scf.if %[[ON]] -> (i32)
// CHECK: dl.load_scalar
// CHECK: } else {
// CHECK: scf.yield %[[A]]
// CHECK: dl.store_scalar %[[V]], %[[P]] {arg = 0 : i64}
// CHECK: scf.if %[[ON]]
// CHECK: dl.store_scalar %[[V]], %{{.*}} {arg = 0 : i64}
func.func @scalar(%p: !tt.ptr<i32>, %on: i1) {
  %a = tt.load %p : !tt.ptr<i32>
  %q = tt.addptr %p, %a : !tt.ptr<i32>, i32
  %b = tt.load %q, %on, %a : !tt.ptr<i32>
  tt.store %p, %b : !tt.ptr<i32>
  tt.store %q, %b, %on : !tt.ptr<i32>
  return
}

// A loaded scalar takes part in later addresses.
// CHECK-LABEL: @loaded_offset
// CHECK: %[[A:.*]] = dl.load_scalar
// CHECK: %[[L:.*]] = arith.extsi %[[A]]
// CHECK: %[[Q:.*]] = tt.addptr %{{.*}}, %[[L]]
// CHECK: dl.load %[[Q]]
func.func @loaded_offset(%i: !tt.ptr<i32>, %p: !tt.ptr<f32>) {
  %a = tt.load %i : !tt.ptr<i32>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = tt.splat %a : i32 -> tensor<64xi32>
  %o = arith.addi %s, %r : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %o : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %q : tensor<64x!tt.ptr<f32>>
  "test.use"(%v) : (tensor<64xf32>) -> ()
  return
}

// Atomic addition whose old value is not needed.
// CHECK-LABEL: @atomic
// CHECK: dl.store %{{.*}}, %{{.*}} strides[%c1_i64] {{.*}}atomic = 1 : i32
func.func @atomic(%p: !tt.ptr<f32>, %v: tensor<64xf32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.atomic_rmw fadd, acq_rel, gpu, %q, %v : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) -> tensor<64xf32>
  return
}

// CHECK-LABEL: @scalar_atomic
// CHECK: %[[HI:.*]] = arith.extui %{{.*}} : i1 to i64
// CHECK: %[[T:.*]] = tt.splat %{{.*}} : f32 -> tensor<1xf32>
// CHECK: dl.store %[[T]], %{{.*}} hi[%[[HI]]] {{.*}}atomic = 1 : i32
func.func @scalar_atomic(%p: !tt.ptr<f32>, %v: f32, %on: i1) {
  %x = tt.atomic_rmw fadd, acq_rel, gpu, %p, %v, %on : (!tt.ptr<f32>, f32, i1) -> f32
  return
}
