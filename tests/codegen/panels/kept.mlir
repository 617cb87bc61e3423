// Loops whose steps keep tiles of their own, each for a reason that --explain gives.
// RUN: dl-opt %s --split-input-file --verify-diagnostics --dl-panels

tt.func public @apart(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %n: i64, %k: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  %c8 = arith.constant 8 : i64
  %c32 = arith.constant 32 : i64
  %i0 = arith.constant 0 : i32
  %i32 = arith.constant 32 : i32
  %false = arith.constant false
  %start = dl.acc_init zero_if %false : tensor<32x32xf32>
  // expected-remark @below {{tiles of consecutive iterations do not follow on one another}}
  %acc = scf.for %i = %i0 to %k step %i32 iter_args(%c = %start) -> tensor<32x32xf32> : i32 {
    %at = arith.extsi %i : i32 to i64
    %twice = arith.muli %at, %c2 : i64
    %a = tt.addptr %pa, %twice : !tt.ptr<f16>, i64
    %row = arith.muli %at, %n : i64
    %b = tt.addptr %pb, %row : !tt.ptr<f16>, i64
    %va = dl.load %a strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
    %vb = dl.load %b strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
    %first = arith.cmpi eq, %i, %i0 : i32
    %d = dl.dot %va, %vb, %c init %first {k_step = 32 : i64} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  dl.fixpipe %acc, %pc strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] as f32 : tensor<32x32xf32>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @run_time_step(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %n: i64, %k: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  %c8 = arith.constant 8 : i64
  %c32 = arith.constant 32 : i64
  %i0 = arith.constant 0 : i32
  %i32 = arith.constant 32 : i32
  %false = arith.constant false
  %start = dl.acc_init zero_if %false : tensor<32x32xf32>
  // expected-remark @below {{its step is known only at run time}}
  %acc = scf.for %i = %i0 to %k step %k iter_args(%c = %start) -> tensor<32x32xf32> : i32 {
    %at = arith.extsi %i : i32 to i64
    %twice = arith.muli %at, %c2 : i64
    %a = tt.addptr %pa, %at : !tt.ptr<f16>, i64
    %row = arith.muli %at, %n : i64
    %b = tt.addptr %pb, %row : !tt.ptr<f16>, i64
    %va = dl.load %a strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
    %vb = dl.load %b strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
    %first = arith.cmpi eq, %i, %i0 : i32
    %d = dl.dot %va, %vb, %c init %first {k_step = 32 : i64} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  dl.fixpipe %acc, %pc strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] as f32 : tensor<32x32xf32>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @half_masked(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %n: i64, %k: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  %c8 = arith.constant 8 : i64
  %c32 = arith.constant 32 : i64
  %i0 = arith.constant 0 : i32
  %i32 = arith.constant 32 : i32
  %false = arith.constant false
  %start = dl.acc_init zero_if %false : tensor<32x32xf32>
  // expected-remark @below {{a mask leaves out a part of each step of K}}
  %acc = scf.for %i = %i0 to %k step %i32 iter_args(%c = %start) -> tensor<32x32xf32> : i32 {
    %at = arith.extsi %i : i32 to i64
    %twice = arith.muli %at, %c2 : i64
    %a = tt.addptr %pa, %at : !tt.ptr<f16>, i64
    %row = arith.muli %at, %n : i64
    %b = tt.addptr %pb, %row : !tt.ptr<f16>, i64
    %va = dl.load %a strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c8] : !tt.ptr<f16> -> tensor<32x32xf16>
    %vb = dl.load %b strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
    %first = arith.cmpi eq, %i, %i0 : i32
    %d = dl.dot %va, %vb, %c init %first {k_step = 32 : i64} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  dl.fixpipe %acc, %pc strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] as f32 : tensor<32x32xf32>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @begins_late(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %n: i64, %k: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  %c8 = arith.constant 8 : i64
  %c32 = arith.constant 32 : i64
  %i0 = arith.constant 0 : i32
  %i32 = arith.constant 32 : i32
  %false = arith.constant false
  %start = dl.acc_init zero_if %false : tensor<32x32xf32>
  // expected-remark @below {{a mask cuts the beginning of K}}
  %acc = scf.for %i = %i0 to %k step %i32 iter_args(%c = %start) -> tensor<32x32xf32> : i32 {
    %at = arith.extsi %i : i32 to i64
    %twice = arith.muli %at, %c2 : i64
    %a = tt.addptr %pa, %at : !tt.ptr<f16>, i64
    %row = arith.muli %at, %n : i64
    %b = tt.addptr %pb, %row : !tt.ptr<f16>, i64
    %va = dl.load %a strides[%n, %c1] lo[%c0, %c8] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
    %vb = dl.load %b strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
    %first = arith.cmpi eq, %i, %i0 : i32
    %d = dl.dot %va, %vb, %c init %first {k_step = 32 : i64} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  dl.fixpipe %acc, %pc strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] as f32 : tensor<32x32xf32>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @changing_rows(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %n: i64, %k: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  %c8 = arith.constant 8 : i64
  %c32 = arith.constant 32 : i64
  %i0 = arith.constant 0 : i32
  %i32 = arith.constant 32 : i32
  %false = arith.constant false
  %start = dl.acc_init zero_if %false : tensor<32x32xf32>
  // expected-remark @below {{the shape of a tile changes from one iteration to the next}}
  %acc = scf.for %i = %i0 to %k step %i32 iter_args(%c = %start) -> tensor<32x32xf32> : i32 {
    %at = arith.extsi %i : i32 to i64
    %twice = arith.muli %at, %c2 : i64
    %a = tt.addptr %pa, %at : !tt.ptr<f16>, i64
    %row = arith.muli %at, %n : i64
    %b = tt.addptr %pb, %row : !tt.ptr<f16>, i64
    %va = dl.load %a strides[%n, %c1] lo[%c0, %c0] hi[%at, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
    %vb = dl.load %b strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
    %first = arith.cmpi eq, %i, %i0 : i32
    %d = dl.dot %va, %vb, %c init %first {k_step = 32 : i64} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  dl.fixpipe %acc, %pc strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] as f32 : tensor<32x32xf32>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @other_mask(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %n: i64, %k: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  %c8 = arith.constant 8 : i64
  %c32 = arith.constant 32 : i64
  %i0 = arith.constant 0 : i32
  %i32 = arith.constant 32 : i32
  %false = arith.constant false
  %start = dl.acc_init zero_if %false : tensor<32x32xf32>
  // expected-remark @below {{a mask along K does not move with the steps}}
  %acc = scf.for %i = %i0 to %k step %i32 iter_args(%c = %start) -> tensor<32x32xf32> : i32 {
    %at = arith.extsi %i : i32 to i64
    %twice = arith.muli %at, %c2 : i64
    %a = tt.addptr %pa, %at : !tt.ptr<f16>, i64
    %row = arith.muli %at, %n : i64
    %b = tt.addptr %pb, %row : !tt.ptr<f16>, i64
    %va = dl.load %a strides[%n, %c1] lo[%c0, %c0] hi[%c32, %twice] : !tt.ptr<f16> -> tensor<32x32xf16>
    %vb = dl.load %b strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
    %first = arith.cmpi eq, %i, %i0 : i32
    %d = dl.dot %va, %vb, %c init %first {k_step = 32 : i64} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  dl.fixpipe %acc, %pc strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] as f32 : tensor<32x32xf32>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @store_inside(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %n: i64, %k: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  %c8 = arith.constant 8 : i64
  %c32 = arith.constant 32 : i64
  %i0 = arith.constant 0 : i32
  %i32 = arith.constant 32 : i32
  %false = arith.constant false
  %start = dl.acc_init zero_if %false : tensor<32x32xf32>
  // expected-remark @below {{it contains dl.store_scalar}}
  %acc = scf.for %i = %i0 to %k step %i32 iter_args(%c = %start) -> tensor<32x32xf32> : i32 {
    %at = arith.extsi %i : i32 to i64
    %twice = arith.muli %at, %c2 : i64
    %a = tt.addptr %pa, %at : !tt.ptr<f16>, i64
    %row = arith.muli %at, %n : i64
    %b = tt.addptr %pb, %row : !tt.ptr<f16>, i64
    %va = dl.load %a strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
    %vb = dl.load %b strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
    %first = arith.cmpi eq, %i, %i0 : i32
    %zero = arith.constant 0.0 : f32
    dl.store_scalar %zero, %pc : f32, !tt.ptr<f32>
    %d = dl.dot %va, %vb, %c init %first {k_step = 32 : i64} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  dl.fixpipe %acc, %pc strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] as f32 : tensor<32x32xf32>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @chain(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %n: i64, %k: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  %c8 = arith.constant 8 : i64
  %c32 = arith.constant 32 : i64
  %i0 = arith.constant 0 : i32
  %i32 = arith.constant 32 : i32
  %false = arith.constant false
  %start = dl.acc_init zero_if %false : tensor<32x32xf32>
  // expected-remark @below {{a product is not simply added to a carried sum}}
  %acc = scf.for %i = %i0 to %k step %i32 iter_args(%c = %start) -> tensor<32x32xf32> : i32 {
    %at = arith.extsi %i : i32 to i64
    %twice = arith.muli %at, %c2 : i64
    %a = tt.addptr %pa, %at : !tt.ptr<f16>, i64
    %row = arith.muli %at, %n : i64
    %b = tt.addptr %pb, %row : !tt.ptr<f16>, i64
    %va = dl.load %a strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
    %vb = dl.load %b strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
    %first = arith.cmpi eq, %i, %i0 : i32
    %e = dl.dot %vb, %va, %c init %first {k_step = 32 : i64} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    %d = dl.dot %va, %vb, %e init %false {k_step = 32 : i64} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  dl.fixpipe %acc, %pc strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] as f32 : tensor<32x32xf32>, !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @restarts(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %n: i64, %k: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  %c8 = arith.constant 8 : i64
  %c32 = arith.constant 32 : i64
  %i0 = arith.constant 0 : i32
  %i32 = arith.constant 32 : i32
  %false = arith.constant false
  %start = dl.acc_init zero_if %false : tensor<32x32xf32>
  // expected-remark @below {{a sum starts again on the way}}
  %acc = scf.for %i = %i0 to %k step %i32 iter_args(%c = %start) -> tensor<32x32xf32> : i32 {
    %at = arith.extsi %i : i32 to i64
    %twice = arith.muli %at, %c2 : i64
    %a = tt.addptr %pa, %at : !tt.ptr<f16>, i64
    %row = arith.muli %at, %n : i64
    %b = tt.addptr %pb, %row : !tt.ptr<f16>, i64
    %va = dl.load %a strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
    %vb = dl.load %b strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
    %first = arith.cmpi eq, %i, %i0 : i32
    %even = arith.cmpi eq, %i, %i32 : i32
    %d = dl.dot %va, %vb, %c init %even {k_step = 32 : i64} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  dl.fixpipe %acc, %pc strides[%n, %c1] lo[%c0, %c0] hi[%c32, %c32] as f32 : tensor<32x32xf32>, !tt.ptr<f32>
  tt.return
}
