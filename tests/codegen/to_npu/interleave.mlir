// RUN: dl-opt %s --split-input-file --dl-to-npu | FileCheck %s
// RUN: dl-opt %s --split-input-file --dl-to-npu=coalesce=off | FileCheck %s --check-prefix=OFF

// Pairs of 16 bits are words: shifts, no v.gather.
// CHECK-LABEL: @halves
// CHECK: npu.vscalar shrs
// CHECK: npu.vcast
// CHECK: npu.vscalar shls
// CHECK: npu.vbinary or %{{.*}} : memref<2048xf16
// CHECK-NOT: npu.vgather
// OFF-LABEL: @halves
// OFF-NOT: npu.vbinary
// OFF: npu.load_scalar
tt.func public @halves(%x: !tt.ptr<f16>, %o: !tt.ptr<f16>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 2048 : i64
  %a = dl.load %x strides[%c1] lo[%c0] hi[%n] : !tt.ptr<f16> -> tensor<2048xf16>
  %e = dl.deinterleave %a[0 of 2] : tensor<2048xf16> -> tensor<1024xf16>
  %d = dl.deinterleave %a[1 of 2] : tensor<2048xf16> -> tensor<1024xf16>
  %w = dl.interleave %d, %e : tensor<1024xf16>, tensor<1024xf16> -> tensor<2048xf16>
  dl.store %w, %o strides[%c1] lo[%c0] hi[%n] : tensor<2048xf16>, !tt.ptr<f16>
  tt.return
}

// -----
// Three tiles behind each other, then a table of offsets.
// CHECK-LABEL: @thirds
// CHECK: npu.vcast floor
// CHECK: npu.vmove [[ALL:%[0-9a-z_]+]] + {{.*}} rows 1 of 256
// CHECK: npu.vmove [[ALL]] +
// CHECK: npu.vmove [[ALL]] +
// CHECK: npu.vgather %{{.*}}, [[ALL]] + {{.*}} : memref<192xf32
tt.func public @thirds(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 64 : i64
  %m = arith.constant 192 : i64
  %a = dl.load %x strides[%c1] lo[%c0] hi[%n] : !tt.ptr<f32> -> tensor<64xf32>
  %w = dl.interleave %a, %a, %a : tensor<64xf32>, tensor<64xf32>, tensor<64xf32> -> tensor<192xf32>
  dl.store %w, %o strides[%c1] lo[%c0] hi[%m] : tensor<192xf32>, !tt.ptr<f32>
  tt.return
}
