// RUN: dl-opt --dl-access-stage --split-input-file --verify-diagnostics %s

func.func @loaded_pointers(%p: tensor<64x!tt.ptr<f32>>, %v: tensor<64xf32>) {
  // expected-error @+1 {{tt.store through pointers that cannot be computed one by one: pointers come from a block argument}}
  tt.store %p, %v : tensor<64x!tt.ptr<f32>>
  return
}

// -----
func.func @atomic(%p: !tt.ptr<f32>, %v: tensor<64xf32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  // expected-error @+1 {{tt.atomic_rmw max on elements of 'f32' is not supported; integers of 8 to 64 bits have all kinds, f16, bf16 and f32 fadd and exch}}
  %x = tt.atomic_rmw max, acq_rel, gpu, %q, %v : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) -> tensor<64xf32>
  return
}


// -----
func.func @handed_on(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32, %which: i1) {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %a = tt.make_tensor_descriptor %p, [%n], [%one] : <f32>, <tensor<64xf32>>
  // expected-error @+1 {{descriptors of one block shape with different paddings, in a kernel whose loops or branches hand descriptors on, are not supported; give them all the same padding}}
  %b = tt.make_tensor_descriptor %q, [%n], [%one] {padding = 2 : i32} : <f32>, <tensor<64xf32>>
  %c = arith.select %which, %a, %b : !tt.tensordesc<tensor<64xf32>>
  %v = tt.descriptor_load %c[%zero] : !tt.tensordesc<tensor<64xf32>> -> tensor<64xf32>
  return
}

// -----
// expected-error @+1 {{argument 0 of type '!tt.tensordesc<tensor<8x64xf32>>' needs 2 sizes (i32) and 2 strides (i64) behind it}}
func.func @bare(%d: !tt.tensordesc<tensor<8x64xf32>>, %rows: i32, %columns: i32, %stride: i64) {
  return
}
