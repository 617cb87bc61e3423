// RUN: dl-opt --allow-unregistered-dialect --dl-access-stage %s | FileCheck %s

// Two dimensions with run-time stride; both dimensions masked; a hint is kept.
// CHECK-LABEL: @tile
// CHECK-SAME: %[[STRIDE:[a-z0-9]+]]: i32, %[[M:[a-z0-9]+]]: i32, %[[N:[a-z0-9]+]]: i32
// CHECK-DAG: %[[S:.*]] = arith.extsi %[[STRIDE]]
// CHECK-DAG: arith.extsi %[[M]]
// CHECK-DAG: arith.extsi %[[N]]
// CHECK: dl.load %{{.*}} strides[%[[S]], %c1_i64] lo[%c0_i64, %c0_i64] hi[%{{.*}}, %{{.*}}] other(%{{.*}} : f16) {arg = 0 : i64, hints = {dot_pad_only_k, evict = "evict_last"}} : !tt.ptr<f16> -> tensor<16x32xf16>
// Transposed view of the same memory.
// CHECK: dl.load %{{.*}} strides[%c1_i64, %[[S]]] {{.*}} -> tensor<16x32xf16>
func.func @tile(%p: !tt.ptr<f16>, %stride: i32, %M: i32, %N: i32) {
  %rm = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %rn = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %m1 = tt.expand_dims %rm {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %n1 = tt.expand_dims %rn {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %s = tt.splat %stride : i32 -> tensor<16x1xi32>
  %row = arith.muli %m1, %s : tensor<16x1xi32>
  %row2 = tt.broadcast %row : tensor<16x1xi32> -> tensor<16x32xi32>
  %col2 = tt.broadcast %n1 : tensor<1x32xi32> -> tensor<16x32xi32>
  %off = arith.addi %row2, %col2 : tensor<16x32xi32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<16x32x!tt.ptr<f16>>
  %q = tt.addptr %ps, %off : tensor<16x32x!tt.ptr<f16>>, tensor<16x32xi32>
  %Ms = tt.splat %M : i32 -> tensor<16x1xi32>
  %Ns = tt.splat %N : i32 -> tensor<1x32xi32>
  %ma = arith.cmpi slt, %m1, %Ms : tensor<16x1xi32>
  %mb = arith.cmpi slt, %n1, %Ns : tensor<1x32xi32>
  %ma2 = tt.broadcast %ma : tensor<16x1xi1> -> tensor<16x32xi1>
  %mb2 = tt.broadcast %mb : tensor<1x32xi1> -> tensor<16x32xi1>
  %mask = arith.andi %ma2, %mb2 : tensor<16x32xi1>
  %v = tt.load %q, %mask evictionPolicy = evict_last {dot_pad_only_k} : tensor<16x32x!tt.ptr<f16>>
  %s2 = tt.splat %stride : i32 -> tensor<1x32xi32>
  %colT = arith.muli %n1, %s2 : tensor<1x32xi32>
  %colT2 = tt.broadcast %colT : tensor<1x32xi32> -> tensor<16x32xi32>
  %rowT2 = tt.broadcast %m1 : tensor<16x1xi32> -> tensor<16x32xi32>
  %offT = arith.addi %rowT2, %colT2 : tensor<16x32xi32>
  %qT = tt.addptr %ps, %offT : tensor<16x32x!tt.ptr<f16>>, tensor<16x32xi32>
  %w = tt.load %qT : tensor<16x32x!tt.ptr<f16>>
  "test.use"(%v, %w) : (tensor<16x32xf16>, tensor<16x32xf16>) -> ()
  return
}

// Range modulo a scalar: the wrapped dimension keeps its start out of the base.
// CHECK-LABEL: @wrap
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<f16>, %[[START:.*]]: i32, %[[M:.*]]: i32)
// CHECK-DAG: %[[S:.*]] = arith.extsi %[[START]]
// CHECK-DAG: %[[ML:.*]] = arith.extsi %[[M]]
// CHECK: dl.load %[[P]] strides[%c1_i64] {{.*}} wrap(%[[S]] mod %[[ML]]) {arg = 0 : i64, wrap_dim = 0 : i64}
func.func @wrap(%p: !tt.ptr<f16>, %start: i32, %M: i32) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %s = tt.splat %start : i32 -> tensor<16xi32>
  %a = arith.addi %s, %r : tensor<16xi32>
  %Ms = tt.splat %M : i32 -> tensor<16xi32>
  %b = arith.remsi %a, %Ms : tensor<16xi32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<16x!tt.ptr<f16>>
  %q = tt.addptr %ps, %b : tensor<16x!tt.ptr<f16>>, tensor<16xi32>
  %v = tt.load %q : tensor<16x!tt.ptr<f16>>
  "test.use"(%v) : (tensor<16xf16>) -> ()
  return
}

// No copy wraps around where no dimension is contiguous.
// CHECK-LABEL: @wrap_strided
// CHECK: dl.gather {{.*}} walk [0]
func.func @wrap_strided(%p: !tt.ptr<f16>, %start: i32, %M: i32) {
  %c8 = arith.constant dense<8> : tensor<16xi32>
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %s = tt.splat %start : i32 -> tensor<16xi32>
  %a = arith.addi %s, %r : tensor<16xi32>
  %Ms = tt.splat %M : i32 -> tensor<16xi32>
  %b = arith.remsi %a, %Ms : tensor<16xi32>
  %c = arith.muli %b, %c8 : tensor<16xi32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<16x!tt.ptr<f16>>
  %q = tt.addptr %ps, %c : tensor<16x!tt.ptr<f16>>, tensor<16xi32>
  %v = tt.load %q : tensor<16x!tt.ptr<f16>>
  "test.use"(%v) : (tensor<16xf16>) -> ()
  return
}

// A dimension that the address does not depend on is loaded once.
// CHECK-LABEL: @broadcast
// CHECK: %[[ROW:.*]] = dl.load %{{.*}} strides[%c0_i64, %c1_i64] lo[%c0_i64, %c0_i64] hi[%c1_i64, %c32_i64] {arg = 0 : i64} : !tt.ptr<f16> -> tensor<1x32xf16>
// CHECK: tt.broadcast %[[ROW]] : tensor<1x32xf16> -> tensor<16x32xf16>
func.func @broadcast(%p: !tt.ptr<f16>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %e = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %b = tt.broadcast %e : tensor<1x32xi32> -> tensor<16x32xi32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<16x32x!tt.ptr<f16>>
  %q = tt.addptr %ps, %b : tensor<16x32x!tt.ptr<f16>>, tensor<16x32xi32>
  %v = tt.load %q : tensor<16x32x!tt.ptr<f16>>
  "test.use"(%v) : (tensor<16x32xf16>) -> ()
  return
}

// Scalar arithmetic on whole tensors (here a quotient) is done once, on scalars.
// CHECK-LABEL: @uniform
// CHECK-SAME: %[[A:[a-z0-9]+]]: i32, %[[B:[a-z0-9]+]]: i32
// CHECK-DAG: %[[AL:.*]] = arith.extsi %[[A]]
// CHECK-DAG: %[[BL:.*]] = arith.extsi %[[B]]
// CHECK: %[[D:.*]] = arith.divsi %[[AL]], %[[BL]] : i64
// CHECK: tt.addptr %{{.*}}, %[[D]]
func.func @uniform(%p: !tt.ptr<f16>, %a: i32, %b: i32) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %as = tt.splat %a : i32 -> tensor<32xi32>
  %bs = tt.splat %b : i32 -> tensor<32xi32>
  %d = arith.divsi %as, %bs : tensor<32xi32>
  %o = arith.addi %d, %r : tensor<32xi32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<32x!tt.ptr<f16>>
  %q = tt.addptr %ps, %o : tensor<32x!tt.ptr<f16>>, tensor<32xi32>
  %v = tt.load %q : tensor<32x!tt.ptr<f16>>
  "test.use"(%v) : (tensor<32xf16>) -> ()
  return
}
