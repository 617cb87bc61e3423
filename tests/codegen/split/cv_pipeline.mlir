// Cube and vector core work on different iterations of a loop that goes back and forth between them.
// RUN: dl-opt %s --split-input-file --dl-split --dl-cv-pipeline=depth=3 | FileCheck %s
// RUN: dl-opt %s --split-input-file --dl-split --dl-cv-pipeline=depth=1 | FileCheck %s --check-prefix=ONE
// RUN: dl-opt %s --split-input-file --dl-split --dl-cv-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not dl-opt %s --split-input-file --dl-cv-pipeline=depth=5 2>&1 | FileCheck %s --check-prefix=DEPTH
// DEPTH: depth '5': not 1 to 4 or auto

// Depth 1 is what dl-split made.
// ONE-LABEL: func.func @chained(
// ONE-SAME: npu.workspace_bytes = 10240 : i64
// ONE-COUNT-1: scf.for
// ONE-NOT: scf.for
// ONE-LABEL: func.func @chained.aiv(
// ONE-COUNT-1: scf.for
// ONE-NOT: scf.for
// ONE: func.func @recurrence(

// The cube begins an iteration: it runs three scores ahead. Three places in turn, a token each.
// CHECK-LABEL: func.func @chained(
// CHECK-SAME: npu.workspace_bytes = 30720 : i64
// CHECK-COUNT-3: npu.cross_set mte2 id 2
// CHECK: %[[N:.*]] = arith.maxsi
// CHECK: %[[AHEAD:.*]] = arith.minsi %[[N]], %c3_i64
// CHECK: %[[LEFT:.*]] = arith.subi %[[N]], %c3_i64
// CHECK: %[[BEHIND:.*]] = arith.maxsi %[[LEFT]], %c0_i64
// CHECK: %[[FIRST:.*]]:2 = scf.for %{{.*}} = %c0_i64 to %[[AHEAD]] step %c1_i64
// CHECK: tt.dot
// CHECK: dl.store {{.*}} {arg = 3 : i64}
// CHECK-NOT: tt.dot
// CHECK: } {dl.brief}
// Each stage has its own copy of what moves from iteration to iteration, the place and the row of the tile.
// CHECK: %[[BOTH:.*]]:4 = scf.for %{{.*}} = %c3_i64 to %[[N]] step %c1_i64 iter_args(%{{.*}} = %[[FIRST]]#0, %[[PLACE:.*]] = %[[FIRST]]#1, %[[PLACE2:.*]] = %c0_i64, %[[ROW2:.*]] = %c0_i64)
// CHECK: npu.cross_wait fix id 0
// CHECK: arith.addi %{{.*}}, %[[PLACE]] : i64
// CHECK: npu.cross_set fix id 0
// CHECK: dl.load %arg0 {{.*}} lo[%[[ROW2]], %c0_i64]
// CHECK: npu.cross_wait mte2 id 2
// CHECK: arith.addi %{{.*}}, %[[PLACE2]] : i64
// CHECK: npu.cross_set fix id 1
// CHECK: %[[UP:.*]] = arith.addi %[[PLACE2]], %c10240_i64
// CHECK: %[[END:.*]] = arith.cmpi eq, %[[UP]], %c30720_i64
// CHECK: arith.select %[[END]], %c0_i64, %[[UP]]
// CHECK: scf.for %{{.*}} = %[[BEHIND]] to %[[N]] step %c1_i64 iter_args(%{{.*}} = %[[BOTH]]#2, %{{.*}} = %[[BOTH]]#3)
// CHECK-NOT: fix id 0
// CHECK: } {dl.brief}
// CHECK-COUNT-3: npu.cross_wait fix id 0

// The vector core runs two ahead, and keeps the two factors of the iterations between.
// CHECK-LABEL: func.func @chained.aiv(
// CHECK: scf.for {{.*}} = %c0_i64 to %{{.*}} iter_args({{.*}}) -> (i64, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
// CHECK: %[[NEW:.*]] = arith.maxnumf {{.*}} : tensor<16xf32>
// CHECK: scf.yield %{{.*}}, %[[NEW]], %[[NEXT:.*]], %[[NEW]]
// CHECK: } {dl.brief}
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<16xf32>)
// CHECK: scf.for {{.*}} -> (i64, i64, tensor<16x32xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
// CHECK: dl.store {{.*}} {arg = 5 : i64}
// The broadcast is made where it is used.
// CHECK: npu.cross_set mte3 id 2
// CHECK: tt.broadcast
// CHECK: npu.cross_wait mte2 id 1
// CHECK: scf.for {{.*}} -> (i64, tensor<16x32xf32>, tensor<16xf32>)
// CHECK-NOT: math.exp
// CHECK: } {dl.brief}
// CHECK-COUNT-3: npu.cross_wait mte3 id 2
func.func @chained(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %n: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %ones = arith.constant dense<1.0> : tensor<32xf32>
  %q = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 0} : !tt.ptr<f16> -> tensor<32x32xf16>
  %r:3 = scf.for %i = %i0 to %n step %i1 iter_args(%acc = %zeros, %m = %ones, %at = %c0) -> (tensor<32x32xf32>, tensor<32xf32>, i64) : i32 {
    %k = dl.load %pa strides[%c32, %c1] lo[%at, %c0] hi[%c32, %c32] {arg = 0} : !tt.ptr<f16> -> tensor<32x32xf16>
    %s = tt.dot %q, %k, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e = math.exp %s : tensor<32x32xf32>
    %alpha = "tt.reduce"(%e) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %x = arith.maxnumf %a, %b : f32
      tt.reduce.return %x : f32
    }) : (tensor<32x32xf32>) -> tensor<32xf32>
    %new = arith.maxnumf %m, %alpha : tensor<32xf32>
    %p = arith.truncf %e : tensor<32x32xf32> to tensor<32x32xf16>
    %column = tt.expand_dims %new {axis = 1 : i32} : tensor<32xf32> -> tensor<32x1xf32>
    %all = tt.broadcast %column : tensor<32x1xf32> -> tensor<32x32xf32>
    %scaled = arith.mulf %acc, %all : tensor<32x32xf32>
    %o = tt.dot %p, %k, %scaled : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %next = arith.addi %at, %c1 : i64
    scf.yield %o, %new, %next : tensor<32x32xf32>, tensor<32xf32>, i64
  }
  dl.store %r#0, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 1} : tensor<32x32xf32>, !tt.ptr<f32>
  return
}

// -----

// The next scores need the last sum: the cores take turns.
// REMARK: remark: cv-pipeline: depth 3 in this loop
// REMARK: remark: cv-pipeline: depth 1 in this loop: {{.*}}: dl.load needs what the iteration before computed last
func.func @recurrence(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %n: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %half = arith.constant dense<0.5> : tensor<32x32xf16>
  %q = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 0} : !tt.ptr<f16> -> tensor<32x32xf16>
  %r = scf.for %i = %i0 to %n step %i1 iter_args(%state = %half) -> (tensor<32x32xf16>) : i32 {
    %s = tt.dot %state, %q, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e = math.exp %s : tensor<32x32xf32>
    %p = arith.truncf %e : tensor<32x32xf32> to tensor<32x32xf16>
    scf.yield %p : tensor<32x32xf16>
  }
  %wide = arith.extf %r : tensor<32x32xf16> to tensor<32x32xf32>
  dl.store %wide, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 1} : tensor<32x32xf32>, !tt.ptr<f32>
  return
}
