// Products of large tiles piece by piece.
// RUN: dl-opt %s --split-input-file --dl-pieces --canonicalize | FileCheck %s

// Scores that fill L0C: two products, each with its columns of B and of the store, which is scaled and cut at %m columns.
// CHECK-LABEL: func.func @columns
// CHECK: %[[A:.*]] = dl.load %{{.*}} -> tensor<128x128xf16>
// CHECK: npu.cross_wait fix id 0
// CHECK: %[[B0:.*]] = dl.load %arg1 {{.*}} hi[%c128_i64, %c128_i64] {{.*}} -> tensor<128x128xf16>
// CHECK: %[[T0:.*]] = tt.trans %[[B0]]
// CHECK: %[[D0:.*]] = tt.dot %[[A]], %[[T0]], %{{.*}} {dl.straight}
// CHECK: %[[S0:.*]] = arith.mulf %[[D0]]
// CHECK: dl.store %[[S0]], %arg2 {{.*}} hi[%c128_i64, %{{.*}}] {{.*}} : tensor<128x128xf32>
// CHECK: %[[P1:.*]] = tt.addptr %arg1, %c16384_i64
// CHECK: dl.load %[[P1]] {{.*}} -> tensor<128x128xf16>
// CHECK: tt.dot
// CHECK: %[[O1:.*]] = tt.addptr %arg2, %c128_i64
// CHECK: %[[LEFT:.*]] = arith.subi %arg4, %c128_i64
// CHECK: %[[SOME:.*]] = arith.maxsi %[[LEFT]], %c0_i64
// CHECK: %[[MOST:.*]] = arith.minsi %[[SOME]], %c128_i64
// CHECK: dl.store %{{.*}}, %[[O1]] {{.*}} hi[%c128_i64, %[[MOST]]]
// CHECK-NEXT: npu.cross_set fix id 0
func.func @columns(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %po: !tt.ptr<f32>, %scale: f32, %m: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant 128 : i64
  %c256 = arith.constant 256 : i64
  %zeros = arith.constant dense<0.0> : tensor<128x256xf32>
  %a = dl.load %pa strides[%c128, %c1] lo[%c0, %c0] hi[%c128, %c128] {arg = 0 : i64} : !tt.ptr<f16> -> tensor<128x128xf16>
  %b = dl.load %pb strides[%c128, %c1] lo[%c0, %c0] hi[%c256, %c128] {arg = 1 : i64} : !tt.ptr<f16> -> tensor<256x128xf16>
  %t = tt.trans %b {order = array<i32: 1, 0>} : tensor<256x128xf16> -> tensor<128x256xf16>
  %d = tt.dot %a, %t, %zeros : tensor<128x128xf16> * tensor<128x256xf16> -> tensor<128x256xf32>
  %s = tt.splat %scale : f32 -> tensor<128x256xf32>
  %x = arith.mulf %d, %s : tensor<128x256xf32>
  npu.cross_wait fix id 0
  dl.store %x, %po strides[%c256, %c1] lo[%c0, %c0] hi[%c128, %m] {arg = 2 : i64} : tensor<128x256xf32>, !tt.ptr<f32>
  npu.cross_set fix id 0
  return
}

// -----

// A long sum in a loop: half of the terms at a time; the place of A is free when all of it has been loaded.
// CHECK-LABEL: func.func @terms
// CHECK: scf.for
// CHECK: npu.cross_wait mte2 id 0
// CHECK: %[[A0:.*]] = dl.load %{{.*}} -> tensor<128x256xf16>
// CHECK: %[[B0:.*]] = dl.load %{{.*}} -> tensor<256x128xf16>
// CHECK: %[[D0:.*]] = tt.dot %[[A0]], %[[B0]], %cst {dl.straight}
// CHECK: %[[A1:.*]] = dl.load %{{.*}} -> tensor<128x256xf16>
// CHECK: %[[B1:.*]] = dl.load %{{.*}} -> tensor<256x128xf16>
// CHECK-NEXT: npu.cross_set mte2 id 0
// CHECK: %[[D1:.*]] = tt.dot %[[A1]], %[[B1]], %[[D0]] {dl.straight}
// CHECK: dl.store %[[D1]]
func.func @terms(%pa: i64, %pb: !tt.ptr<f16>, %po: !tt.ptr<f32>, %n: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant 128 : i64
  %c512 = arith.constant 512 : i64
  %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
  scf.for %i = %c0 to %n step %c1 : i64 {
    npu.cross_wait mte2 id 0
    %a = dl.load %pa strides[%c512, %c1] lo[%c0, %c0] hi[%c128, %c512] {arg = 3 : i64} : i64 -> tensor<128x512xf16>
    npu.cross_set mte2 id 0
    %b = dl.load %pb strides[%c128, %c1] lo[%c0, %c0] hi[%c512, %c128] {arg = 1 : i64} : !tt.ptr<f16> -> tensor<512x128xf16>
    %d = tt.dot %a, %b, %zeros : tensor<128x512xf16> * tensor<512x128xf16> -> tensor<128x128xf32>
    dl.store %d, %po strides[%c128, %c1] lo[%c0, %c0] hi[%c128, %c128] {arg = 2 : i64} : tensor<128x128xf32>, !tt.ptr<f32>
  }
  return
}

// -----

// Left alone: what something else reads too, what is stored between to the same argument, small tiles.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-3: tt.dot
// CHECK-NOT: tt.dot
func.func @kept(%pa: !tt.ptr<f16>, %po: !tt.ptr<f32>, %ph: !tt.ptr<f16>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant 128 : i64
  %c256 = arith.constant 256 : i64
  %zeros = arith.constant dense<0.0> : tensor<128x256xf32>
  %few = arith.constant dense<0.0> : tensor<128x128xf32>
  %a = dl.load %pa strides[%c128, %c1] lo[%c0, %c0] hi[%c128, %c128] {arg = 0 : i64} : !tt.ptr<f16> -> tensor<128x128xf16>
  %b = dl.load %pa strides[%c256, %c1] lo[%c0, %c0] hi[%c128, %c256] {arg = 0 : i64} : !tt.ptr<f16> -> tensor<128x256xf16>
  %d = tt.dot %a, %b, %zeros : tensor<128x128xf16> * tensor<128x256xf16> -> tensor<128x256xf32>
  dl.store %d, %po strides[%c256, %c1] lo[%c0, %c0] hi[%c128, %c256] {arg = 1 : i64} : tensor<128x256xf32>, !tt.ptr<f32>
  %h = arith.truncf %d : tensor<128x256xf32> to tensor<128x256xf16>
  dl.store %h, %ph strides[%c256, %c1] lo[%c0, %c0] hi[%c128, %c256] {arg = 2 : i64} : tensor<128x256xf16>, !tt.ptr<f16>
  %b2 = dl.load %ph strides[%c256, %c1] lo[%c0, %c0] hi[%c128, %c256] {arg = 2 : i64} : !tt.ptr<f16> -> tensor<128x256xf16>
  dl.store %h, %ph strides[%c256, %c1] lo[%c0, %c0] hi[%c128, %c256] {arg = 2 : i64} : tensor<128x256xf16>, !tt.ptr<f16>
  %e = tt.dot %a, %b2, %zeros : tensor<128x128xf16> * tensor<128x256xf16> -> tensor<128x256xf32>
  dl.store %e, %po strides[%c256, %c1] lo[%c0, %c0] hi[%c128, %c256] {arg = 1 : i64} : tensor<128x256xf32>, !tt.ptr<f32>
  %f = tt.dot %a, %a, %few : tensor<128x128xf16> * tensor<128x128xf16> -> tensor<128x128xf32>
  dl.store %f, %po strides[%c128, %c1] lo[%c0, %c0] hi[%c128, %c128] {arg = 1 : i64} : tensor<128x128xf32>, !tt.ptr<f32>
  return
}

// -----

// Many rows: the longer side is halved, so that pieces are square. The left operand, loaded once for all turns, comes in two
// halves of its rows; each part of B is loaded once and read by both.
// CHECK-LABEL: func.func @rows
// CHECK-DAG: %[[Q0:.*]] = dl.load %arg0 {{.*}} -> tensor<128x128xf16>
// CHECK-DAG: %[[P1:.*]] = tt.addptr %arg0, %c16384_i64
// CHECK-DAG: %[[Q1:.*]] = dl.load %[[P1]] {{.*}} -> tensor<128x128xf16>
// CHECK: scf.for
// CHECK: %[[B0:.*]] = dl.load %arg1 {{.*}} -> tensor<128x128xf16>
// CHECK: tt.dot %[[Q0]], %[[B0]]
// CHECK: dl.store %{{.*}}, %arg2 {{.*}} : tensor<128x128xf32>
// CHECK: tt.dot %[[Q1]], %[[B0]]
// CHECK: %[[O1:.*]] = tt.addptr %arg2, %c32768_i64
// CHECK: dl.store %{{.*}}, %[[O1]] {{.*}} : tensor<128x128xf32>
// CHECK: %[[B1:.*]] = dl.load
// CHECK: tt.dot %[[Q0]], %[[B1]]
// CHECK: tt.dot %[[Q1]], %[[B1]]
// CHECK-NOT: dl.load
func.func @rows(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %po: !tt.ptr<f32>, %n: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant 128 : i64
  %c256 = arith.constant 256 : i64
  %zeros = arith.constant dense<0.0> : tensor<256x256xf32>
  %a = dl.load %pa strides[%c128, %c1] lo[%c0, %c0] hi[%c256, %c128] {arg = 0 : i64} : !tt.ptr<f16> -> tensor<256x128xf16>
  scf.for %i = %c0 to %n step %c1 : i64 {
    %b = dl.load %pb strides[%c256, %c1] lo[%c0, %c0] hi[%c128, %c256] {arg = 1 : i64} : !tt.ptr<f16> -> tensor<128x256xf16>
    %d = tt.dot %a, %b, %zeros : tensor<256x128xf16> * tensor<128x256xf16> -> tensor<256x256xf32>
    dl.store %d, %po strides[%c256, %c1] lo[%c0, %c0] hi[%c256, %c256] {arg = 2 : i64} : tensor<256x256xf32>, !tt.ptr<f32>
  }
  return
}

// -----

// Rows and terms: all of B comes first, and only then the wait for what the other core puts in A's place; B stays behind the wait
// where the kernel writes it.
// CHECK-LABEL: func.func @both
// CHECK: scf.for
// CHECK: %[[B0:.*]] = dl.load %arg1 {{.*}} -> tensor<256x128xf16>
// CHECK: %[[B1:.*]] = dl.load {{.*}} {arg = 1 : i64} {{.*}} -> tensor<256x128xf16>
// CHECK: npu.cross_wait mte2 id 0
// CHECK: %[[A00:.*]] = dl.load %arg0 {{.*}} -> tensor<128x256xf16>
// CHECK: %[[D0:.*]] = tt.dot %[[A00]], %[[B0]]
// CHECK: %[[A01:.*]] = dl.load
// CHECK: tt.dot %[[A01]], %[[B1]], %[[D0]]
// CHECK: dl.store
// CHECK: %[[A10:.*]] = dl.load
// CHECK: %[[D1:.*]] = tt.dot %[[A10]], %[[B0]]
// CHECK: %[[A11:.*]] = dl.load
// CHECK-NEXT: npu.cross_set mte2 id 0
// CHECK: tt.dot %[[A11]], %[[B1]], %[[D1]]
// CHECK: dl.store
// CHECK: npu.cross_wait mte2 id 1
// CHECK: dl.load %{{.*}} {arg = 2 : i64}
func.func @both(%pa: i64, %pb: !tt.ptr<f16>, %po: !tt.ptr<f32>, %ph: !tt.ptr<f16>, %n: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant 128 : i64
  %c256 = arith.constant 256 : i64
  %c512 = arith.constant 512 : i64
  %zeros = arith.constant dense<0.0> : tensor<256x128xf32>
  %half = arith.constant dense<0.0> : tensor<16x16xf16>
  scf.for %i = %c0 to %n step %c1 : i64 {
    npu.cross_wait mte2 id 0
    %a = dl.load %pa strides[%c512, %c1] lo[%c0, %c0] hi[%c256, %c512] {arg = 6 : i64} : i64 -> tensor<256x512xf16>
    npu.cross_set mte2 id 0
    %b = dl.load %pb strides[%c128, %c1] lo[%c0, %c0] hi[%c512, %c128] {arg = 1 : i64} : !tt.ptr<f16> -> tensor<512x128xf16>
    %d = tt.dot %a, %b, %zeros : tensor<256x512xf16> * tensor<512x128xf16> -> tensor<256x128xf32>
    dl.store %d, %po strides[%c128, %c1] lo[%c0, %c0] hi[%c256, %c128] {arg = 3 : i64} : tensor<256x128xf32>, !tt.ptr<f32>
  }
  dl.store %half, %ph strides[%c128, %c1] lo[%c0, %c0] hi[%c1, %c1] {arg = 2 : i64} : tensor<16x16xf16>, !tt.ptr<f16>
  scf.for %i = %c0 to %n step %c1 : i64 {
    npu.cross_wait mte2 id 1
    %a = dl.load %pa strides[%c512, %c1] lo[%c0, %c0] hi[%c256, %c512] {arg = 6 : i64} : i64 -> tensor<256x512xf16>
    npu.cross_set mte2 id 1
    %b = dl.load %ph strides[%c128, %c1] lo[%c0, %c0] hi[%c512, %c128] {arg = 2 : i64} : !tt.ptr<f16> -> tensor<512x128xf16>
    %d = tt.dot %a, %b, %zeros : tensor<256x512xf16> * tensor<512x128xf16> -> tensor<256x128xf32>
    dl.store %d, %po strides[%c128, %c1] lo[%c0, %c0] hi[%c256, %c128] {arg = 3 : i64} : tensor<256x128xf32>, !tt.ptr<f32>
  }
  return
}
