// RUN: dl-opt %s --npu-inplace --split-input-file | FileCheck %s

// The middle of a chain reuses a buffer; what a transfer fills, and what is still read later, is left alone.
// CHECK-LABEL: func.func @chain
// CHECK: npu.copy_in %[[IN:.*]][
// CHECK: npu.vunary exp %[[A:.*]], %[[IN]]
// CHECK: npu.vscalar adds %[[A]], %[[A]]
// CHECK: npu.vbinary mul %[[B:.*]], %[[A]], %[[A]]
// CHECK: npu.vbinary add %{{.*}}, %{{.*}}, %{{.*}}
// CHECK: npu.copy_out
func.func @chain(%x: i64, %s: f32) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 64 : i64
  %in = npu.alloc : memref<64xf32, #npu.space<ub>>
  npu.copy_in %in[%c0, %c0], %x rows %c1 cols %n stride %c0 : memref<64xf32, #npu.space<ub>>
  %a = npu.alloc {name = "a"} : memref<64xf32, #npu.space<ub>>
  npu.vunary exp %a, %in : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
  %b = npu.alloc {name = "b"} : memref<64xf32, #npu.space<ub>>
  npu.vscalar adds %b, %a, %s : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>, f32
  %c = npu.alloc : memref<64xf32, #npu.space<ub>>
  npu.vbinary mul %c, %b, %b : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
  %d = npu.alloc : memref<64xf32, #npu.space<ub>>
  npu.vbinary add %d, %b, %c : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
  npu.copy_out %d[%c0, %c0], %x rows %c1 cols %n stride %c0 : memref<64xf32, #npu.space<ub>>
  return
}

// -----

// Rows in pieces: a large piece's result takes the place of what was loaded, so that the next piece's load has memory; a small
// one's does not.
// CHECK-LABEL: func.func @pieces
// CHECK: npu.copy_in %[[IN:.*]][
// CHECK: npu.vunary exp %[[IN]], %[[IN]]
// CHECK: npu.copy_in %[[FEW:.*]][
// CHECK-NOT: npu.vunary exp %[[FEW]]
func.func @pieces(%x: i64) attributes {dl.row_pieces = 2 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 8192 : i64
  %in = npu.alloc : memref<8192xf32, #npu.space<ub>>
  npu.copy_in %in[%c0, %c0], %x rows %c1 cols %n stride %c0 : memref<8192xf32, #npu.space<ub>>
  %a = npu.alloc {name = "a"} : memref<8192xf32, #npu.space<ub>>
  npu.vunary exp %a, %in : memref<8192xf32, #npu.space<ub>>, memref<8192xf32, #npu.space<ub>>
  npu.copy_out %a[%c0, %c0], %x rows %c1 cols %n stride %c0 : memref<8192xf32, #npu.space<ub>>
  %few = npu.alloc : memref<64xf32, #npu.space<ub>>
  npu.copy_in %few[%c0, %c0], %x rows %c1 cols %c1 stride %c0 : memref<64xf32, #npu.space<ub>>
  %b = npu.alloc {name = "b"} : memref<64xf32, #npu.space<ub>>
  npu.vunary exp %b, %few : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
  npu.copy_out %b[%c0, %c0], %x rows %c1 cols %c1 stride %c0 : memref<64xf32, #npu.space<ub>>
  return
}
