// The result of a product that vector code reads: the cube side writes it to the workspace, each vector core loads
// its half of the rows; what the fixpipe can store stays on the cube side.
// RUN: dl-opt %s --dl-split | FileCheck %s
// RUN: dl-opt %s --dl-split --dl-dot --dl-to-npu | FileCheck %s --check-prefix=NPU

// CHECK-LABEL: func.func @exp_of_product(
// CHECK-SAME: attributes {npu.workspace_bytes = 4096 : i64}
// CHECK: %[[D:.*]] = tt.dot
// CHECK: npu.cross_wait fix id 0
// CHECK: %[[W:.*]] = npu.workspace
// CHECK: dl.store %[[D]], %[[W]] {{.*}} {arg = 3 : i64}
// CHECK-NEXT: npu.cross_set fix id 0
// CHECK: arith.truncf %[[D]]
// CHECK: dl.store
// CHECK-NOT: dl.store
// CHECK: npu.cross_wait fix id 0
// CHECK-NEXT: return

// CHECK-LABEL: func.func @exp_of_product.aiv(
// CHECK-SAME: attributes {npu.vector_cores = 2 : i64, npu.workspace_bytes = 4096 : i64}
// CHECK: npu.sub_core
// CHECK: npu.cross_set mte2 id 0
// CHECK-NOT: tt.dot
// CHECK: npu.cross_wait mte2 id 0
// CHECK: %[[V:.*]] = dl.load {{.*}} {arg = 3 : i64} : i64 -> tensor<16x32xf32>
// CHECK: npu.cross_set mte2 id 0
// CHECK: %[[E:.*]] = math.exp %[[V]] : tensor<16x32xf32>
// CHECK: dl.store %[[E]]
// CHECK-NOT: dl.store
// CHECK: return

// NPU-LABEL: func.func @exp_of_product(
// NPU-SAME: npu.kind = "aic"
// NPU: npu.cross_wait fix id 0
// NPU: npu.fixpipe
// NPU-NEXT: npu.cross_set fix id 0
// NPU-LABEL: func.func @exp_of_product.aiv(
// NPU-SAME: npu.kind = "aiv"
// NPU: npu.cross_wait mte2 id 0
// NPU: npu.copy_in
// NPU-NEXT: npu.cross_set mte2 id 0
// NPU: npu.vunary exp
func.func @exp_of_product(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %ph: !tt.ptr<f16>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %d = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %h = arith.truncf %d : tensor<32x32xf32> to tensor<32x32xf16>
  dl.store %h, %ph strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf16>, !tt.ptr<f16>
  %e = math.exp %d : tensor<32x32xf32>
  dl.store %e, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  return
}

// A kernel for the cube alone is left as it is.
// CHECK-LABEL: func.func @cube_only(
// CHECK-NOT: npu.
// CHECK-NOT: func.func @cube_only.aiv
func.func @cube_only(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %d = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  dl.store %d, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  return
}

// Scores times a scalar: the cube side scales them on the way out.
// CHECK-LABEL: func.func @scaled_product(
// CHECK: %[[D:.*]] = tt.dot
// CHECK: %[[S:.*]] = arith.mulf %[[D]],
// CHECK: npu.cross_wait fix id 0
// CHECK: dl.store %[[S]],
// CHECK-LABEL: func.func @scaled_product.aiv(
// CHECK-NOT: arith.mulf
// CHECK: math.exp
// NPU-LABEL: func.func @scaled_product(
// NPU: npu.fixpipe {{.*}} scale %arg2 as f32
// NPU-LABEL: func.func @scaled_product.aiv(
// NPU-NOT: muls
// NPU: npu.vunary exp
func.func @scaled_product(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %alpha: f32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %d = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %s = tt.splat %alpha : f32 -> tensor<32x32xf32>
  %m = arith.mulf %d, %s : tensor<32x32xf32>
  %e = math.exp %m : tensor<32x32xf32>
  dl.store %e, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  return
}

// A scalar that comes from a tensor is the vector side's: it scales itself.
// CHECK-LABEL: func.func @by_a_sum(
// CHECK-NOT: arith.mulf
// CHECK-LABEL: func.func @by_a_sum.aiv(
// CHECK: arith.mulf {{.*}} tensor<16x32xf32>
func.func @by_a_sum(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %pl: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %l = dl.load %pl strides[%c1] lo[%c0] hi[%c32] : !tt.ptr<f32> -> tensor<32xf32>
  %sum = "tt.reduce"(%l) <{axis = 0 : i32}> ({
  ^bb0(%u: f32, %v: f32):
    %w = arith.addf %u, %v : f32
    tt.reduce.return %w : f32
  }) : (tensor<32xf32>) -> f32
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %d = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %s = tt.splat %sum : f32 -> tensor<32x32xf32>
  %m = arith.mulf %d, %s : tensor<32x32xf32>
  dl.store %m, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  return
}
