// RUN: not dl-opt %s --dl-panels=steps=many 2>&1 | FileCheck %s --check-prefix=STEPS
// RUN: dl-opt %s --verify-diagnostics --dl-to-npu
// STEPS: steps 'many': not auto, off or 1 to

// A sum in halves is stored where dl-panels puts the store, in the last iteration.
tt.func public @elsewhere(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %n: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %c128 = arith.constant 128 : i64
  %c256 = arith.constant 256 : i64
  %true = arith.constant true
  %false = arith.constant false
  %start = dl.acc_init zero_if %false {dl.halves} : tensor<128x256xf32>
  %va = dl.load %pa strides[%n, %c1] lo[%c0, %c0] hi[%c128, %c64] : !tt.ptr<f16> -> tensor<128x64xf16>
  %vb = dl.load %pa strides[%n, %c1] lo[%c0, %c0] hi[%c64, %c256] : !tt.ptr<f16> -> tensor<64x256xf16>
  // expected-error @below {{dl.dot: the store of a sum in halves is not where dl-panels put it}}
  %d = dl.dot %va, %vb, %start init %true {dl.halves, k_step = 64 : i64} : tensor<128x64xf16>, tensor<64x256xf16> -> tensor<128x256xf32>
  dl.fixpipe %d, %pc strides[%n, %c1] lo[%c0, %c0] hi[%c128, %c256] as f32 : tensor<128x256xf32>, !tt.ptr<f32>
  tt.return
}
