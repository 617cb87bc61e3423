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

// -----
func.func @turns(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i64, %m: i32) {
  %one = arith.constant 1 : i64
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %a = tt.make_tensor_ptr %p, [%n], [%one], [%i0] {order = array<i32: 0>} : <tensor<64xf32>>
  %b = tt.make_tensor_ptr %q, [%n], [%one], [%i0] {order = array<i32: 0>} : <tensor<64xf32>>
  // expected-error @+1 {{block pointer carried by this loop is not the same tensor in every turn}}
  %r:2 = scf.for %i = %i0 to %m step %i1 iter_args(%x = %a, %y = %b) -> (!tt.ptr<tensor<64xf32>>, !tt.ptr<tensor<64xf32>>) : i32 {
    %v = tt.load %x : !tt.ptr<tensor<64xf32>>
    tt.store %y, %v : !tt.ptr<tensor<64xf32>>
    scf.yield %y, %x : !tt.ptr<tensor<64xf32>>, !tt.ptr<tensor<64xf32>>
  }
  return
}

// -----
func.func @chosen(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i64, %c: i1) {
  %one = arith.constant 1 : i64
  %i0 = arith.constant 0 : i32
  %a = tt.make_tensor_ptr %p, [%n], [%one], [%i0] {order = array<i32: 0>} : <tensor<64xf32>>
  %b = tt.make_tensor_ptr %q, [%n], [%one], [%i0] {order = array<i32: 0>} : <tensor<64xf32>>
  %x = arith.select %c, %a, %b : !tt.ptr<tensor<64xf32>>
  // expected-error @+1 {{tt.load through a block pointer that is not made by tt.make_tensor_ptr and tt.advance in loops only is not supported}}
  %v = tt.load %x : !tt.ptr<tensor<64xf32>>
  tt.store %a, %v : !tt.ptr<tensor<64xf32>>
  return
}

// -----
func.func @switched(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32, %which: index) {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %a = tt.make_tensor_descriptor %p, [%n], [%one] : <f32>, <tensor<64xf32>>
  %b = tt.make_tensor_descriptor %q, [%n], [%one] : <f32>, <tensor<64xf32>>
  %c = scf.index_switch %which -> !tt.tensordesc<tensor<64xf32>>
  case 0 {
    scf.yield %a : !tt.tensordesc<tensor<64xf32>>
  }
  default {
    scf.yield %b : !tt.tensordesc<tensor<64xf32>>
  }
  // expected-error @+1 {{tt.descriptor_load through a descriptor of unknown origin is not supported; make it with tl.make_tensor_descriptor where it is used}}
  %v = tt.descriptor_load %c[%zero] : !tt.tensordesc<tensor<64xf32>> -> tensor<64xf32>
  tt.descriptor_store %a[%zero], %v : !tt.tensordesc<tensor<64xf32>>, tensor<64xf32>
  return
}

// -----
// expected-error @+1 {{a descriptor that a loop or a branch hands on cannot be taken apart; make it with tl.make_tensor_descriptor where it is used}}
func.func @switched_loop(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32, %which: index) {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %a = tt.make_tensor_descriptor %p, [%n], [%one] : <f32>, <tensor<64xf32>>
  %b = tt.make_tensor_descriptor %q, [%n], [%one] : <f32>, <tensor<64xf32>>
  // expected-error @+1 {{failed to create target materialization}}
  %c = scf.index_switch %which -> !tt.tensordesc<tensor<64xf32>>
  case 0 {
    scf.yield %a : !tt.tensordesc<tensor<64xf32>>
  }
  default {
    scf.yield %b : !tt.tensordesc<tensor<64xf32>>
  }
  %i1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %zero to %n step %i1 iter_args(%x = %c, %y = %b) -> (!tt.tensordesc<tensor<64xf32>>, !tt.tensordesc<tensor<64xf32>>) : i32 {
    %w = tt.descriptor_load %x[%i] : !tt.tensordesc<tensor<64xf32>> -> tensor<64xf32>
    tt.descriptor_store %y[%i], %w : !tt.tensordesc<tensor<64xf32>>, tensor<64xf32>
    scf.yield %y, %x : !tt.tensordesc<tensor<64xf32>>, !tt.tensordesc<tensor<64xf32>>
  }
  return
}

// -----
func.func @elements(%p: !tt.ptr<f32>, %o: !tt.ptr<i64>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  // expected-error @+1 {{'tt.splat' keeps a tensor of pointers that is more than the address of a load or store; compute with offsets, and add them to the pointer where it is used}}
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %n = tt.ptr_to_int %q : tensor<64x!tt.ptr<f32>> -> tensor<64xi64>
  %os = tt.splat %o : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>>
  %op = tt.addptr %os, %r : tensor<64x!tt.ptr<i64>>, tensor<64xi32>
  tt.store %op, %n : tensor<64x!tt.ptr<i64>>
  return
}

// -----
func.func @swap(%p: !tt.ptr<f64>, %v: f64) {
  // expected-error @+1 {{tt.atomic_cas on elements of 'f64' is not supported; integers of 8 to 64 bits, f16, bf16 and f32 are}}
  %r = tt.atomic_cas acq_rel, gpu, %p, %v, %v : (!tt.ptr<f64>, f64, f64) -> f64
  return
}

// -----
func.func @block_argument(%p: !tt.ptr<tensor<64xf32>>, %o: !tt.ptr<f32>) {
  // expected-error @+1 {{tt.load through a block pointer of unknown origin is not supported; make it with tl.make_block_ptr where it is used}}
  %v = tt.load %p : !tt.ptr<tensor<64xf32>>
  return
}
