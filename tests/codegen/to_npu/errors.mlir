// RUN: dl-opt %s --split-input-file --verify-diagnostics --dl-to-npu

tt.func public @unknown(%x: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %a = dl.load %x strides[%c1] lo[%c0] hi[%c64] : !tt.ptr<f32> -> tensor<64xf32>
  // expected-error @below {{tt.extern_elementwise: '__nv_j0f' (f32) -> f32 is no function that is known here}}
  %b = tt.extern_elementwise %a {libname = "", libpath = "", pure = true, symbol = "__nv_j0f"} : (tensor<64xf32>) -> tensor<64xf32>
  dl.store %b, %x strides[%c1] lo[%c0] hi[%c64] : tensor<64xf32>, !tt.ptr<f32>
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

tt.func public @conversion(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %a = dl.load %x strides[%c1] lo[%c0] hi[%c64] : !tt.ptr<f32> -> tensor<64xf32>
  // expected-error @below {{arith.extf: no unit computes with elements of f64}}
  %d = arith.extf %a : tensor<64xf32> to tensor<64xf64>
  %b = arith.truncf %d : tensor<64xf64> to tensor<64xf32>
  dl.store %b, %o strides[%c1] lo[%c0] hi[%c64] : tensor<64xf32>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @constants(%x: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  // expected-error @below {{arith.constant: constant tensors have one value everywhere or at most 4096 values}}
  %a = arith.constant dense_resource<values> : tensor<64xf32>
  dl.store %a, %x strides[%c1] lo[%c0] hi[%c1] : tensor<64xf32>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @ranges(%x: !tt.ptr<i64>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  // expected-error @below {{tt.make_range: ranges are of i32}}
  %a = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi64>
  dl.store %a, %x strides[%c1] lo[%c0] hi[%c1] : tensor<64xi64>, !tt.ptr<i64>
  tt.return
}

// -----

tt.func public @rank(%x: !tt.ptr<f16>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %true = arith.constant true
  %a = dl.load %x strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %acc = dl.acc_init zero_if %true : tensor<32x32xf32>
  %d = dl.dot %a, %a, %acc init %true {k_step = 32 : i64} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  %t = tt.reshape %d : tensor<32x32xf32> -> tensor<2x16x32xf32>
  // expected-error @below {{dl.fixpipe: tensors of 3 dimensions are not supported on the cube}}
  dl.fixpipe %t, %o strides[%c32, %c32, %c1] lo[%c0, %c0, %c0] hi[%c32, %c32, %c32] as f32 : tensor<2x16x32xf32>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @several(%x: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %a = dl.load %x strides[%c1] lo[%c0] hi[%c64] : !tt.ptr<i32> -> tensor<64xi32>
  // expected-error @below {{arith.addui_extended: operations with several results are not supported on tensors}}
  %s, %o = arith.addui_extended %a, %a : tensor<64xi32>, tensor<64xi1>
  dl.store %s, %x strides[%c1] lo[%c0] hi[%c64] : tensor<64xi32>, !tt.ptr<i32>
  tt.return
}

// -----

tt.func public @operand(%o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %true = arith.constant true
  %a = arith.constant dense<1.0> : tensor<32x32xf16>
  %acc = dl.acc_init zero_if %true : tensor<32x32xf32>
  // expected-error @below {{dl.dot: operands must be tiles loaded from global memory and an accumulator}}
  %d = dl.dot %a, %a, %acc init %true {k_step = 32 : i64} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  dl.fixpipe %d, %o strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] as f32 : tensor<32x32xf32>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @column_stride(%x: !tt.ptr<f16>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c32 = arith.constant 32 : i64
  %true = arith.constant true
  %a = dl.load %x strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %acc = dl.acc_init zero_if %true : tensor<32x32xf32>
  %d = dl.dot %a, %a, %acc init %true {k_step = 32 : i64} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  // expected-error @below {{dl.fixpipe: the result of tt.dot is stored with a column stride of 2; rows must be contiguous}}
  dl.fixpipe %d, %o strides[%c32, %c2] lo[%c0, %c0] hi[%c32, %c32] as f32 : tensor<32x32xf32>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @address(%x: !tt.ptr<f16>, %o: !tt.ptr<f32>, %i: !tt.ptr<i64>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %true = arith.constant true
  %rows = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %a = dl.gather strides[%c0, %c1] lo[%c0, %c0] hi[%c32, %c32] walk [0] {
  ^bb0(%lane: i64):
    // expected-error @below {{dl.extract: an address depends on a tensor of the vector unit, which the cube core does not see}}
    %row = dl.extract %rows[%lane] : tensor<32xi32> -> i32
    %p = tt.addptr %x, %row : !tt.ptr<f16>, i32
    dl.run %p count %c1 if %true lo[%c0, %c0] hi[%c1, %c32] : !tt.ptr<f16>
  } {scalar} : tensor<32x32xf16>
  %acc = dl.acc_init zero_if %true : tensor<32x32xf32>
  %d = dl.dot %a, %a, %acc init %true {k_step = 32 : i64} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  dl.fixpipe %d, %o strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] as f32 : tensor<32x32xf32>, !tt.ptr<f32>
  tt.return
}
