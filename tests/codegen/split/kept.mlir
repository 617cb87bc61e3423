// A product that is another one's operand stays with the cube core: L0C, workspace, L1.
// RUN: dl-opt %s --split-input-file --dl-split | FileCheck %s

// The state of a loop, in f32. No vector code, no flags.
// CHECK-LABEL: func.func @state(
// CHECK-SAME: npu.workspace_bytes = 4096
// CHECK: scf.for {{.*}} iter_args(%[[STATE:.*]] = %
// CHECK: %[[WORKSPACE:.*]] = npu.workspace
// CHECK: %[[PLACE:.*]] = arith.addi %[[WORKSPACE]],
// CHECK: dl.store %[[STATE]], %[[PLACE]] {{.*}} {arg = 3 : i64}
// CHECK: %[[COPY:.*]] = dl.load %[[PLACE]] {{.*}} {arg = 3 : i64}
// CHECK: tt.dot %{{.*}}, %[[COPY]], %
// CHECK-NOT: npu.cross
// CHECK-NOT: func.func
func.func @state(%pa: !tt.ptr<f32>, %pc: !tt.ptr<f32>, %n: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f32> -> tensor<32x32xf32>
  %s = scf.for %i = %i0 to %n step %i1 iter_args(%state = %zeros) -> (tensor<32x32xf32>) : i32 {
    %o = tt.dot %a, %state, %zeros : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    dl.store %o, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
    %next = tt.dot %a, %a, %state : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %next : tensor<32x32xf32>
  }
  return
}

// -----

// The same beside vector code: the state's place comes before those of the channels.
// CHECK-LABEL: func.func @state_and_vectors(
// CHECK: dl.store %{{.*}} {arg = 3 : i64}
// CHECK: dl.load %{{.*}} {arg = 3 : i64}
// CHECK: npu.cross_wait fix id 1
// CHECK: dl.store %{{.*}} {arg = 4 : i64}
// CHECK-LABEL: func.func @state_and_vectors.aiv(
// CHECK-NOT: arg = 3 : i64
// CHECK: dl.load %{{.*}} {arg = 4 : i64}
// CHECK-NOT: arg = 3 : i64
func.func @state_and_vectors(%pa: !tt.ptr<f32>, %pc: !tt.ptr<f32>, %n: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f32> -> tensor<32x32xf32>
  %s = scf.for %i = %i0 to %n step %i1 iter_args(%state = %zeros) -> (tensor<32x32xf32>) : i32 {
    %o = tt.dot %a, %state, %zeros : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    %e = math.exp %o : tensor<32x32xf32>
    dl.store %e, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
    %next = tt.dot %a, %a, %state : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    scf.yield %next : tensor<32x32xf32>
  }
  return
}
