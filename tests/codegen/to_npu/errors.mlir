// RUN: dl-opt %s --split-input-file --verify-diagnostics --dl-to-npu

tt.func public @unknown(%x: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %a = dl.load %x strides[%c1] lo[%c0] hi[%c64] : !tt.ptr<f32> -> tensor<64xf32>
  // expected-error @below {{math.cbrt: not supported on tensors; arith add, sub, mul}}
  %b = math.cbrt %a : tensor<64xf32>
  dl.store %b, %x strides[%c1] lo[%c0] hi[%c64] : tensor<64xf32>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @combiner(%x: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %a = dl.load %x strides[%c1] lo[%c0] hi[%c64] : !tt.ptr<f32> -> tensor<64xf32>
  // expected-error @below {{tt.reduce: reductions of one tensor by addf, maxnumf or minnumf}}
  %p = "tt.reduce"(%a) <{axis = 0 : i32}> ({
    ^bb0(%l: f32, %r: f32):
      %m = arith.mulf %l, %r : f32
      tt.reduce.return %m : f32
    }) : (tensor<64xf32>) -> f32
  dl.store_scalar %p, %x : f32, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @mixed(%x: !tt.ptr<f16>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %true = arith.constant true
  %a = dl.load %x strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %acc = dl.acc_init zero_if %true : tensor<32x32xf32>
  %d = dl.dot %a, %a, %acc init %true {k_step = 32 : i64} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  dl.fixpipe %d, %o strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] as f32 : tensor<32x32xf32>, !tt.ptr<f32>
  // expected-error @below {{dl.load: used by arith.addf, which needs the vector unit: a mixed kernel needs dl-split first}}
  %b = dl.load %x strides[%c1] lo[%c0] hi[%c32] : !tt.ptr<f16> -> tensor<32xf16>
  %c = arith.addf %b, %b : tensor<32xf16>
  dl.store %c, %x strides[%c1] lo[%c0] hi[%c32] : tensor<32xf16>, !tt.ptr<f16>
  tt.return
}

// -----

tt.func public @operand_stride(%x: !tt.ptr<f16>, %o: !tt.ptr<f32>, %s: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c32 = arith.constant 32 : i64
  %true = arith.constant true
  // expected-error @below {{dl.load: an operand of tt.dot needs one dimension of stride 1; this one has strides a run-time value and 2}}
  %a = dl.load %x strides[%s, %c2] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %acc = dl.acc_init zero_if %true : tensor<32x32xf32>
  %d = dl.dot %a, %a, %acc init %true {k_step = 32 : i64} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  dl.fixpipe %d, %o strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] as f32 : tensor<32x32xf32>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @conversion(%x: !tt.ptr<f32>, %o: !tt.ptr<i8>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %a = dl.load %x strides[%c1] lo[%c0] hi[%c64] : !tt.ptr<f32> -> tensor<64xf32>
  // expected-error @below {{arith.fptosi: conversion of f32 to i8 is not supported}}
  %b = arith.fptosi %a : tensor<64xf32> to tensor<64xi8>
  dl.store %b, %o strides[%c1] lo[%c0] hi[%c64] : tensor<64xi8>, !tt.ptr<i8>
  tt.return
}
