// RUN: dl-opt %s --dl-to-npu --canonicalize --cse | FileCheck %s

// B stored K x N becomes Nz of (k, n) and is transposed on the way to L0B; sub-tiles of 64 columns in a loop.
// CHECK-LABEL: func.func @matmul
// CHECK-SAME: attributes {npu.kind = "aic"}
// CHECK: %[[C:.*]] = npu.alloc : memref<128x256xf32, #npu.space<l0c>>
// CHECK: %[[A1:.*]] = npu.alloc : memref<128x256xf16, #npu.space<l1>>
// CHECK: scf.if
// CHECK-NEXT: npu.fill_l1 %[[A1]]
// CHECK: npu.nd2nz %[[A1]][%c0_i64, %c0_i64], %{{.*}} rows %c128_i64 cols %[[HK:.*]] stride
// CHECK: npu.nd2nz %[[B1:.*]][%c0_i64, %c0_i64], %{{.*}} rows %[[HK]] cols %c256_i64 stride
// CHECK: scf.for %[[K:.*]] = %c0_i64 to %c256_i64 step %c64_i64
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[K]], %c0_i64
// CHECK: %[[INIT:.*]] = arith.andi %{{.*}}, %[[FIRST]]
// CHECK: npu.load_l0a %[[A0:.*]], %[[A1]][%c0_i64, %[[K]]] size(%c128_i64, %c64_i64) :
// CHECK: npu.load_l0b %[[B0:.*]], %[[B1]][%[[K]], %c0_i64] size(%c64_i64, %c256_i64) {transpose}
// CHECK: npu.mmad %[[C]], %[[A0]], %[[B0]] size(%c128_i64, %c64_i64, %c256_i64) init %[[INIT]]
// CHECK: npu.fixpipe %[[C]][%c0_i64, %c0_i64], %{{.*}} rows %{{.*}} cols %c256_i64 stride %{{.*}} m %c128_i64 as f16 {arg = 2 : i64}
tt.func public @matmul(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f16>, %hk: i64, %hm: i64, %init: i1) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant 128 : i64
  %c256 = arith.constant 256 : i64
  %zero = arith.constant 0.0 : f16
  %false = arith.constant false
  %acc = dl.acc_init zero_if %false : tensor<128x256xf32>
  %a = dl.load %pa strides[%c256, %c1] lo[%c0, %c0] hi[%c128, %hk] other(%zero : f16) : !tt.ptr<f16> -> tensor<128x256xf16>
  %b = dl.load %pb strides[%c256, %c1] lo[%c0, %c0] hi[%hk, %c256] : !tt.ptr<f16> -> tensor<256x256xf16>
  %d = dl.dot %a, %b, %acc init %init {k_step = 64 : i64} : tensor<128x256xf16>, tensor<256x256xf16> -> tensor<128x256xf32>
  dl.fixpipe %d, %pc strides[%c256, %c1] lo[%c0, %c0] hi[%hm, %c256] as f16 : tensor<128x256xf32>, !tt.ptr<f16>
  tt.return
}

// Operands stored the other way round: memory order decides the layout in L1, the flags decide the transposes.
// CHECK-LABEL: func.func @transposed
// CHECK: npu.nd2nz %[[A1:.*]][%c0_i64, %c0_i64], {{.*}} : memref<32x64xf16, #npu.space<l1>>
// CHECK: npu.nd2nz %[[B1:.*]][%c0_i64, %c0_i64], {{.*}} : memref<128x32xf16, #npu.space<l1>>
// CHECK: npu.load_l0a %{{.*}}, %[[A1]][%c0_i64, %c0_i64] size(%c64_i64, %c32_i64) {transpose}
// CHECK: npu.load_l0b %{{.*}}, %[[B1]][%c0_i64, %c0_i64] size(%c32_i64, %c128_i64) : memref<32x128xf16
tt.func public @transposed(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %s: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %c128 = arith.constant 128 : i64
  %true = arith.constant true
  %false = arith.constant false
  %a = dl.load %pa strides[%c1, %s] lo[%c0, %c0] hi[%c64, %c32] : !tt.ptr<f16> -> tensor<64x32xf16>
  %b = dl.load %pb strides[%s, %c1] lo[%c0, %c0] hi[%c128, %c32] : !tt.ptr<f16> -> tensor<128x32xf16>
  %acc = dl.acc_init zero_if %false : tensor<64x128xf32>
  %d = dl.dot %a, %b, %acc init %true {k_step = 32 : i64, transpose_b} : tensor<64x32xf16>, tensor<128x32xf16> -> tensor<64x128xf32>
  dl.fixpipe %d, %pc strides[%s, %c1] lo[%c0, %c0] hi[%c64, %c128] as f32 : tensor<64x128xf32>, !tt.ptr<f32>
  tt.return
}

// An accumulator that must be zero although no dot clears it.
// CHECK-LABEL: func.func @cleared
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: npu.clear_acc %{{.*}} size(%c64_i64, %c128_i64)
// CHECK: npu.fixpipe
tt.func public @cleared(%pc: !tt.ptr<f32>, %s: i64, %zero: i1) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %c128 = arith.constant 128 : i64
  %acc = dl.acc_init zero_if %zero : tensor<64x128xf32>
  dl.fixpipe %acc, %pc strides[%s, %c1] lo[%c0, %c0] hi[%c64, %c128] as f32 : tensor<64x128xf32>, !tt.ptr<f32>
  tt.return
}

// Rows that wrap around: what follows a wrap first, under a condition that seldom holds, then the run up to the wrap.
// Columns: a run may begin inside a block, whose beginning the run before it then overwrites.
// CHECK-LABEL: func.func @wrapped
// CHECK: %[[FROM:.*]] = arith.remsi %[[START:.*]], %[[MOD:.*]] : i64
// CHECK: %[[ROOM:.*]] = arith.subi %[[MOD]], %[[FROM]]
// CHECK: %[[FIRST:.*]] = arith.minsi %[[ROOM]], %c64_i64
// CHECK: %[[WRAPS:.*]] = arith.cmpi slt, %[[FIRST]], %c64_i64
// CHECK: scf.if %[[WRAPS]] {
// CHECK: scf.for
// CHECK: npu.nd2nz %[[A:.*]][%{{.*}}, %c0_i64], %arg0 rows %{{.*}} cols %c32_i64
// CHECK: npu.nd2nz %[[A]][%c0_i64, %c0_i64], %{{.*}} rows %[[FIRST]] cols %c32_i64
// CHECK: scf.if %[[WRAPS]] {
// CHECK: scf.for
// CHECK: %[[INSIDE:.*]] = arith.remsi %[[TO:.*]], %c16_i64
// CHECK: npu.copy_in %[[B:.*]][%c0_i64, %[[TO]]], %arg1 rows %c32_i64 cols %[[HEAD:.*]] stride %{{.*}} left %[[INSIDE]] pad
// CHECK: %[[NEXT:.*]] = arith.addi %[[TO]], %[[HEAD]]
// CHECK: npu.nd2nz %[[B]][%c0_i64, %[[NEXT]]]
// CHECK: npu.nd2nz %[[B]][%c0_i64, %c0_i64], %{{.*}} rows %c32_i64 cols %[[FIRST]]
tt.func public @wrapped(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %s: i64, %start: i64, %mod: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %true = arith.constant true
  %false = arith.constant false
  %a = dl.load %pa strides[%s, %c1] lo[%c0, %c0] hi[%c64, %c32] wrap(%start mod %mod) {wrap_dim = 0 : i64} : !tt.ptr<f16> -> tensor<64x32xf16>
  %b = dl.load %pb strides[%s, %c1] lo[%c0, %c0] hi[%c32, %c64] wrap(%start mod %mod) {wrap_dim = 1 : i64} : !tt.ptr<f16> -> tensor<32x64xf16>
  %acc = dl.acc_init zero_if %false : tensor<64x64xf32>
  %d = dl.dot %a, %b, %acc init %true {k_step = 32 : i64} : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  dl.fixpipe %d, %pc strides[%s, %c1] lo[%c0, %c0] hi[%c64, %c64] as f32 : tensor<64x64xf32>, !tt.ptr<f32>
  tt.return
}
