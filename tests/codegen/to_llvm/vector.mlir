// RUN: dl-opt %s --npu-to-llvm --split-input-file | FileCheck %s

// Strides word: dst block 1, src0 block 1, repeat strides 8, repeats in bits 48..55. 255 repeats a command, then a short
// repeat under a mask; all lanes are on again at the end.
// 1 | 1<<8 | 8<<24 | 8<<32 | 255<<48 = 71776153555173633
// CHECK-LABEL: func.func @kernel
// CHECK-DAG: %[[FULL:.*]] = arith.constant 71776153555173633 : i64
// CHECK-DAG: %[[ONE:.*]] = arith.constant 281509470667009 : i64
// CHECK-DAG: %[[MASK:.*]] = arith.constant 1048575 : i64
// CHECK-DAG: %[[ALL:.*]] = arith.constant -1 : i64
// CHECK: llvm.call @dlnpu.v.exp(%{{.*}}, %{{.*}}, %[[FULL]], %{{.*}})
// CHECK-NOT: v.mask
// CHECK: llvm.call @dlnpu.v.mask(%[[MASK]]
// CHECK: llvm.call @dlnpu.v.exp(%{{.*}}, %{{.*}}, %[[ONE]], %{{.*}})
// CHECK-NOT: v.mask
// CHECK: llvm.call @dlnpu.v.sqrt
// CHECK: llvm.call @dlnpu.v.mask(%[[ALL]], %[[ALL]]
// CHECK: return
!t = memref<16340xf32, #npu.space<ub>>
!s = memref<20xf32, #npu.space<ub>>
func.func @tail() attributes {npu.kind = "aiv"} {
  %a = npu.alloc {name = "a", offset = 0 : i64} : !t
  %b = npu.alloc {name = "b", offset = 65536 : i64} : !t
  %c = npu.alloc {name = "c", offset = 131072 : i64} : !s
  npu.vunary exp %b, %a : !t, !t
  npu.vunary sqrt %c, %c : !s, !s
  return
}

// -----

// A cast steps the narrow side by half as many blocks: 64 elements are 8 blocks of f32 and 4 of f16.
// 1 | 1<<8 | 4<<24 | 8<<32 | 4<<48
// CHECK-LABEL: func.func @kernel
// CHECK: arith.constant 1125934333690113 : i64
// CHECK: llvm.call @dlnpu.v.cast
func.func @cast() attributes {npu.kind = "aiv"} {
  %a = npu.alloc {name = "a", offset = 0 : i64} : memref<256xf32, #npu.space<ub>>
  %b = npu.alloc {name = "b", offset = 1024 : i64} : memref<256xf16, #npu.space<ub>>
  npu.vcast rint %b, %a : memref<256xf16, #npu.space<ub>>, memref<256xf32, #npu.space<ub>>
  return
}

// -----

// Reductions of f32: eight elements to one over all rows at once, as long as results fill blocks: 1024 to 128 to 16 to
// one, the last ones whole.
// CHECK-LABEL: func.func @kernel
// CHECK: llvm.call @dlnpu.v.cgmax
// CHECK: llvm.call @dlnpu.v.cgmax
// CHECK: llvm.call @dlnpu.v.mask
// CHECK: llvm.call @dlnpu.v.cmax
// 16 rows of 128: 16 results a row, whose two blocks are folded, then eight to one.
// CHECK: llvm.call @dlnpu.v.mask
// CHECK: llvm.call @dlnpu.v.cgadd
// CHECK: llvm.call @dlnpu.v.add
// CHECK: llvm.call @dlnpu.v.cgadd
// CHECK-NOT: llvm.call @dlnpu.v.cadd
// CHECK: return
func.func @reduce() attributes {npu.kind = "aiv"} {
  %a = npu.alloc {name = "a", offset = 0 : i64} : memref<1024xf32, #npu.space<ub>>
  %t = npu.alloc {name = "t", offset = 4096 : i64} : memref<144xf32, #npu.space<ub>>
  %r = npu.alloc {name = "r", offset = 4800 : i64} : memref<1xf32, #npu.space<ub>>
  npu.vreduce max %r, %a tmp(%t : memref<144xf32, #npu.space<ub>>) axis 0 : memref<1xf32, #npu.space<ub>>, memref<1024xf32, #npu.space<ub>>
  %m = npu.alloc {name = "m", offset = 8192 : i64} : memref<16x128xf32, #npu.space<ub>>
  %u = npu.alloc {name = "u", offset = 16384 : i64} : memref<384xf32, #npu.space<ub>>
  %s = npu.alloc {name = "s", offset = 20480 : i64} : memref<16xf32, #npu.space<ub>>
  npu.vreduce add %s, %m tmp(%u : memref<384xf32, #npu.space<ub>>) axis 1 : memref<16xf32, #npu.space<ub>>, memref<16x128xf32, #npu.space<ub>>
  return
}

// -----

// Of f16, whose per-block reductions are no faster: rows are folded into one repeat, which is reduced whole.
// CHECK-LABEL: func.func @kernel
// CHECK: llvm.call @dlnpu.v.copy
// CHECK: llvm.call @dlnpu.v.max
// CHECK: llvm.call @dlnpu.v.cmax
// CHECK: return
func.func @halves() attributes {npu.kind = "aiv"} {
  %m = npu.alloc {name = "m", offset = 0 : i64} : memref<16x256xf16, #npu.space<ub>>
  %u = npu.alloc {name = "u", offset = 8192 : i64} : memref<2048xf16, #npu.space<ub>>
  %s = npu.alloc {name = "s", offset = 16384 : i64} : memref<16xf16, #npu.space<ub>>
  npu.vreduce max %s, %m tmp(%u : memref<2048xf16, #npu.space<ub>>) axis 1 : memref<16xf16, #npu.space<ub>>, memref<16x256xf16, #npu.space<ub>>
  return
}

// -----

// A column as an operand. Many rows of one repeat: one command down all of them, blocks one after the other with block
// stride 0: 1 | 1<<8 | 0<<16 | 8<<24 | 8<<32 | 1<<40 | 64<<48.
// CHECK-LABEL: func.func @kernel
// CHECK: arith.constant 18015532515066113 : i64
// CHECK: llvm.call @dlnpu.v.brcb
// CHECK: llvm.call @dlnpu.v.mul
// CHECK-NOT: llvm.call @dlnpu.v.mul
// CHECK: return
func.func @down() attributes {npu.kind = "aiv"} {
  %a = npu.alloc {name = "a", offset = 0 : i64} : memref<64x64xf32, #npu.space<ub>>
  %v = npu.alloc {name = "v", offset = 16384 : i64} : memref<64xf32, #npu.space<ub>>
  %b = npu.alloc {name = "b", offset = 16640 : i64} : memref<512xf32, #npu.space<ub>>
  npu.vblocks %b, %v : memref<512xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
  npu.vcolumn mul %a, %a, %b : memref<64x64xf32, #npu.space<ub>>, memref<64x64xf32, #npu.space<ub>>, memref<512xf32, #npu.space<ub>>
  return
}

// -----

// Two long rows: a command each, which reads its element once (repeat stride 0).
// CHECK-LABEL: func.func @kernel
// CHECK: llvm.call @dlnpu.v.brcb
// CHECK-COUNT-2: llvm.call @dlnpu.v.sub
// CHECK-NOT: llvm.call @dlnpu.v.sub
// CHECK: return
func.func @along() attributes {npu.kind = "aiv"} {
  %a = npu.alloc {name = "a", offset = 0 : i64} : memref<2x2048xf32, #npu.space<ub>>
  %v = npu.alloc {name = "v", offset = 16384 : i64} : memref<2xf32, #npu.space<ub>>
  %b = npu.alloc {name = "b", offset = 16640 : i64} : memref<64xf32, #npu.space<ub>>
  npu.vblocks %b, %v : memref<64xf32, #npu.space<ub>>, memref<2xf32, #npu.space<ub>>
  npu.vcolumn sub %a, %a, %b : memref<2x2048xf32, #npu.space<ub>>, memref<2x2048xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
  return
}

// -----

// Masks: a comparison of 100 elements is one counted command, for its short repeat need not begin at a block.
// CHECK-LABEL: func.func @kernel
// CHECK: llvm.call @dlnpu.v.count
// CHECK: llvm.call @dlnpu.v.cmps
// CHECK-NOT: v.count
// CHECK: llvm.call @dlnpu.v.sel
// CHECK: llvm.call @dlnpu.v.mask
// CHECK-NEXT: return
func.func @masks(%v: f32) attributes {npu.kind = "aiv"} {
  %a = npu.alloc {name = "a", offset = 0 : i64} : memref<100xf32, #npu.space<ub>>
  %m = npu.alloc {name = "m", offset = 416 : i64} : memref<100xi1, #npu.space<ub>>
  npu.vcmps lt %m, %a, %v : memref<100xi1, #npu.space<ub>>, memref<100xf32, #npu.space<ub>>, f32
  npu.vsels %a, %m, %a, %v : memref<100xf32, #npu.space<ub>>, memref<100xi1, #npu.space<ub>>, memref<100xf32, #npu.space<ub>>, f32
  return
}
