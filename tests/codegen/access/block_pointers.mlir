// RUN: dl-opt --allow-unregistered-dialect --dl-access-stage --split-input-file --verify-diagnostics %s | FileCheck %s

// Offsets are carried by the loop; both dimensions are checked, the lower bound of a counter from 0 is no code.
// CHECK-LABEL: @loop
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<f16>, %[[M:[a-z0-9]+]]: i64, %[[K:[a-z0-9]+]]: i64, %[[N:.*]]: i32)
// CHECK: scf.for {{.*}} iter_args(%[[OFF:.*]] = %c0_i64) -> (i64)
// CHECK: %[[LEFT:.*]] = arith.subi %[[K]], %[[OFF]]
// CHECK: %[[MIN:.*]] = arith.minsi %[[LEFT]], %c32_i64
// CHECK: %[[HI:.*]] = arith.maxsi %[[MIN]], %c0_i64
// CHECK: %[[Q:.*]] = tt.addptr %[[P]], %[[OFF]] : !tt.ptr<f16>, i64
// CHECK: dl.load %[[Q]] strides[%[[K]], %c1_i64] lo[%c0_i64, %c0_i64] hi[%{{.*}}, %[[HI]]] other(%{{.*}} : f16) {arg = 0 : i64} : !tt.ptr<f16> -> tensor<16x32xf16>
// CHECK: arith.addi %[[OFF]], %c32_i64
func.func @loop(%p: !tt.ptr<f16>, %M: i64, %K: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %one = arith.constant 1 : i64
  %t = tt.make_tensor_ptr %p, [%M, %K], [%K, %one], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x32xf16>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %t) -> (!tt.ptr<tensor<16x32xf16>>)  : i32 {
    %v = tt.load %b {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<16x32xf16>>
    "test.use"(%v) : (tensor<16x32xf16>) -> ()
    %next = tt.advance %b, [%c0, %c32] : <tensor<16x32xf16>>
    scf.yield %next : !tt.ptr<tensor<16x32xf16>>
  }
  return
}

// -----
// No check: no bounds. An offset that may be negative keeps its lower bound when it is checked.
// CHECK-LABEL: @plain
// CHECK: dl.store %{{.*}} lo[%c0_i64] hi[%c64_i64]
// CHECK: dl.store %{{.*}} lo[%{{[0-9]+}}] hi[%{{[0-9]+}}]
func.func @plain(%p: !tt.ptr<f32>, %n: i64, %o: i32, %v: tensor<64xf32>) {
  %one = arith.constant 1 : i64
  %t = tt.make_tensor_ptr %p, [%n], [%one], [%o] {order = array<i32: 0>} : <tensor<64xf32>>
  tt.store %t, %v : !tt.ptr<tensor<64xf32>>
  tt.store %t, %v {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
  return
}

// -----
func.func @chosen(%p: !tt.ptr<f32>, %n: i64, %c: i1, %v: tensor<64xf32>) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %a = tt.make_tensor_ptr %p, [%n], [%one], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  %b = tt.make_tensor_ptr %p, [%one], [%one], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  %t = arith.select %c, %a, %b : !tt.ptr<tensor<64xf32>>
  // expected-error @+1 {{tt.store through a block pointer that is not made by tt.make_tensor_ptr and tt.advance}}
  tt.store %t, %v : !tt.ptr<tensor<64xf32>>
  return
}
