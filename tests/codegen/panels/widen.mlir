// RUN: dl-opt %s --split-input-file --dl-panels=steps=4 --canonicalize --mlir-print-debuginfo=false 2>/dev/null | FileCheck %s
// RUN: dl-opt %s --split-input-file --dl-panels=steps=off | FileCheck %s --check-prefix=OFF

// Four steps of 64 columns share a tile: rows of A are four times as long, B has four times as many rows. The end of K is masked.
// CHECK-LABEL: tt.func public @masked
// CHECK: scf.for %[[K:.*]] = %c0_i32 to %[[END:.*]] step %c256_i32 iter_args
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %{{.*}} : i64
// CHECK: %[[UP:.*]] = arith.addi %[[LEFT]], %c63_i64
// CHECK: %[[STEPS:.*]] = arith.divui %[[UP]], %c64_i64
// CHECK: %[[FEW:.*]] = arith.minsi %[[STEPS]], %c4_i64
// CHECK: %[[DEPTH:.*]] = arith.muli %[[FEW]], %c64_i64
// CHECK: %[[HI:.*]] = arith.maxsi %{{.*}}, %c0_i64
// CHECK: dl.load {{.*}} hi[%c128_i64, %[[HI]]] other{{.*}} -> tensor<128x256xf16>
// CHECK: dl.load {{.*}} -> tensor<256x128xf16>
// CHECK: dl.dot %{{.*}} init %{{.*}} depth %[[DEPTH]] {dl.depth_unit = 64 : i64, k_step = 128 : i64} : tensor<128x256xf16>, tensor<256x128xf16> -> tensor<128x128xf32>
// CHECK: } {dl.panel = 4 : i64}
// OFF-LABEL: tt.func public @masked
// OFF: tensor<128x64xf16>, tensor<64x128xf16>
// OFF-NOT: dl.panel
tt.func public @masked(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %k: i32, %n: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %i0 = arith.constant 0 : i32
  %i64 = arith.constant 64 : i32
  %c64 = arith.constant 64 : i64
  %c128 = arith.constant 128 : i64
  %false = arith.constant false
  %zero = arith.constant 0.0 : f16
  %k64 = arith.extsi %k : i32 to i64
  %start = dl.acc_init zero_if %false : tensor<128x128xf32>
  %acc = scf.for %i = %i0 to %k step %i64 iter_args(%c = %start) -> tensor<128x128xf32> : i32 {
    %at = arith.extsi %i : i32 to i64
    %a = tt.addptr %pa, %at : !tt.ptr<f16>, i64
    %row = arith.muli %at, %n : i64
    %b = tt.addptr %pb, %row : !tt.ptr<f16>, i64
    %left = arith.subi %k64, %at : i64
    %short = arith.minsi %left, %c64 : i64
    %hi = arith.maxsi %short, %c0 : i64
    %va = dl.load %a strides[%k64, %c1] lo[%c0, %c0] hi[%c128, %hi] other(%zero : f16) : !tt.ptr<f16> -> tensor<128x64xf16>
    %vb = dl.load %b strides[%n, %c1] lo[%c0, %c0] hi[%hi, %c128] other(%zero : f16) : !tt.ptr<f16> -> tensor<64x128xf16>
    %first = arith.cmpi eq, %i, %i0 : i32
    %d = dl.dot %va, %vb, %c init %first {k_step = 64 : i64} : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  dl.fixpipe %acc, %pc strides[%n, %c1] lo[%c0, %c0] hi[%c128, %c128] as f32 : tensor<128x128xf32>, !tt.ptr<f32>
  tt.return
}

// -----

// A number of steps that four divides needs no depth; carried addresses go four times as far; a transposed operand is widened along its own K.
// CHECK-LABEL: tt.func public @carried
// CHECK: scf.for %{{.*}} = %c0_i32 to %c16_i32 step %c4_i32 iter_args(%[[A:.*]] = %c0_i64, %{{.*}})
// CHECK: dl.load {{.*}} hi[%c32_i64, %c128_i64] : !tt.ptr<f16> -> tensor<32x128xf16>
// CHECK: dl.load {{.*}} hi[%c32_i64, %c128_i64] : !tt.ptr<f16> -> tensor<32x128xf16>
// CHECK-NOT: depth
// CHECK: transpose_b
// CHECK: arith.addi %[[A]], %c128_i64
tt.func public @carried(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %n: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i64
  %false = arith.constant false
  %start = dl.acc_init zero_if %false : tensor<32x32xf32>
  %all:2 = scf.for %i = %i0 to %i16 step %i1 iter_args(%at = %c0, %c = %start) -> (i64, tensor<32x32xf32>) : i32 {
    %a = tt.addptr %pa, %at : !tt.ptr<f16>, i64
    %b = tt.addptr %pb, %at : !tt.ptr<f16>, i64
    %va = dl.load %a strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
    %vb = dl.load %b strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
    %first = arith.cmpi eq, %i, %i0 : i32
    %d = dl.dot %va, %vb, %c init %first {k_step = 32 : i64, transpose_b} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    %next = arith.addi %at, %c32 : i64
    scf.yield %next, %d : i64, tensor<32x32xf32>
  }
  dl.fixpipe %all#1, %pc strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] as f32 : tensor<32x32xf32>, !tt.ptr<f32>
  tt.return
}
