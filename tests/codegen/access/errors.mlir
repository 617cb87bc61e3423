// RUN: dl-opt --dl-access-stage --split-input-file --verify-diagnostics %s

func.func @loaded_pointers(%p: tensor<64x!tt.ptr<f32>>, %v: tensor<64xf32>) {
  // expected-error @+1 {{tt.store through pointers that cannot be computed one by one: pointers come from a block argument}}
  tt.store %p, %v : tensor<64x!tt.ptr<f32>>
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
