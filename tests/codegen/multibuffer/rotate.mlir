// RUN: dl-opt %s --npu-multibuffer --split-input-file | FileCheck %s
// RUN: dl-opt %s --npu-multibuffer=slots=3 --split-input-file | FileCheck %s --check-prefix=THREE
// RUN: dl-opt %s --npu-multibuffer=slots=1 --split-input-file | FileCheck %s --check-prefix=ONE

// One counter through the whole nest: the next outer iteration goes on where the last one stopped.
// CHECK-LABEL: func.func @nest
// CHECK: scf.for {{.*}} iter_args(%[[OUTER:.*]] = %
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[INNER:.*]] = %[[OUTER]])
// A tile of 256 bytes is far less than what a transfer unit can have in flight.
// CHECK: %[[X:.*]] = npu.alloc {name = "x", slots = 7 : i64}
// CHECK: %[[S:.*]] = npu.slot %[[X]][%[[INNER]]]
// CHECK: npu.copy_in %[[S]]
// CHECK: scf.yield %[[R]]
// CHECK: {dl.parallel}
// THREE: slots = 3 : i64
// THREE: arith.cmpi eq
// THREE: arith.select
// ONE-NOT: npu.slot
func.func @nest(%p: i64, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  scf.for %t = %c0 to %n step %c1 : i64 {
    scf.for %i = %c0 to %n step %c1 : i64 {
      %x = npu.alloc {name = "x"} : memref<64xf32, #npu.space<ub>>
      npu.copy_in %x[%c0, %c0], %p rows %c1 cols %m stride %c0 : memref<64xf32, #npu.space<ub>>
      npu.vunary exp %x, %x : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
    }
  } {dl.parallel}
  return
}

// -----

// What is not local to an iteration, or never leaves its unit, keeps one slot.
// CHECK-LABEL: func.func @no_candidates
// CHECK-NOT: npu.slot
func.func @no_candidates(%p: i64, %n: i64, %v: f32) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %sum = npu.alloc {name = "sum"} : memref<64xf32, #npu.space<ub>>
  npu.vdup %sum, %v : memref<64xf32, #npu.space<ub>>, f32
  scf.for %i = %c0 to %n step %c1 : i64 {
    %t = npu.alloc {name = "t"} : memref<64xf32, #npu.space<ub>>
    npu.vunary exp %t, %sum : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
    npu.vbinary add %sum, %sum, %t : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
  }
  npu.copy_out %sum[%c0, %c0], %p rows %c1 cols %m stride %c0 : memref<64xf32, #npu.space<ub>>
  return
}

// -----

// A loop of few iterations leaves the room to others.
// CHECK-LABEL: func.func @brief
// CHECK-NOT: npu.slot
func.func @brief(%p: i64, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %x = npu.alloc {name = "x"} : memref<64xf32, #npu.space<ub>>
    npu.copy_in %x[%c0, %c0], %p rows %c1 cols %m stride %c0 : memref<64xf32, #npu.space<ub>>
    npu.vunary exp %x, %x : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
  } {dl.brief}
  return
}

// -----

// A second slot in the outer loop would leave the inner one so little memory that its two buffers took turns.
// CHECK-LABEL: func.func @outer_gives_way
// CHECK: npu.alloc {name = "a"}
// CHECK: npu.alloc {name = "b"}
// CHECK: npu.alloc {name = "outer"}
!inner = memref<14336xf32, #npu.space<ub>>
!outer = memref<12288xf32, #npu.space<ub>>
func.func @outer_gives_way(%p: i64, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %m = arith.constant 12288 : i64
  scf.for %t = %c0 to %n step %c1 : i64 {
    scf.for %i = %c0 to %n step %c1 : i64 {
      %a = npu.alloc {name = "a"} : !inner
      npu.copy_in %a[%c0, %c0], %p rows %c1 cols %m stride %c0 : !inner
      npu.vunary exp %a, %a : !inner, !inner
      %b = npu.alloc {name = "b"} : !inner
      npu.copy_in %b[%c0, %c0], %p rows %c1 cols %m stride %c0 : !inner
      npu.vunary exp %b, %b : !inner, !inner
    }
    %z = npu.alloc {name = "outer"} : !outer
    npu.copy_in %z[%c0, %c0], %p rows %c1 cols %m stride %c0 : !outer
    npu.vunary exp %z, %z : !outer, !outer
  }
  return
}

// -----

// What fills faster than it is stored says how many slots it wants; a number that was asked for goes first.
// CHECK-LABEL: func.func @deep
// CHECK: npu.alloc {name = "x", npu.deep = 4 : i64, slots = 4 : i64}
// THREE-LABEL: func.func @deep
// THREE: npu.alloc {name = "x", npu.deep = 4 : i64, slots = 3 : i64}
func.func @deep(%p: i64, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  scf.for %t = %c0 to %n step %c1 : i64 {
    %x = npu.alloc {name = "x", npu.deep = 4 : i64} : memref<64xf32, #npu.space<ub>>
    npu.copy_in %x[%c0, %c0], %p rows %c1 cols %m stride %c0 : memref<64xf32, #npu.space<ub>>
    npu.vunary exp %x, %x : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
  }
  return
}

// -----

// Pieces that fill UB: two of them in turn are worth more than two slots of a small tile. Tiles of which there is one keep them.
// CHECK-LABEL: func.func @pieces
// CHECK-NOT: slots = 2
// CHECK-LABEL: func.func @no_pieces
// CHECK: npu.alloc {name = "few", slots = 2 : i64}
func.func @pieces(%x: i64, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %m = arith.constant 16384 : i64
  %k = arith.constant 12288 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %p0 = npu.alloc {name = "p"} : memref<16384xf32, #npu.space<ub>>
    npu.copy_in %p0[%c0, %c0], %x rows %c1 cols %m stride %c0 : memref<16384xf32, #npu.space<ub>>
    npu.vunary exp %p0, %p0 : memref<16384xf32, #npu.space<ub>>, memref<16384xf32, #npu.space<ub>>
    %p1 = npu.alloc {name = "p"} : memref<16384xf32, #npu.space<ub>>
    npu.copy_in %p1[%c0, %c0], %x rows %c1 cols %m stride %c0 : memref<16384xf32, #npu.space<ub>>
    npu.vunary exp %p1, %p1 : memref<16384xf32, #npu.space<ub>>, memref<16384xf32, #npu.space<ub>>
    %p2 = npu.alloc {name = "p"} : memref<16384xf32, #npu.space<ub>>
    npu.copy_in %p2[%c0, %c0], %x rows %c1 cols %m stride %c0 : memref<16384xf32, #npu.space<ub>>
    npu.vunary exp %p2, %p2 : memref<16384xf32, #npu.space<ub>>, memref<16384xf32, #npu.space<ub>>
    %few = npu.alloc {name = "few"} : memref<12288xf32, #npu.space<ub>>
    npu.copy_in %few[%c0, %c0], %x rows %c1 cols %k stride %c0 : memref<12288xf32, #npu.space<ub>>
    npu.vunary exp %few, %few : memref<12288xf32, #npu.space<ub>>, memref<12288xf32, #npu.space<ub>>
  }
  return
}
func.func @no_pieces(%x: i64, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %m = arith.constant 16384 : i64
  %k = arith.constant 12288 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %p0 = npu.alloc {name = "p"} : memref<16384xf32, #npu.space<ub>>
    npu.copy_in %p0[%c0, %c0], %x rows %c1 cols %m stride %c0 : memref<16384xf32, #npu.space<ub>>
    npu.vunary exp %p0, %p0 : memref<16384xf32, #npu.space<ub>>, memref<16384xf32, #npu.space<ub>>
    %few = npu.alloc {name = "few"} : memref<12288xf32, #npu.space<ub>>
    npu.copy_in %few[%c0, %c0], %x rows %c1 cols %k stride %c0 : memref<12288xf32, #npu.space<ub>>
    npu.vunary exp %few, %few : memref<12288xf32, #npu.space<ub>>, memref<12288xf32, #npu.space<ub>>
  }
  return
}
