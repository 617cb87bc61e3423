// RUN: dl-opt --dl-access-stage --split-input-file --verify-diagnostics %s

func.func @gather(%p: !tt.ptr<f32>, %i: tensor<64xi32>) {
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  // expected-error @+1 {{tt.load cannot be made a tile copy, class gather: index comes from a block argument; supported: base + range * stride}}
  %v = tt.load %q : tensor<64x!tt.ptr<f32>>
  return
}

// -----
func.func @product(%p: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = arith.muli %r, %r : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %s : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  // expected-error @+1 {{class gather: product of two ranges (arith.muli at errors.mlir:}}
  %v = tt.load %q : tensor<64x!tt.ptr<f32>>
  return
}

// -----
func.func @discrete(%p: !tt.ptr<f32>, %m: tensor<64xi1>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %c = arith.constant dense<2> : tensor<64xi32>
  %z = arith.constant dense<0> : tensor<64xi32>
  %b = arith.remsi %r, %c : tensor<64xi32>
  %d = arith.cmpi eq, %b, %z : tensor<64xi32>
  // expected-error @+1 {{class discrete mask: comparison of a range with remainder}}
  %v = tt.load %q, %d : tensor<64x!tt.ptr<f32>>
  return
}

// -----
func.func @strides_change(%p: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %x = scf.for %i = %c0 to %n step %c1 iter_args(%a = %ps) -> (tensor<64x!tt.ptr<f32>>)  : i32 {
    // expected-error @+1 {{pointer carried by a loop changes its strides or its array between iterations}}
    %v = tt.load %a : tensor<64x!tt.ptr<f32>>
    tt.store %a, %v : tensor<64x!tt.ptr<f32>> // expected-error {{pointer carried by a loop}}
    %b = tt.addptr %a, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %b : tensor<64x!tt.ptr<f32>>
  }
  return
}

// -----
func.func @one_address(%p: !tt.ptr<f32>, %v: tensor<64xf32>) {
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  // expected-error @+1 {{has several lanes at one address}}
  tt.store %ps, %v : tensor<64x!tt.ptr<f32>>
  return
}

// -----
func.func @atomic(%p: !tt.ptr<i32>, %v: tensor<64xi32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %q = tt.addptr %ps, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  // expected-error @+1 {{tt.atomic_rmw exch is not supported here}}
  %x = tt.atomic_rmw exch, acq_rel, gpu, %q, %v : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64xi32>
  return
}
