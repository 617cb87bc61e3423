// An atomic update of one element in a kernel of both sides: the cube core does it when the vector cores have come to it too, and
// its result goes to them through the workspace.
// RUN: dl-opt %s --dl-split | FileCheck %s

// CHECK-LABEL: func.func @counted(
// CHECK-SAME: attributes {npu.workspace_bytes = 4608 : i64}
// CHECK: npu.cross_wait s id 1
// CHECK-NEXT: %[[OLD:.*]] = dl.atomic_scalar add {{.*}} ordered
// CHECK: dl.store_scalar %[[OLD]], %{{.*}} {arg = 4 : i64} : i32, i64
// CHECK-NEXT: npu.cross_set s id 1
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[OLD]]

// CHECK-LABEL: func.func @counted.aiv(
// CHECK-NOT: dl.atomic_scalar
// CHECK: npu.barrier
// CHECK-NEXT: npu.cross_set s id 1
// CHECK-NEXT: npu.cross_wait s id 1
// CHECK: %[[TOLD:.*]] = dl.load_scalar %{{.*}} {arg = 4 : i64, is_volatile} : i64 -> i32
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[TOLD]]
// CHECK-NOT: dl.atomic_scalar
func.func @counted(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %pn: !tt.ptr<i32>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %n = dl.atomic_scalar add %i1, %pn ordered {arg = 2 : i64} : i32, !tt.ptr<i32> -> i32
  scf.for %i = %i0 to %n step %i1  : i32 {
    %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 0 : i64} : !tt.ptr<f16> -> tensor<32x32xf16>
    %d = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e = math.exp %d : tensor<32x32xf32>
    dl.store %e, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 1 : i64} : tensor<32x32xf32>, !tt.ptr<f32>
  }
  return
}
