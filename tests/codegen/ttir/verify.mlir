// What operations on tiles, with regions and on memory must keep.
// RUN: dl-opt --split-input-file --verify-diagnostics %s

tt.func @splat(%x: tensor<8xi32>) {
  // expected-error @+1 {{needs a scalar, has 'tensor<8xi32>'; tt.broadcast repeats tensors}}
  %r = "tt.splat"(%x) : (tensor<8xi32>) -> tensor<2x8xi32>
  tt.return
}

// -----
tt.func @cat(%x: tensor<8xi32>) {
  // expected-error @+1 {{has the result 'tensor<24xi32>', expected 'tensor<16xi32>'}}
  %r = tt.cat %x, %x : tensor<8xi32> -> tensor<24xi32>
  tt.return
}

// -----
tt.func @cat_rank(%x: tensor<i32>) {
  // expected-error @+1 {{needs tensors of rank 1 or more}}
  %r = tt.cat %x, %x : tensor<i32> -> tensor<2xi32>
  tt.return
}

// -----
tt.func @join(%x: tensor<8xi32>) {
  // expected-error @+1 {{has the result 'tensor<2x8xi32>', expected 'tensor<8x2xi32>'}}
  %r = tt.join %x, %x : tensor<8xi32> -> tensor<2x8xi32>
  tt.return
}

// -----
tt.func @split(%x: tensor<2x8xi32>) {
  // expected-error @+1 {{needs a last dimension of 2, has 'tensor<2x8xi32>'}}
  %a, %b = tt.split %x : tensor<2x8xi32> -> tensor<8xi32>
  tt.return
}

// -----
tt.func @split_result(%x: tensor<8x2xi32>) {
  // expected-error @+1 {{has the result 'tensor<8xf32>', expected 'tensor<8xi32>'}}
  %a, %b = tt.split %x : tensor<8x2xi32> -> tensor<8xf32>
  tt.return
}

// -----
tt.func @gather_axis(%x: tensor<8xf32>, %i: tensor<8xi32>) {
  // expected-error @+1 {{axis 1 is out of range for rank 1}}
  %r = tt.gather %x[%i] {axis = 1 : i32} : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xf32>
  tt.return
}

// -----
tt.func @gather_shape(%x: tensor<8x4xf32>, %i: tensor<3x2xi32>) {
  // expected-error @+1 {{has indices of 'tensor<3x2xi32>' for 'tensor<8x4xf32>'; only dimension 1, the axis, may differ}}
  %r = tt.gather %x[%i] {axis = 1 : i32} : (tensor<8x4xf32>, tensor<3x2xi32>) -> tensor<3x2xf32>
  tt.return
}

// -----
tt.func @gather_result(%x: tensor<8xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{has the result 'tensor<8xf32>', expected 'tensor<4xf32>'}}
  %r = tt.gather %x[%i] {axis = 0 : i32} : (tensor<8xf32>, tensor<4xi32>) -> tensor<8xf32>
  tt.return
}

// -----
tt.func @histogram(%x: tensor<8x4xi32>) {
  // expected-error @+1 {{needs values and bins of rank 1, has 'tensor<8x4xi32>' and 'tensor<4xi32>'}}
  %r = tt.histogram %x : tensor<8x4xi32> -> tensor<4xi32>
  tt.return
}

// -----
tt.func @bitcast(%x: tensor<8xf32>) {
  // expected-error @+1 {{of 'tensor<8xf32>' to 'tensor<8xi16>': both types need the same number of bits}}
  %r = tt.bitcast %x : tensor<8xf32> -> tensor<8xi16>
  tt.return
}

// -----
tt.func @advance(%p: !tt.ptr<f32>, %n: i64, %o: i32) {
  %b = tt.make_tensor_ptr %p, [%n], [%n], [%o] {order = array<i32: 0>} : <tensor<8xf32>>
  // expected-error @+1 {{tile has rank 1 but 2 offsets are given}}
  %c = tt.advance %b, [%o, %o] : <tensor<8xf32>>
  tt.return
}

// -----
tt.func @update(%p: !tt.ptr<f32>, %v: i32) {
  // expected-error @+1 {{has a value of 'i32', but its pointer is to 'f32'}}
  %r = tt.atomic_rmw add, acq_rel, gpu, %p, %v : (!tt.ptr<f32>, i32) -> i32
  tt.return
}

// -----
tt.func @update_mask(%p: tensor<8x!tt.ptr<f32>>, %v: tensor<8xf32>, %m: i1) {
  // expected-error @+1 {{has a mask of 'i1', expected 'tensor<8xi1>'}}
  %r = tt.atomic_rmw fadd, acq_rel, gpu, %p, %v, %m : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>, i1) -> tensor<8xf32>
  tt.return
}

// -----
tt.func @swap(%p: !tt.ptr<i32>, %v: i32) {
  // expected-error @+1 {{has the result 'i64', expected 'i32'}}
  %r = tt.atomic_cas acq_rel, gpu, %p, %v, %v : (!tt.ptr<i32>, i32, i32) -> i64
  tt.return
}

// -----
tt.func @block_indices(%d: !tt.tensordesc<tensor<8x16xf32>>, %i: i32) {
  // expected-error @+1 {{has 1 indices for blocks of 'tensor<8x16xf32>'}}
  %r = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<8x16xf32>> -> tensor<8x16xf32>
  tt.return
}

// -----
tt.func @block_tile(%d: !tt.tensordesc<tensor<8x16xf32>>, %i: i32, %v: tensor<8x16xf16>) {
  // expected-error @+1 {{has a tile of 'tensor<8x16xf16>' for blocks of 'tensor<8x16xf32>'}}
  tt.descriptor_store %d[%i, %i], %v : !tt.tensordesc<tensor<8x16xf32>>, tensor<8x16xf16>
  tt.return
}

// -----
tt.func @rows_rank(%d: !tt.tensordesc<tensor<16xf32>>, %x: tensor<8xi32>, %i: i32) {
  // expected-error @+1 {{needs a descriptor with blocks of rank 2, has 'tensor<16xf32>'}}
  %r = tt.descriptor_gather %d[%x, %i] : (!tt.tensordesc<tensor<16xf32>>, tensor<8xi32>, i32) -> tensor<8x16xf32>
  tt.return
}

// -----
tt.func @rows_tile(%d: !tt.tensordesc<tensor<1x16xf32>>, %x: tensor<8xi32>, %i: i32, %v: tensor<4x16xf32>) {
  // expected-error @+1 {{has a tile of 'tensor<4x16xf32>', expected 'tensor<8x16xf32>'}}
  tt.descriptor_scatter %d[%x, %i], %v : !tt.tensordesc<tensor<1x16xf32>>, tensor<8xi32>, i32, tensor<4x16xf32>
  tt.return
}

// -----
tt.func @reduce_arguments(%a: tensor<32xf32>) {
  // expected-error @+1 {{has a region with the arguments ('f32'), expected two elements of each operand: ('f32', 'f32')}}
  %r = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%l: f32):
    tt.reduce.return %l : f32
  }) : (tensor<32xf32>) -> f32
  tt.return
}

// -----
tt.func @reduce_result(%a: tensor<4x32xf32>) {
  // expected-error @+1 {{has the result 'tensor<32xf32>', expected 'tensor<4xf32>'}}
  %r = "tt.reduce"(%a) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %m: f32):
    tt.reduce.return %l : f32
  }) : (tensor<4x32xf32>) -> tensor<32xf32>
  tt.return
}

// -----
tt.func @scan_axis(%a: tensor<32xf32>) {
  // expected-error @+1 {{axis 1 is out of range for rank 1}}
  %r = "tt.scan"(%a) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%l: f32, %m: f32):
    tt.scan.return %l : f32
  }) : (tensor<32xf32>) -> tensor<32xf32>
  tt.return
}

// -----
tt.func @scan_return(%a: tensor<32xf32>) {
  // expected-error @+1 {{has a region that does not end in tt.scan.return of one element of each operand: ('f32')}}
  %r = "tt.scan"(%a) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%l: f32, %m: f32):
    tt.scan.return %l, %m : f32, f32
  }) : (tensor<32xf32>) -> tensor<32xf32>
  tt.return
}

// -----
tt.func @scan_result(%a: tensor<32xf32>) {
  // expected-error @+1 {{has the result 'tensor<32xi32>', expected 'tensor<32xf32>'}}
  %r = "tt.scan"(%a) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%l: f32, %m: f32):
    tt.scan.return %l : f32
  }) : (tensor<32xf32>) -> tensor<32xi32>
  tt.return
}

// -----
tt.func @masked_block(%b: !tt.ptr<tensor<8xf32>>, %m: tensor<8xi1>) {
  // expected-error @+1 {{through a block pointer has no mask; it checks the bounds that boundaryCheck names}}
  %v = tt.load %b, %m : !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----
tt.func @bounds_of_pointers(%p: tensor<8x!tt.ptr<f32>>, %v: tensor<8xf32>) {
  // expected-error @+1 {{checks bounds of block pointers only; give others a mask}}
  tt.store %p, %v {boundaryCheck = array<i32: 0>} : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----
tt.func @bounds_of_dimension(%b: !tt.ptr<tensor<8xf32>>) {
  // expected-error @+1 {{checks the bounds of dimension 1 of 'tensor<8xf32>'}}
  %v = tt.load %b {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----
tt.func @strided_descriptor(%p: !tt.ptr<f32>, %n: i32) {
  %two = arith.constant 2 : i64
  // expected-error @+1 {{has a last stride of 2; it must be 1}}
  %d = tt.make_tensor_descriptor %p, [%n], [%two] : <f32>, <tensor<8xf32>>
  tt.return
}
