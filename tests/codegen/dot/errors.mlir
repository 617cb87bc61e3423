// RUN: dl-opt %s --split-input-file --verify-diagnostics --dl-dot

tt.func public @vector_operand(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  // expected-error @below {{operand a of tt.dot comes from arith.addf: a mixed kernel needs dl-split first}}
  %a2 = arith.addf %a, %a : tensor<32x32xf16>
  %d = tt.dot %a2, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  dl.store %d, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @vector_result(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %d = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  // expected-error @below {{math.exp reads the result of tt.dot: a mixed kernel needs dl-split first}}
  %e = math.exp %d : tensor<32x32xf32>
  dl.store %e, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @accumulator_too_big(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c256 = arith.constant 256 : i64
  %zeros = arith.constant dense<0.0> : tensor<256x256xf32>
  %a = dl.load %pa strides[%c256, %c1] lo[%c0, %c0] hi[%c256, %c256] : !tt.ptr<f16> -> tensor<256x256xf16>
  // expected-error @below {{the accumulator of a 256 x 256 tile needs 262144 bytes of L0C, the chip has 131072; it fits with M = 128 or N = 128}}
  %d = tt.dot %a, %a, %zeros : tensor<256x256xf16> * tensor<256x256xf16> -> tensor<256x256xf32>
  dl.store %d, %pc strides[%c256, %c1] lo[%c0, %c0] hi[%c256, %c256] : tensor<256x256xf32>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @operands_too_big(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant 128 : i64
  %c2048 = arith.constant 2048 : i64
  %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
  %a = dl.load %pa strides[%c2048, %c1] lo[%c0, %c0] hi[%c128, %c2048] : !tt.ptr<f16> -> tensor<128x2048xf16>
  %b = dl.load %pb strides[%c128, %c1] lo[%c0, %c0] hi[%c2048, %c128] : !tt.ptr<f16> -> tensor<2048x128xf16>
  // expected-error @below {{the operand tiles 128 x 2048 and 2048 x 128 need 1048576 bytes of L1, the chip has 524288; they fit with K = 1024}}
  %d = tt.dot %a, %b, %zeros : tensor<128x2048xf16> * tensor<2048x128xf16> -> tensor<128x128xf32>
  dl.store %d, %pc strides[%c128, %c1] lo[%c0, %c0] hi[%c128, %c128] : tensor<128x128xf32>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @start(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %c = dl.load %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f32> -> tensor<32x32xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  // expected-error @below {{the accumulator of tt.dot starts from dl.load (zero and other dots are supported)}}
  %d = tt.dot %a, %a, %c : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  dl.store %d, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @types(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f16>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf16>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  // expected-error @below {{tt.dot of 'f16' and 'f16' into 'f16' is not supported; the cube multiplies f16, bf16 and f32 into f32, and i8 into i32}}
  %d = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf16>
  tt.return
}

// -----

// Also where nothing of the result could be stored.
tt.func public @other_types(%pa: !tt.ptr<i64>, %pc: !tt.ptr<i64>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0> : tensor<32x32xi64>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<i64> -> tensor<32x32xi64>
  // expected-error @below {{tt.dot of 'i64' and 'i64' into 'i64' is not supported}}
  %d = tt.dot %a, %a, %zeros : tensor<32x32xi64> * tensor<32x32xi64> -> tensor<32x32xi64>
  dl.store %d, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xi64>, !tt.ptr<i64>
  tt.return
}

// -----

tt.func public @stored_type(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f8E5M2>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %d = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %e = arith.truncf %d : tensor<32x32xf32> to tensor<32x32xf8E5M2>
  // expected-error @below {{store of a 'f32' accumulator as 'f8E5M2' is not supported; the fixpipe writes f32, f16 and bf16 from f32, and i32 from i32}}
  dl.store %e, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf8E5M2>, !tt.ptr<f8E5M2>
  tt.return
}

// -----

tt.func public @batch(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32x32xf32>
  %a = dl.load %pa strides[%c32, %c32, %c1] lo[%c0, %c0, %c0] hi[%c32, %c32, %c32] : !tt.ptr<f16> -> tensor<32x32x32xf16>
  // expected-error @below {{tt.dot of rank 3 is not supported; rank 2 is}}
  %d = tt.dot %a, %a, %zeros : tensor<32x32x32xf16> * tensor<32x32x32xf16> -> tensor<32x32x32xf32>
  dl.store %d, %pc strides[%c32, %c32, %c1] lo[%c0, %c0, %c0] hi[%c32, %c32, %c32] : tensor<32x32x32xf32>, !tt.ptr<f32>
  tt.return
}
