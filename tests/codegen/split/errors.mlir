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
