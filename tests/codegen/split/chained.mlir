// Products chained through vector code in a loop, with an accumulator that vector code scales.
// RUN: dl-opt %s --dl-split | FileCheck %s

// CHECK-LABEL: func.func @chained(
// CHECK-SAME: npu.workspace_bytes = 10240 : i64
// CHECK: npu.cross_set mte2 id 2
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: %[[S:.*]] = tt.dot
// CHECK: npu.cross_wait fix id 0
// CHECK: dl.store %[[S]]
// CHECK: npu.cross_set fix id 0
// CHECK-NOT: math.exp
// CHECK: npu.cross_wait mte2 id 2
// CHECK: %[[P:.*]] = dl.load {{.*}} -> tensor<32x32xf16>
// CHECK: npu.cross_set mte2 id 2
// CHECK: %[[O:.*]] = tt.dot %[[P]], {{.*}}, %cst
// CHECK: npu.cross_wait fix id 1
// CHECK: dl.store %[[O]]
// CHECK: npu.cross_set fix id 1
// CHECK: }
// CHECK-DAG: npu.cross_wait fix id 0
// CHECK-DAG: npu.cross_wait fix id 1
// CHECK: return

// CHECK-LABEL: func.func @chained.aiv(
// CHECK-NOT: tt.dot
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = {{.*}}) -> (tensor<16x32xf32>)
// CHECK: npu.cross_wait mte2 id 0
// CHECK: dl.load
// CHECK: npu.cross_set mte2 id 0
// CHECK: math.exp
// CHECK: npu.cross_wait mte3 id 2
// CHECK: dl.store {{.*}} : tensor<16x32xf16>
// CHECK: npu.cross_set mte3 id 2
// CHECK: npu.cross_wait mte2 id 1
// CHECK: %[[PV:.*]] = dl.load
// CHECK: npu.cross_set mte2 id 1
// CHECK: %[[SUM:.*]] = arith.addf %[[PV]], {{.*}} : tensor<16x32xf32>
// CHECK: scf.yield %[[SUM]]
// CHECK: dl.store {{.*}} : tensor<16x32xf32>
// CHECK: npu.cross_wait mte3 id 2
func.func @chained(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %n: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %half = arith.constant dense<0.5> : tensor<32x32xf32>
  %q = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %r = scf.for %i = %i0 to %n step %i1 iter_args(%acc = %zeros) -> (tensor<32x32xf32>) : i32 {
    %s = tt.dot %q, %q, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e = math.exp %s : tensor<32x32xf32>
    %p = arith.truncf %e : tensor<32x32xf32> to tensor<32x32xf16>
    %scaled = arith.mulf %acc, %half : tensor<32x32xf32>
    %o = tt.dot %p, %q, %scaled : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %o : tensor<32x32xf32>
  }
  dl.store %r, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  return
}
