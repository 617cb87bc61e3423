// RUN: dl-opt %s --npu-to-llvm --split-input-file | FileCheck %s

// Offsets: the first row by iota, then the rows double; 64 elements of a gather a repeat. A counted gather, and all lanes
// again. A spread element takes a block of 64 bytes (rows are padded to 16 elements): dst block 2, repeat 16.
// CHECK-LABEL: func.func @kernel
// CHECK: llvm.call @dlnpu.v.iota
// CHECK-COUNT-3: llvm.call @dlnpu.v.adds
// CHECK: llvm.call @dlnpu.v.gather
// CHECK: llvm.call @dlnpu.v.count(%{{.*}}, %{{.*}})
// CHECK: llvm.call @dlnpu.v.gather
// CHECK: llvm.call @dlnpu.v.brcb
// CHECK: llvm.call @dlnpu.v.mask
func.func @picks(%n: i64) attributes {npu.kind = "aiv"} {
  %c0 = arith.constant 0 : i64
  %a = npu.alloc {name = "a", offset = 0 : i64} : memref<8x16xf32, #npu.space<ub>>
  %b = npu.alloc {name = "b", offset = 1024 : i64} : memref<8x16xf32, #npu.space<ub>>
  %t = npu.alloc {name = "t", offset = 2048 : i64} : memref<8x16xi32, #npu.space<ub>>
  %l = npu.alloc {name = "l", offset = 3072 : i64} : memref<16xi32, #npu.space<ub>>
  %s = npu.alloc {name = "s", offset = 4096 : i64} : memref<16x2xf32, #npu.space<ub>>
  npu.voffsets %t rows 4 columns 64 : memref<8x16xi32, #npu.space<ub>>
  npu.vgather %b[%c0], %a + %c0, %t : memref<8x16xf32, #npu.space<ub>>, memref<8x16xf32, #npu.space<ub>>, memref<8x16xi32, #npu.space<ub>>
  npu.vgather %b[%c0], %a + %c0, %l count %n : memref<8x16xf32, #npu.space<ub>>, memref<8x16xf32, #npu.space<ub>>, memref<16xi32, #npu.space<ub>>
  npu.vspread %s, %a + %c0 : memref<16x2xf32, #npu.space<ub>>, memref<8x16xf32, #npu.space<ub>>
  return
}

// -----

// Blocks of 16 x 16: one command a column of blocks, repeats down the rows: dst block 4 (64 columns of f16), src block 2,
// dst repeat 1, src repeat 32, 4 repeats.
// 4 | 2<<8 | 1<<24 | 32<<32 | 4<<48
// CHECK-LABEL: func.func @kernel
// CHECK: arith.constant 1126037362573828 : i64
// CHECK-COUNT-2: llvm.call @dlnpu.v.trans
// CHECK-NOT: llvm.call @dlnpu.v.trans
func.func @turn() attributes {npu.kind = "aiv"} {
  %a = npu.alloc {name = "a", offset = 0 : i64} : memref<64x32xf16, #npu.space<ub>>
  %b = npu.alloc {name = "b", offset = 4096 : i64} : memref<32x64xf16, #npu.space<ub>>
  npu.vtrans %b, %a : memref<32x64xf16, #npu.space<ub>>, memref<64x32xf16, #npu.space<ub>>
  return
}
