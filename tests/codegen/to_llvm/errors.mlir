// RUN: dl-opt %s --npu-to-llvm --verify-diagnostics --split-input-file

func.func @compare(%v: i32) attributes {npu.kind = "aiv"} {
  %a = npu.alloc {name = "a", offset = 0 : i64} : memref<64xi32, #npu.space<ub>>
  %m = npu.alloc {name = "m", offset = 416 : i64} : memref<64xi1, #npu.space<ub>>
  // expected-error @below {{the vector unit compares integers for equality only}}
  npu.vcmps lt %m, %a, %v : memref<64xi1, #npu.space<ub>>, memref<64xi32, #npu.space<ub>>, i32
  return
}

// -----

func.func @reduce() attributes {npu.kind = "aiv"} {
  %a = npu.alloc {name = "a", offset = 0 : i64} : memref<64xi32, #npu.space<ub>>
  %r = npu.alloc {name = "r", offset = 416 : i64} : memref<1xi32, #npu.space<ub>>
  // expected-error @below {{the vector unit reduces f16 and f32 within a row only}}
  npu.vreduce add %r, %a axis 0 : memref<1xi32, #npu.space<ub>>, memref<64xi32, #npu.space<ub>>
  return
}

// -----

func.func @gather() attributes {npu.kind = "aiv"} {
  %zero = arith.constant 0 : i64
  %a = npu.alloc {name = "a", offset = 0 : i64} : memref<64xi8, #npu.space<ub>>
  %t = npu.alloc {name = "t", offset = 512 : i64} : memref<64xi32, #npu.space<ub>>
  %r = npu.alloc {name = "r", offset = 1024 : i64} : memref<64xi8, #npu.space<ub>>
  // expected-error @below {{the vector unit gathers 16- and 32-bit elements only}}
  npu.vgather %r[%zero], %a + %zero, %t : memref<64xi8, #npu.space<ub>>, memref<64xi8, #npu.space<ub>>, memref<64xi32, #npu.space<ub>>
  return
}

// -----

func.func @offsets() attributes {npu.kind = "aiv"} {
  %zero = arith.constant 0 : i64
  %a = npu.alloc {name = "a", offset = 0 : i64} : memref<64xf32, #npu.space<ub>>
  %t = npu.alloc {name = "t", offset = 512 : i64} : memref<4x12xi32, #npu.space<ub>>
  %r = npu.alloc {name = "r", offset = 1024 : i64} : memref<4x12xf32, #npu.space<ub>>
  // expected-error @below {{offsets of rank 2 need rows of a multiple of 16 elements, as long as the result's}}
  npu.vgather %r[%zero], %a + %zero, %t : memref<4x12xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>, memref<4x12xi32, #npu.space<ub>>
  return
}

// -----

func.func @long_rows() attributes {npu.kind = "aiv"} {
  %a = npu.alloc {name = "a", offset = 0 : i64} : memref<16x4096xf16, #npu.space<ub>>
  %r = npu.alloc {name = "r", offset = 131072 : i64} : memref<4096x16xf16, #npu.space<ub>>
  // expected-error @below {{rows of more than 4080 elements cannot be transposed on chip}}
  npu.vtrans %r, %a : memref<4096x16xf16, #npu.space<ub>>, memref<16x4096xf16, #npu.space<ub>>
  return
}

// -----

func.func @update(%p: i64, %v: i64) attributes {npu.kind = "aiv"} {
  // expected-error @below {{there is no atomic update of elements of 'f64'}}
  %r = npu.gm_atomic add %v, %p as f64 : i64 -> i64
  return
}

// -----

func.func @copy(%p: i64) attributes {npu.kind = "aiv"} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c8 = arith.constant 8 : i64
  %a = npu.alloc {name = "a", offset = 0 : i64} : memref<8xf64, #npu.space<ub>>
  // expected-error @below {{element type 'f64' cannot be moved by this command; integers of 8 to 64 bits, f16, bf16 and f32 can}}
  npu.copy_out %a[%c0, %c0], %p rows %c1 cols %c8 stride %c0 : memref<8xf64, #npu.space<ub>>
  return
}

// -----

func.func @scratch() attributes {npu.kind = "aiv"} {
  %a = npu.alloc {name = "a", offset = 0 : i64} : memref<4096xf32, #npu.space<ub>>
  %r = npu.alloc {name = "r", offset = 32768 : i64} : memref<1xf32, #npu.space<ub>>
  // expected-error-re @below {{needs a tmp of {{[0-9]+}} elements}}
  npu.vreduce add %r, %a axis 0 : memref<1xf32, #npu.space<ub>>, memref<4096xf32, #npu.space<ub>>
  return
}

// -----

// expected-error @below {{expected one kernel (or the two functions of a mixed one), found 2}}
module {
  func.func @a() attributes {npu.kind = "aiv"} {
    return
  }
  func.func @b() attributes {npu.kind = "aiv"} {
    return
  }
}
