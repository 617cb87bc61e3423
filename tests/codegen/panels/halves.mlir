// A sum that fills L0C: the loop runs at least once, and its last iteration stores the sum. dl-to-npu computes and stores halves of its columns.
// RUN: dl-opt %s --dl-panels=steps=4 --canonicalize | FileCheck %s
// RUN: dl-opt %s --dl-panels=steps=4 --canonicalize --dl-to-npu --canonicalize --cse --npu-multibuffer | FileCheck %s --check-prefix=NPU

// CHECK-LABEL: tt.func public @fills
// CHECK: dl.acc_init zero_if %false {dl.halves} : tensor<128x256xf32>
// CHECK: %[[END:.*]] = arith.maxsi %arg4, %c1_i32
// CHECK: scf.for %[[K:.*]] = %c0_i32 to %[[END]] step %c256_i32
// CHECK: %[[NEXT:.*]] = arith.addi %[[K]], %c256_i32
// CHECK: %[[LAST:.*]] = arith.cmpi sge, %[[NEXT]], %[[END]]
// CHECK: %[[LEFT:.*]] = arith.maxsi %{{.*}}, %c0_i64
// CHECK: %[[SUM:.*]] = dl.dot {{.*}} depth %{{.*}} {dl.depth_unit = 64 : i64, dl.halves, dl.may_be_empty, k_step = 128 : i64}
// CHECK: scf.if %[[LAST]] {
// CHECK-NEXT: dl.fixpipe %[[SUM]], %arg2
// CHECK: {dl.halves}

// NPU-LABEL: func.func @fills
// NPU: %[[ACC:.*]] = npu.alloc {npu.parts = 2 : i64, slots = 2 : i64} : memref<128x128xf32, #npu.space<l0c>>
// NPU: scf.for %{{.*}} step %c256_i32
// NPU: scf.for %[[H:[a-z0-9]+]] = %c0_i64 to %c2_i64 step %c1_i64 iter_args(%[[TURN:[a-z0-9]+]] = {{.*}})
// NPU: %[[HALF:.*]] = npu.slot %[[ACC]][%[[TURN]]]
// NPU: %[[COLUMN:.*]] = arith.muli %[[H]], %c128_i64
// NPU: npu.clear_acc %[[HALF]] size(%c128_i64, %c128_i64)
// NPU: scf.for
// NPU: npu.load_l0b {{.*}}, %[[COLUMN]]] size
// NPU: npu.mmad %[[HALF]]
// NPU: scf.if
// NPU: npu.fixpipe %[[HALF]][%c0_i64, %c0_i64]
tt.func public @fills(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f16>, %n: i64, %k: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %i0 = arith.constant 0 : i32
  %i64 = arith.constant 64 : i32
  %c64 = arith.constant 64 : i64
  %c128 = arith.constant 128 : i64
  %c256 = arith.constant 256 : i64
  %empty = arith.cmpi sle, %k, %i0 : i32
  %start = dl.acc_init zero_if %empty : tensor<128x256xf32>
  %acc = scf.for %i = %i0 to %k step %i64 iter_args(%c = %start) -> tensor<128x256xf32> : i32 {
    %at = arith.extsi %i : i32 to i64
    %a = tt.addptr %pa, %at : !tt.ptr<f16>, i64
    %row = arith.muli %at, %n : i64
    %b = tt.addptr %pb, %row : !tt.ptr<f16>, i64
    %va = dl.load %a strides[%n, %c1] lo[%c0, %c0] hi[%c128, %c64] : !tt.ptr<f16> -> tensor<128x64xf16>
    %vb = dl.load %b strides[%n, %c1] lo[%c0, %c0] hi[%c64, %c256] : !tt.ptr<f16> -> tensor<64x256xf16>
    %first = arith.cmpi eq, %i, %i0 : i32
    %d = dl.dot %va, %vb, %c init %first {k_step = 64 : i64} : tensor<128x64xf16>, tensor<64x256xf16> -> tensor<128x256xf32>
    scf.yield %d : tensor<128x256xf32>
  }
  dl.fixpipe %acc, %pc strides[%n, %c1] lo[%c0, %c0] hi[%c128, %c256] as f16 : tensor<128x256xf32>, !tt.ptr<f16>
  tt.return
}

// Two accumulators of 128 x 128 fit L0C: the store stays behind the loop.
// CHECK-LABEL: tt.func public @fits_twice
// CHECK-NOT: halves
// CHECK: dl.fixpipe
// CHECK-NEXT: tt.return
tt.func public @fits_twice(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f16>, %n: i64, %k: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %i0 = arith.constant 0 : i32
  %i64 = arith.constant 64 : i32
  %c64 = arith.constant 64 : i64
  %c128 = arith.constant 128 : i64
  %false = arith.constant false
  %start = dl.acc_init zero_if %false : tensor<128x128xf32>
  %acc = scf.for %i = %i0 to %k step %i64 iter_args(%c = %start) -> tensor<128x128xf32> : i32 {
    %at = arith.extsi %i : i32 to i64
    %a = tt.addptr %pa, %at : !tt.ptr<f16>, i64
    %row = arith.muli %at, %n : i64
    %b = tt.addptr %pb, %row : !tt.ptr<f16>, i64
    %va = dl.load %a strides[%n, %c1] lo[%c0, %c0] hi[%c128, %c64] : !tt.ptr<f16> -> tensor<128x64xf16>
    %vb = dl.load %b strides[%n, %c1] lo[%c0, %c0] hi[%c64, %c128] : !tt.ptr<f16> -> tensor<64x128xf16>
    %first = arith.cmpi eq, %i, %i0 : i32
    %d = dl.dot %va, %vb, %c init %first {k_step = 64 : i64} : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  dl.fixpipe %acc, %pc strides[%n, %c1] lo[%c0, %c0] hi[%c128, %c128] as f16 : tensor<128x128xf32>, !tt.ptr<f16>
  tt.return
}
