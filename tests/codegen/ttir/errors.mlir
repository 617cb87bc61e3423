// RUN: dl-opt --split-input-file --verify-diagnostics %s

tt.func @range() {
  // expected-error @+1 {{[0, 8) does not have the 16 elements of its result}}
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<16xi32>
  tt.return
}

// -----
tt.func @expand(%x: tensor<8xi32>) {
  // expected-error @+1 {{result must have the operand's shape with a 1 inserted at axis 1}}
  %r = tt.expand_dims %x {axis = 1 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  tt.return
}

// -----
tt.func @broadcast(%x: tensor<2x8xi32>) {
  // expected-error @+1 {{dimension 0 has size 2, only 1 can become 4}}
  %r = tt.broadcast %x : tensor<2x8xi32> -> tensor<4x8xi32>
  tt.return
}

// -----
tt.func @dot(%a: tensor<32x64xf16>, %b: tensor<32x48xf16>, %c: tensor<32x48xf32>) {
  // expected-error @+1 {{inner sizes differ}}
  %d = tt.dot %a, %b, %c : tensor<32x64xf16> * tensor<32x48xf16> -> tensor<32x48xf32>
  tt.return
}

// -----
tt.func @reduce(%a: tensor<32xf32>) {
  // expected-error @+1 {{axis 1 is out of range for rank 1}}
  %r = "tt.reduce"(%a) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %m: f32):
    tt.reduce.return %l : f32
  }) : (tensor<32xf32>) -> f32
  tt.return
}

// -----
tt.func @trans(%a: tensor<2x8xi32>) {
  // expected-error @+1 {{order must list every dimension once}}
  %r = tt.trans %a {order = array<i32: 0, 0>} : tensor<2x8xi32> -> tensor<2x2xi32>
  tt.return
}

// -----
tt.func @call() {
  // expected-error @+1 {{calls 'nobody', which is no tt.func of this module}}
  tt.call @nobody() : () -> ()
  tt.return
}

// -----
tt.func @result() -> i32 {
  // expected-error @+1 {{but the function's type says}}
  tt.return
}

// -----
tt.func @broadcast_rank(%x: tensor<8xi32>) {
  // expected-error @+1 {{cannot change the rank from 1 to 2}}
  %r = tt.broadcast %x : tensor<8xi32> -> tensor<4x8xi32>
  tt.return
}

// -----
tt.func @unsplat(%x: tensor<8xi32>) {
  // expected-error @+1 {{needs a tensor of one element of the result's type}}
  %r = tt.unsplat %x : tensor<8xi32> -> i32
  tt.return
}

// -----
tt.func @block_rank(%p: !tt.ptr<f32>, %n: i64, %o: i32) {
  // expected-error @+1 {{tile has rank 2 but 1 sizes are given}}
  %b = tt.make_tensor_ptr %p, [%n], [%n], [%o] {order = array<i32: 0>} : <tensor<8x8xf32>>
  tt.return
}

// -----
tt.func @dot_rank(%a: tensor<16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{operands and result must all have rank 2 or 3}}
  %d = tt.dot %a, %b, %c : tensor<16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  tt.return
}

// -----
tt.func @reduce_results(%a: tensor<32xf32>) {
  // expected-error @+1 {{needs one result for each operand}}
  %r:2 = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %m: f32):
    tt.reduce.return %l, %l : f32, f32
  }) : (tensor<32xf32>) -> (f32, f32)
  tt.return
}

// -----
tt.func private @callee(%x: f32) -> f32 {
  tt.return %x : f32
}
tt.func @call_type(%x: i32) {
  // expected-error @+1 {{does not match the type of 'callee': '(f32) -> f32'}}
  %r = tt.call @callee(%x) : (i32) -> f32
  tt.return
}
