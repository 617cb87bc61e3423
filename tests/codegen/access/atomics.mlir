// RUN: dl-opt --allow-unregistered-dialect --dl-access-stage %s | FileCheck %s

// Unsigned extremes are stores that combine with memory; what they have no kind for is done one by one.
// CHECK-LABEL: @stores
// CHECK: dl.store {{.*}}atomic = 4 : i32
// CHECK: dl.store {{.*}}atomic = 5 : i32
// CHECK: dl.atomic xor %{{.*}} strides[%c1_i64] lo[%c0_i64] hi[%c64_i64] walk [0] ordered {
// CHECK: dl.atomic add %{{.*}} walk [0] ordered {
// CHECK: } {arg = 1 : i64} : tensor<64xi64> -> tensor<64xi64>
func.func @stores(%p: !tt.ptr<i32>, %w: !tt.ptr<i64>, %v: tensor<64xi32>, %l: tensor<64xi64>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %q = tt.addptr %ps, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %0 = tt.atomic_rmw umax, acq_rel, gpu, %q, %v : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  %1 = tt.atomic_rmw umin, acq_rel, gpu, %q, %v : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  %2 = tt.atomic_rmw xor, acq_rel, gpu, %q, %v : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  %ws = tt.splat %w : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>>
  %wq = tt.addptr %ws, %r : tensor<64x!tt.ptr<i64>>, tensor<64xi32>
  %3 = tt.atomic_rmw add, acq_rel, gpu, %wq, %l : (tensor<64x!tt.ptr<i64>>, tensor<64xi64>) -> tensor<64xi64>
  return
}

// The old value of one element; a relaxed update waits for nothing.
// CHECK-LABEL: @scalars
// CHECK: dl.atomic_scalar add %{{.*}}, %{{.*}} {arg = 0 : i64} : i32, !tt.ptr<i32> -> i32
// CHECK: dl.atomic_scalar cas %{{.*}} if %{{.*}}, %{{.*}} ordered {arg = 0 : i64} : i32 if i32, !tt.ptr<i32> -> i32
// CHECK: scf.if
// CHECK: dl.atomic_scalar exch
// CHECK: } else {
func.func @scalars(%p: !tt.ptr<i32>, %v: i32, %c: i32, %on: i1) {
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  %1 = tt.atomic_cas acq_rel, gpu, %p, %c, %v : (!tt.ptr<i32>, i32, i32) -> i32
  %2 = tt.atomic_rmw exch, acq_rel, gpu, %p, %v, %on : (!tt.ptr<i32>, i32, i1) -> i32
  "test.use"(%0, %1, %2) : (i32, i32, i32) -> ()
  return
}
