// The usual matmul: the accumulator starts from zero in the first iteration, the cast and the store become one fixpipe.
// RUN: dl-opt %s --dl-dot | FileCheck %s

// CHECK-LABEL: tt.func public @loop
// CHECK: %[[EMPTY:.*]] = arith.cmpi sge, %c0_i32, %{{.*}} : i32
// CHECK: %[[ACC:.*]] = dl.acc_init zero_if %[[EMPTY]] : tensor<128x256xf32>
// CHECK: %[[OUT:.*]] = scf.for %[[K:.*]] = %c0_i32 to %{{.*}} iter_args(%[[C:.*]] = %[[ACC]])
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[K]], %c0_i32 : i32
// CHECK: dl.dot %{{.*}}, %{{.*}}, %[[C]] init %[[FIRST]] {k_step = 64 : i64} : tensor<128x256xf16>, tensor<256x256xf16> -> tensor<128x256xf32>
// CHECK-NOT: arith.truncf
// CHECK: dl.fixpipe %[[OUT]], %{{.*}} strides[%{{.*}}, %c1_i64] lo[%c0_i64, %c0_i64] hi[%c128_i64, %c256_i64] as f16
tt.func public @loop(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f16>, %n: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %i0 = arith.constant 0 : i32
  %i256 = arith.constant 256 : i32
  %c128 = arith.constant 128 : i64
  %c256 = arith.constant 256 : i64
  %n64 = arith.extsi %n : i32 to i64
  %zeros = arith.constant dense<0.0> : tensor<128x256xf32>
  %acc = scf.for %k = %i0 to %n step %i256 iter_args(%c = %zeros) -> tensor<128x256xf32> : i32 {
    %a = dl.load %pa strides[%n64, %c1] lo[%c0, %c0] hi[%c128, %c256] : !tt.ptr<f16> -> tensor<128x256xf16>
    %b = dl.load %pb strides[%n64, %c1] lo[%c0, %c0] hi[%c256, %c256] : !tt.ptr<f16> -> tensor<256x256xf16>
    %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<128x256xf16> * tensor<256x256xf16> -> tensor<128x256xf32>
    scf.yield %d : tensor<128x256xf32>
  }
  %h = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xf16>
  dl.store %h, %pc strides[%n64, %c1] lo[%c0, %c0] hi[%c128, %c256] : tensor<128x256xf16>, !tt.ptr<f16>
  tt.return
}

// Without a loop the dot starts from zero by itself; two dots share one accumulator.
// CHECK-LABEL: tt.func public @straight
// CHECK: %[[ACC:.*]] = dl.acc_init zero_if %false{{.*}} :
// CHECK: %[[D0:.*]] = dl.dot %{{.*}}, %{{.*}}, %[[ACC]] init %true{{.*}} {k_step = 32 : i64}
// CHECK: %[[D1:.*]] = dl.dot %{{.*}}, %{{.*}}, %[[D0]] init %false{{.*}} {
// CHECK: dl.fixpipe %[[D1]], {{.*}} as f32
tt.func public @straight(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %b = dl.load %pb strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %d0 = tt.dot %a, %b, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %d1 = tt.dot %b, %a, %d0 : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  dl.store %d1, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  tt.return
}

// tt.trans is a flag of the dot; f32 with tf32 allowed runs as hf32.
// CHECK-LABEL: tt.func public @trans
// CHECK-NOT: tt.trans
// CHECK: dl.dot {{.*}} {k_step = 32 : i64, precision = "hf32", transpose_b} : tensor<32x32xf32>, tensor<64x32xf32> -> tensor<32x64xf32>
tt.func public @trans(%pa: !tt.ptr<f32>, %pb: !tt.ptr<f32>, %pc: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f32> -> tensor<32x32xf32>
  %b = dl.load %pb strides[%c32, %c1] lo[%c0, %c0] hi[%c64, %c32] : !tt.ptr<f32> -> tensor<64x32xf32>
  %bt = tt.trans %b {order = array<i32: 1, 0>} : tensor<64x32xf32> -> tensor<32x64xf32>
  %d = tt.dot %a, %bt, %zeros, inputPrecision = tf32 : tensor<32x32xf32> * tensor<32x64xf32> -> tensor<32x64xf32>
  dl.store %d, %pc strides[%c64, %c1] lo[%c0, %c0] hi[%c32, %c64] : tensor<32x64xf32>, !tt.ptr<f32>
  tt.return
}

// A dot that does not run in every iteration: the accumulator is cleared before the loop.
// CHECK-LABEL: tt.func public @conditional
// CHECK: dl.acc_init zero_if %true{{.*}} :
// CHECK: dl.dot {{.*}} init %false{{.*}} {
tt.func public @conditional(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %n: i32, %take: i1) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %acc = scf.for %k = %i0 to %n step %i1 iter_args(%c = %zeros) -> tensor<32x32xf32> : i32 {
    %r = scf.if %take -> tensor<32x32xf32> {
      %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
      %b = dl.load %pb strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
      %d = tt.dot %a, %b, %c : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
      scf.yield %d : tensor<32x32xf32>
    } else {
      scf.yield %c : tensor<32x32xf32>
    }
    scf.yield %r : tensor<32x32xf32>
  }
  dl.store %acc, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  tt.return
}

// A product with a number that everybody knows is the fixpipe's, before the cast.
// CHECK-LABEL: tt.func public @scaled
// CHECK: %[[D:.*]] = dl.dot
// CHECK-NOT: arith.mulf
// CHECK: dl.fixpipe %[[D]], {{.*}} scale(%arg3) as f16
tt.func public @scaled(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f16>, %alpha: f32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %b = dl.load %pb strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %d = tt.dot %a, %b, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %s = tt.splat %alpha : f32 -> tensor<32x32xf32>
  %m = arith.mulf %s, %d : tensor<32x32xf32>
  %h = arith.truncf %m : tensor<32x32xf32> to tensor<32x32xf16>
  dl.store %h, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf16>, !tt.ptr<f16>
  tt.return
}
