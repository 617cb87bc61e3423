// RUN: dl-opt %s --split-input-file --verify-diagnostics --dl-split

// The number of steps of a product's loop cannot come from the vector side.
func.func @bound_from_vector(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %lengths = dl.load %pa strides[%c1] lo[%c0] hi[%c32] : !tt.ptr<f16> -> tensor<32xf16>
  // expected-error @below {{computes on vector data what the cube side of the kernel needs}}
  %whole = arith.fptosi %lengths : tensor<32xf16> to tensor<32xi32>
  %n = "tt.reduce"(%whole) <{axis = 0 : i32}> ({
  ^bb0(%x: i32, %y: i32):
    %z = arith.addi %x, %y : i32
    tt.reduce.return %z : i32
  }) : (tensor<32xi32>) -> i32
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %d = scf.for %i = %i0 to %n step %i1 iter_args(%acc = %zeros) -> (tensor<32x32xf32>) : i32 {
    %e = tt.dot %a, %a, %acc : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %e : tensor<32x32xf32>
  }
  %e = math.exp %d : tensor<32x32xf32>
  dl.store %e, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : tensor<32x32xf32>, !tt.ptr<f32>
  return
}

// -----

// The cube would load before the vector cores have stored.
func.func @stored_before(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 0} : !tt.ptr<f16> -> tensor<32x32xf16>
  %b = arith.addf %a, %a : tensor<32x32xf16>
  dl.store %b, %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 0} : tensor<32x32xf16>, !tt.ptr<f16>
  // expected-error-re @below {{dl.load reads memory of argument 0, which another kind of core has stored to before ({{.*}}): in a kernel with products and other arithmetic their order is not kept; use the stored value itself, or load it in a kernel of its own}}
  %c = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 0} : !tt.ptr<f16> -> tensor<32x32xf16>
  %d = tt.dot %c, %c, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  dl.store %d, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 1} : tensor<32x32xf32>, !tt.ptr<f32>
  return
}

// -----

// The other way round, and from turn to turn of a loop.
func.func @stored_in_the_turn_before(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %n: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  scf.for %i = %i0 to %n step %i1 : i32 {
    // expected-error-re @below {{dl.load reads memory of argument 1, which another kind of core has stored to before ({{.*}})}}
    %s = dl.load %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 1} : !tt.ptr<f32> -> tensor<32x32xf32>
    %e = math.exp %s : tensor<32x32xf32>
    %h = arith.truncf %e : tensor<32x32xf32> to tensor<32x32xf16>
    %d = tt.dot %h, %h, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    dl.store %d, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 1} : tensor<32x32xf32>, !tt.ptr<f32>
  }
  return
}

// -----

// Rows that move on, and branches of which one runs, are no conflict.
func.func @other_rows(%pa: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %n: i64, %which: i1) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  scf.for %i = %c0 to %n step %c1 : i64 {
    %row = arith.muli %i, %c32 : i64
    %at = tt.addptr %pa, %row : !tt.ptr<f16>, i64
    %a = dl.load %at strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 0} : !tt.ptr<f16> -> tensor<32x32xf16>
    %d = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    %e = math.exp %d : tensor<32x32xf32>
    %h = arith.truncf %e : tensor<32x32xf32> to tensor<32x32xf16>
    dl.store %h, %at strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 0} : tensor<32x32xf16>, !tt.ptr<f16>
  }
  scf.if %which {
    %f = arith.constant dense<1.0> : tensor<32x32xf32>
    dl.store %f, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 1} : tensor<32x32xf32>, !tt.ptr<f32>
  } else {
    %x = dl.load %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 1} : !tt.ptr<f32> -> tensor<32x32xf32>
    %y = tt.dot %x, %x, %zeros : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
    dl.store %y, %pc strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] {arg = 1} : tensor<32x32xf32>, !tt.ptr<f32>
  }
  return
}
