// What operations of the dialects dl and npu must keep.
// RUN: dl-opt %s --split-input-file --verify-diagnostics

func.func @rectangle(%p: !tt.ptr<f32>, %c: i64) {
  // expected-error @below {{needs 1 strides, lo and hi for 'tensor<8xf32>', has 2, 1 and 1}}
  %a = dl.load %p strides[%c, %c] lo[%c] hi[%c] : !tt.ptr<f32> -> tensor<8xf32>
  return
}

// -----

func.func @shape(%p: !tt.ptr<f32>, %c: i64) {
  // expected-error @below {{needs a static shape, has 'tensor<?xf32>'}}
  %a = dl.load %p strides[%c] lo[%c] hi[%c] : !tt.ptr<f32> -> tensor<?xf32>
  return
}

// -----

func.func @wrap(%p: !tt.ptr<f32>, %c: i64) {
  // expected-error @below {{wrap needs a start, a modulus and the attribute wrap_dim}}
  %a = dl.load %p strides[%c] lo[%c] hi[%c] wrap(%c mod %c) : !tt.ptr<f32> -> tensor<8xf32>
  return
}

// -----

func.func @dot(%a: tensor<16x16xf16>, %b: tensor<32x16xf16>, %c: tensor<16x16xf32>, %z: i1) {
  // expected-error @below {{shapes do not match: 'tensor<16x16xf16>' times 'tensor<32x16xf16>' into 'tensor<16x16xf32>'}}
  %d = dl.dot %a, %b, %c init %z {k_step = 16 : i64} : tensor<16x16xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
  return
}

// -----

func.func @space() {
  // expected-error @below {{needs a memory space #npu.space<..>, has 'memref<64xf32>'}}
  %a = npu.alloc {name = "a"} : memref<64xf32>
  return
}

// -----

func.func @rank() {
  // expected-error @below {{needs a static shape of rank 1 or 2, has 'memref<2x2x64xf32, #npu.space<ub>>'}}
  %a = npu.alloc {name = "a"} : memref<2x2x64xf32, #npu.space<ub>>
  return
}

// -----

func.func @slots() {
  // expected-error @below {{needs at least one slot, has 0}}
  %a = npu.alloc {name = "a", slots = 0 : i64} : memref<64xf32, #npu.space<ub>>
  return
}

// -----

func.func @wrap_dim(%p: !tt.ptr<f32>, %c: i64) {
  // expected-error @below {{wrap_dim 1 is not a dimension of 'tensor<8xf32>'}}
  %a = dl.load %p strides[%c] lo[%c] hi[%c] wrap(%c mod %c) {wrap_dim = 1 : i64} : !tt.ptr<f32> -> tensor<8xf32>
  return
}

// -----

func.func @other(%p: !tt.ptr<f32>, %c: i64, %o: f16) {
  // expected-error @below {{other has type 'f16', the elements 'f32'}}
  %a = dl.load %p strides[%c] lo[%c] hi[%c] other(%o : f16) : !tt.ptr<f32> -> tensor<8xf32>
  return
}

// -----

func.func @walk_order(%p: !tt.ptr<f32>, %c: i64, %true: i1) {
  // expected-error @below {{walks dimension 0, expected ascending dimensions of 'tensor<8x8xf32>'}}
  %a = dl.gather strides[%c, %c] lo[%c, %c] hi[%c, %c] walk [1, 0] {
  ^bb0(%i: i64, %j: i64):
    dl.run %p count %c if %true lo[%c, %c] hi[%c, %c] : !tt.ptr<f32>
  } : tensor<8x8xf32>
  return
}

// -----

func.func @walk_arguments(%p: !tt.ptr<f32>, %c: i64, %true: i1) {
  // expected-error @below {{walks 1 dimensions, its body has 2 arguments}}
  %a = dl.gather strides[%c] lo[%c] hi[%c] walk [0] {
  ^bb0(%i: i64, %j: i64):
    dl.run %p count %c if %true lo[%c] hi[%c] : !tt.ptr<f32>
  } : tensor<8xf32>
  return
}

// -----

func.func @walk_body(%p: !tt.ptr<f32>, %c: i64) {
  // expected-error @below {{needs a body that ends in dl.run}}
  %a = dl.gather strides[%c] lo[%c] hi[%c] walk [0] {
  ^bb0(%i: i64):
    %j = arith.addi %i, %c : i64
  } : tensor<8xf32>
  return
}

// -----

func.func @pick_digits(%a: tensor<64xf32>) {
  // expected-error @below {{needs a divisor, a size and a stride for each digit}}
  %b = dl.pick %a from 0 divisors [1, 8] sizes [8] strides [1, 8] : tensor<64xf32> -> tensor<64xf32>
  return
}

// -----

func.func @pick_order(%a: tensor<64xf32>) {
  // expected-error @below {{needs digits in ascending order}}
  %b = dl.pick %a from 0 divisors [8, 1] sizes [8, 8] strides [1, 8] : tensor<64xf32> -> tensor<64xf32>
  return
}

// -----

func.func @pick_end(%a: tensor<64xf32>) {
  // expected-error @below {{reaches beyond its source or result}}
  %b = dl.pick %a from 8 divisors [1] sizes [64] strides [1] : tensor<64xf32> -> tensor<64xf32>
  return
}

// -----

func.func @dot_rank(%a: tensor<2x16x16xf16>, %b: tensor<2x16x16xf16>, %c: tensor<2x16x16xf32>, %z: i1) {
  // expected-error @below {{needs operands of rank 2}}
  %d = dl.dot %a, %b, %c init %z {k_step = 16 : i64} : tensor<2x16x16xf16>, tensor<2x16x16xf16> -> tensor<2x16x16xf32>
  return
}

// -----

func.func @depth(%a: tensor<16x48xf16>, %b: tensor<48x16xf16>, %c: tensor<16x16xf32>, %z: i1, %n: i64) {
  // expected-error @below {{with a depth needs k_step to divide K = 48, it is 32}}
  %d = dl.dot %a, %b, %c init %z depth %n {k_step = 32 : i64} : tensor<16x48xf16>, tensor<48x16xf16> -> tensor<16x16xf32>
  return
}

// -----

func.func @part_space(%a: memref<32x32xf16, #npu.space<l1>>) {
  // expected-error @below {{is of a buffer in UB}}
  %b = npu.part %a at 0 : memref<32x32xf16, #npu.space<l1>> -> memref<16x32xf16, #npu.space<l1>>
  return
}

// -----

func.func @part_end(%a: memref<64xf32, #npu.space<ub>>) {
  // expected-error @below {{bytes 160 to 288 are no aligned part of 256}}
  %b = npu.part %a at 160 : memref<64xf32, #npu.space<ub>> -> memref<32xf32, #npu.space<ub>>
  return
}

// -----
tt.func public @no_sources(%a: tensor<8xf32>) {
  // expected-error@+1 {{needs sources of one type}}
  %b = "dl.interleave"() : () -> tensor<8xf32>
  tt.return
}

// -----
tt.func public @too_few(%a: tensor<8xf32>) {
  // expected-error@+1 {{makes no 'tensor<24xf32>' of 2 times 'tensor<8xf32>'}}
  %b = dl.interleave %a, %a : tensor<8xf32>, tensor<8xf32> -> tensor<24xf32>
  tt.return
}

// -----
tt.func public @no_rows(%a: tensor<f32>) {
  // expected-error@+1 {{needs tensors with rows}}
  %b = dl.deinterleave %a[0 of 2] : tensor<f32> -> tensor<f32>
  tt.return
}

// -----
tt.func public @third_of_two(%a: tensor<16xf32>) {
  // expected-error@+1 {{has no element 2 of 2}}
  %b = dl.deinterleave %a[2 of 2] : tensor<16xf32> -> tensor<8xf32>
  tt.return
}
