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
