// Rows and columns that wrap around and are masked off in the store are not loaded: the loads end where the store does.
// RUN: dl-opt %s --dl-dot | FileCheck %s

// CHECK-LABEL: tt.func public @cut
// CHECK: %[[LIMIT_M:.*]] = arith.minsi %{{.*}}, %c64_i64
// CHECK: %[[LIMIT_N:.*]] = arith.minsi %{{.*}}, %c64_i64
// CHECK: scf.for
// CHECK: %[[HM:.*]] = arith.minsi %[[LIMIT_M]], %c64_i64
// CHECK: dl.load %arg0 {{.*}} hi[%[[HM]], %c32_i64] wrap
// CHECK: %[[HN:.*]] = arith.minsi %[[LIMIT_N]], %c64_i64
// CHECK: dl.load %arg1 {{.*}} hi[%c32_i64, %[[HN]]] wrap
tt.func public @cut(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %m: i64, %n: i64, %start: i64, %k: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %acc = scf.for %i = %c0 to %k step %c1 iter_args(%c = %zeros) -> tensor<64x64xf32> : i64 {
    %a = dl.load %pa strides[%k, %c1] lo[%c0, %c0] hi[%c64, %c32] wrap(%start mod %m) {wrap_dim = 0 : i64} : !tt.ptr<f16> -> tensor<64x32xf16>
    %b = dl.load %pb strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c64] wrap(%start mod %n) {wrap_dim = 1 : i64} : !tt.ptr<f16> -> tensor<32x64xf16>
    %d = tt.dot %a, %b, %c : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %leftM = arith.subi %m, %start : i64
  %hm = arith.minsi %leftM, %c64 : i64
  %leftN = arith.subi %n, %start : i64
  %hn = arith.minsi %leftN, %c64 : i64
  dl.store %acc, %pc strides[%n, %c1] lo[%c0, %c0] hi[%hm, %hn] : tensor<64x64xf32>, !tt.ptr<f32>
  tt.return
}

// A range that no store limits is left alone, and so is a load that something else reads too.
// CHECK-LABEL: tt.func public @shared
// CHECK: dl.load %arg0 {{.*}} hi[%c32_i64, %c32_i64] wrap
tt.func public @shared(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %m: i64, %start: i64, %hm: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = dl.load %pa strides[%m, %c1] lo[%c0, %c0] hi[%c32, %c32] wrap(%start mod %m) {wrap_dim = 0 : i64} : !tt.ptr<f16> -> tensor<32x32xf16>
  %d = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  dl.store %d, %pc strides[%m, %c1] lo[%c0, %c0] hi[%hm, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  tt.return
}
