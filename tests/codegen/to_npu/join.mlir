// Small commands of several pieces of rows become one, on a buffer that has the pieces side by side.
// RUN: dl-opt %s --npu-join-pieces --split-input-file | FileCheck %s

// Differences and their exponentials move behind the last piece's maximum; the maxima write parts. What is copied twice in a row
// goes in two commands.
// CHECK-LABEL: func.func @statistics
// CHECK-DAG: %[[OLD:.*]] = npu.alloc {name = "old"} : memref<32xf32
// CHECK-DAG: %[[LATE:.*]] = npu.alloc {name = "late"} : memref<32xf32
// CHECK: scf.for
// CHECK: %[[NEW:.*]] = npu.alloc {name = "new"} : memref<32xf32
// CHECK: %[[NEW0:.*]] = npu.part %[[NEW]] at 0 : memref<32xf32, #npu.space<ub>> -> memref<16xf32, #npu.space<ub>>
// CHECK: npu.vreduce max %[[NEW0]]
// CHECK: %[[NEW1:.*]] = npu.part %[[NEW]] at 64
// CHECK: npu.vreduce max %[[NEW1]]
// CHECK: npu.vbinary sub %[[D:.*]], %[[OLD]], %[[NEW]] : memref<32xf32
// CHECK-NEXT: npu.vunary exp %[[D]], %[[D]] : memref<32xf32
// CHECK-NEXT: npu.vunary copy %[[LATE]], %[[OLD]] : memref<32xf32
// CHECK-NEXT: npu.vunary copy %[[OLD]], %[[NEW]] : memref<32xf32
// CHECK-NEXT: }
!few = memref<16xf32, #npu.space<ub>>
!tile = memref<16x64xf32, #npu.space<ub>>
#sub = loc("k.py":1:1)
#exp = loc("k.py":2:1)
#copy = loc("k.py":3:1)
func.func @statistics(%x: i64, %n: i64, %s: f32) attributes {dl.row_pieces = 2 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c64 = arith.constant 64 : i64
  %c256 = arith.constant 256 : i64
  %old0 = npu.alloc {name = "old"} : !few
  %old1 = npu.alloc {name = "old"} : !few
  %late0 = npu.alloc {name = "late"} : !few
  %late1 = npu.alloc {name = "late"} : !few
  npu.vdup %old0, %s : !few, f32
  npu.vdup %old1, %s : !few, f32
  scf.for %i = %c0 to %n step %c1 : i64 {
    %s0 = npu.alloc : !tile
    npu.copy_in %s0[%c0, %c0], %x rows %c16 cols %c64 stride %c256 : !tile
    %new0 = npu.alloc {name = "new"} : !few
    npu.vreduce max %new0, %s0 axis 1 : !few, !tile
    %d0 = npu.alloc {name = "d"} : !few
    npu.vbinary sub %d0, %old0, %new0 : !few, !few, !few loc(#sub)
    npu.vunary exp %d0, %d0 : !few, !few loc(#exp)
    %s1 = npu.alloc : !tile
    npu.copy_in %s1[%c0, %c0], %x rows %c16 cols %c64 stride %c256 : !tile
    %new1 = npu.alloc {name = "new"} : !few
    npu.vreduce max %new1, %s1 axis 1 : !few, !tile
    %d1 = npu.alloc {name = "d"} : !few
    npu.vbinary sub %d1, %old1, %new1 : !few, !few, !few loc(#sub)
    npu.vunary exp %d1, %d1 : !few, !few loc(#exp)
    npu.vunary copy %late0, %old0 : !few, !few loc(#copy)
    npu.vunary copy %old0, %new0 : !few, !few loc(#copy)
    npu.vunary copy %late1, %old1 : !few, !few loc(#copy)
    npu.vunary copy %old1, %new1 : !few, !few loc(#copy)
  }
  return
}

// -----

// Not joined: what a transfer fills; a result that the next command of its piece reads where a later piece has to wait for it; pieces
// that are not whole blocks of 32 bytes; commands that are fewer than pieces.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: npu.part
!piece = memref<16xf32, #npu.space<ub>>
!short = memref<4xf32, #npu.space<ub>>
#a = loc("k.py":1:1)
#b = loc("k.py":2:1)
#c = loc("k.py":3:1)
#d = loc("k.py":4:1)
func.func @apart(%x: i64, %s: f32) attributes {dl.row_pieces = 2 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %l0 = npu.alloc : !piece
  %l1 = npu.alloc : !piece
  npu.copy_in %l0[%c0, %c0], %x rows %c1 cols %c16 stride %c0 : !piece
  npu.copy_in %l1[%c0, %c0], %x rows %c1 cols %c16 stride %c0 : !piece
  npu.vunary exp %l0, %l0 : !piece, !piece loc(#a)
  npu.vunary exp %l1, %l1 : !piece, !piece loc(#a)
  %m0 = npu.alloc : !piece
  npu.vdup %m0, %s : !piece, f32 loc(#b)
  npu.vbinary max %l0, %l0, %m0 : !piece, !piece, !piece
  %m1 = npu.alloc : !piece
  npu.vunary copy %m1, %l0 : !piece, !piece
  npu.vdup %m1, %s : !piece, f32 loc(#b)
  %t0 = npu.alloc : !short
  %t1 = npu.alloc : !short
  npu.vdup %t0, %s : !short, f32 loc(#c)
  npu.vdup %t1, %s : !short, f32 loc(#c)
  %o0 = npu.alloc : !piece
  npu.vdup %o0, %s : !piece, f32 loc(#d)
  return
}
