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
