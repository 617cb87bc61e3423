// Cross-core flags: there are 11. Channels that are never under way together share one.
// RUN: dl-opt %s --split-input-file --dl-split --dl-cv-pipeline --verify-diagnostics | FileCheck %s
// RUN: dl-opt %s --split-input-file --dl-split --dl-cv-pipeline=depth=1 | FileCheck %s --check-prefix=ONE

// Both sides come to the ends in the same order: the first flag serves two tensors, one after the other, with one token.
// CHECK-LABEL: func.func @in_step(
// CHECK: npu.cross_set fix id 0
// CHECK: npu.cross_set fix id 0
// CHECK: npu.cross_set fix id 10
// CHECK-NOT: id 11
// CHECK-LABEL: func.func @in_step.aiv(
// CHECK-COUNT-1: npu.cross_set mte2 id 0
// CHECK-NOT: id 11
func.func @in_step(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %d0 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %e0 = math.exp %d0 : tensor<32x32xf32>
  dl.store %e0, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  %d1 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %e1 = math.exp %d1 : tensor<32x32xf32>
  dl.store %e1, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  %d2 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %e2 = math.exp %d2 : tensor<32x32xf32>
  dl.store %e2, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  %d3 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %e3 = math.exp %d3 : tensor<32x32xf32>
  dl.store %e3, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  %d4 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %e4 = math.exp %d4 : tensor<32x32xf32>
  dl.store %e4, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  %d5 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %e5 = math.exp %d5 : tensor<32x32xf32>
  dl.store %e5, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  %d6 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %e6 = math.exp %d6 : tensor<32x32xf32>
  dl.store %e6, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  %d7 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %e7 = math.exp %d7 : tensor<32x32xf32>
  dl.store %e7, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  %d8 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %e8 = math.exp %d8 : tensor<32x32xf32>
  dl.store %e8, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  %d9 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %e9 = math.exp %d9 : tensor<32x32xf32>
  dl.store %e9, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  %d10 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %e10 = math.exp %d10 : tensor<32x32xf32>
  dl.store %e10, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  %d11 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %e11 = math.exp %d11 : tensor<32x32xf32>
  dl.store %e11, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  return
}

// -----

// Two loops, one after the other: 7 tensors cross in each, and the second one's go under the first one's flags. Places in
// the workspace stay apart (14 x 4096 bytes, three slots each).
// CHECK-LABEL: func.func @loops(
// CHECK-SAME: npu.workspace_bytes = 172032
// CHECK: scf.for
// CHECK: npu.cross_set fix id 0
// CHECK: scf.for
// CHECK: npu.cross_set fix id 0
// CHECK-NOT: id 11
// CHECK-LABEL: func.func @loops.aiv(
// CHECK-COUNT-3: npu.cross_set mte2 id 0
// CHECK: scf.for
// CHECK: npu.cross_wait mte2 id 0
// CHECK: scf.for
// CHECK: npu.cross_wait mte2 id 0
func.func @loops(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %n: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  scf.for %i0 = %c0 to %n step %c1 : i64 {
    %d0 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e0 = math.exp %d0 : tensor<32x32xf32>
    dl.store %e0, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
    %d1 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e1 = math.exp %d1 : tensor<32x32xf32>
    dl.store %e1, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
    %d2 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e2 = math.exp %d2 : tensor<32x32xf32>
    dl.store %e2, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
    %d3 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e3 = math.exp %d3 : tensor<32x32xf32>
    dl.store %e3, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
    %d4 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e4 = math.exp %d4 : tensor<32x32xf32>
    dl.store %e4, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
    %d5 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e5 = math.exp %d5 : tensor<32x32xf32>
    dl.store %e5, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
    %d6 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e6 = math.exp %d6 : tensor<32x32xf32>
    dl.store %e6, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  }
  scf.for %i1 = %c0 to %n step %c1 : i64 {
    %d10 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e10 = math.exp %d10 : tensor<32x32xf32>
    dl.store %e10, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
    %d11 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e11 = math.exp %d11 : tensor<32x32xf32>
    dl.store %e11, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
    %d12 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e12 = math.exp %d12 : tensor<32x32xf32>
    dl.store %e12, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
    %d13 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e13 = math.exp %d13 : tensor<32x32xf32>
    dl.store %e13, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
    %d14 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e14 = math.exp %d14 : tensor<32x32xf32>
    dl.store %e14, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
    %d15 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e15 = math.exp %d15 : tensor<32x32xf32>
    dl.store %e15, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
    %d16 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e16 = math.exp %d16 : tensor<32x32xf32>
    dl.store %e16, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  }
  return
}

// -----

// In one loop that runs skewed all are under way at once. Without skew both sides go in step.
// ONE-LABEL: func.func @skewed(
// ONE-NOT: id 11
func.func @skewed(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %n: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  // expected-remark @below {{cv-pipeline: depth 3 in this loop}}
  scf.for %i = %c0 to %n step %c1 : i64 {
    // expected-error @below {{12 tensors cross between cube and vector code; those that are under way at the same time need a flag each, 12 in all, and there are 11; split the kernel, or compile it with --cv-pipeline=1}}
    %d0 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e0 = math.exp %d0 : tensor<32x32xf32>
    %p0 = arith.truncf %e0 : tensor<32x32xf32> to tensor<32x32xf16>
    %d0x = tt.dot %p0, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e0x = math.exp %d0x : tensor<32x32xf32>
    dl.store %e0x, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
    %d1 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e1 = math.exp %d1 : tensor<32x32xf32>
    %p1 = arith.truncf %e1 : tensor<32x32xf32> to tensor<32x32xf16>
    %d1x = tt.dot %p1, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e1x = math.exp %d1x : tensor<32x32xf32>
    dl.store %e1x, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
    %d2 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e2 = math.exp %d2 : tensor<32x32xf32>
    %p2 = arith.truncf %e2 : tensor<32x32xf32> to tensor<32x32xf16>
    %d2x = tt.dot %p2, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e2x = math.exp %d2x : tensor<32x32xf32>
    dl.store %e2x, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
    %d3 = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e3 = math.exp %d3 : tensor<32x32xf32>
    %p3 = arith.truncf %e3 : tensor<32x32xf32> to tensor<32x32xf16>
    %d3x = tt.dot %p3, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e3x = math.exp %d3x : tensor<32x32xf32>
    dl.store %e3x, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  }
  return
}
