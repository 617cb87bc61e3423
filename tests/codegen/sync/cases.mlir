// RUN: dl-opt %s --npu-multibuffer --npu-plan-memory --npu-sync --npu-check-sync --split-input-file | FileCheck %s

// Memory reuse: two buffers whose lifetimes are disjoint share bytes, the units are ordered all the same.
// CHECK-LABEL: func.func @reuse
// CHECK: npu.copy_out
// CHECK: set_flag mte3 -> mte2
// CHECK: wait_flag mte3 -> mte2
// CHECK: npu.copy_in
!big = memref<32768xf32, #npu.space<ub>>
func.func @reuse(%x: i64, %y: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 32768 : i64
  %a = npu.alloc {name = "a"} : !big
  %b = npu.alloc {name = "b"} : !big
  npu.copy_in %a[%c0, %c0], %x rows %c1 cols %n stride %c0 {arg = 0 : i64} : !big
  npu.copy_out %a[%c0, %c0], %y rows %c1 cols %n stride %c0 {arg = 1 : i64} : !big
  npu.copy_in %b[%c0, %c0], %x rows %c1 cols %n stride %c0 {arg = 0 : i64} : !big
  npu.copy_out %b[%c0, %c0], %y rows %c1 cols %n stride %c0 {arg = 2 : i64} : !big
  return
}

// -----

// The scalar unit reads what the vector unit wrote; its result goes back to the vector unit.
// CHECK-LABEL: func.func @scalar
// CHECK: set_flag s -> v
// CHECK: scf.for
// CHECK: wait_flag s -> v
// CHECK: npu.vdup
// CHECK: set_flag v -> s
// CHECK: wait_flag v -> s
// CHECK: npu.load_scalar
// CHECK: set_flag s -> v
!one = memref<8xf32, #npu.space<ub>>
func.func @scalar(%n: i64, %v: f32) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %a = npu.alloc {name = "a"} : !one
  scf.for %i = %c0 to %n step %c1 : i64 {
    npu.vdup %a, %v : !one, f32
    %s = npu.load_scalar %a[%c0] : !one -> f32
  }
  return
}

// -----

// Global memory: what a program stores and loads again is ordered, also around an inner loop; programs of the
// persistent loop are not ordered among each other.
// CHECK-LABEL: func.func @global
// CHECK: scf.for
// CHECK: wait_flag mte3 -> mte2
// CHECK: }
func.func @global(%x: i64, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  scf.for %t = %c0 to %n step %c1 : i64 {
    %a = npu.alloc {name = "a"} : memref<64xf32, #npu.space<ub>>
    %b = npu.alloc {name = "b"} : memref<64xf32, #npu.space<ub>>
    %v = arith.constant 1.0 : f32
    npu.vdup %a, %v : memref<64xf32, #npu.space<ub>>, f32
    npu.copy_out %a[%c0, %c0], %x rows %c1 cols %m stride %c0 {arg = 0 : i64} : memref<64xf32, #npu.space<ub>>
    npu.copy_in %b[%c0, %c0], %x rows %c1 cols %m stride %c0 {arg = 0 : i64} : memref<64xf32, #npu.space<ub>>
    npu.copy_out %b[%c0, %c0], %x rows %c1 cols %m stride %c0 {arg = 0 : i64} : memref<64xf32, #npu.space<ub>>
  } {dl.parallel}
  return
}

// -----

// Branches: conflicts inside one branch are ordered there, between branches around the conditional.
// CHECK-LABEL: func.func @branches
// CHECK: scf.for
// CHECK: scf.if
// CHECK: else
func.func @branches(%x: i64, %n: i64, %p: i1) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %v = arith.constant 1.0 : f32
  %a = npu.alloc {name = "a"} : memref<64xf32, #npu.space<ub>>
  npu.vdup %a, %v : memref<64xf32, #npu.space<ub>>, f32
  scf.for %t = %c0 to %n step %c1 : i64 {
    scf.if %p {
      npu.copy_in %a[%c0, %c0], %x rows %c1 cols %m stride %c0 {arg = 0 : i64} : memref<64xf32, #npu.space<ub>>
      npu.vunary relu %a, %a : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
    } else {
      npu.copy_out %a[%c0, %c0], %x rows %c1 cols %m stride %c0 {arg = 1 : i64} : memref<64xf32, #npu.space<ub>>
    }
  }
  npu.copy_out %a[%c0, %c0], %x rows %c1 cols %m stride %c0 {arg = 1 : i64} : memref<64xf32, #npu.space<ub>>
  return
}

// -----

// More conflicts than ids: twelve buffers between one pair of units.
// CHECK-LABEL: func.func @many
// CHECK-NOT: id 8
func.func @many(%x: i64, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  scf.for %t = %c0 to %n step %c1 : i64 {
    %a0 = npu.alloc : memref<64xf32, #npu.space<ub>>
    %a1 = npu.alloc : memref<64xf32, #npu.space<ub>>
    %a2 = npu.alloc : memref<64xf32, #npu.space<ub>>
    %a3 = npu.alloc : memref<64xf32, #npu.space<ub>>
    %a4 = npu.alloc : memref<64xf32, #npu.space<ub>>
    %a5 = npu.alloc : memref<64xf32, #npu.space<ub>>
    %a6 = npu.alloc : memref<64xf32, #npu.space<ub>>
    %a7 = npu.alloc : memref<64xf32, #npu.space<ub>>
    %a8 = npu.alloc : memref<64xf32, #npu.space<ub>>
    %a9 = npu.alloc : memref<64xf32, #npu.space<ub>>
    npu.copy_in %a0[%c0, %c0], %x rows %c1 cols %m stride %c0 : memref<64xf32, #npu.space<ub>>
    npu.copy_in %a1[%c0, %c0], %x rows %c1 cols %m stride %c0 : memref<64xf32, #npu.space<ub>>
    npu.copy_in %a2[%c0, %c0], %x rows %c1 cols %m stride %c0 : memref<64xf32, #npu.space<ub>>
    npu.copy_in %a3[%c0, %c0], %x rows %c1 cols %m stride %c0 : memref<64xf32, #npu.space<ub>>
    npu.copy_in %a4[%c0, %c0], %x rows %c1 cols %m stride %c0 : memref<64xf32, #npu.space<ub>>
    npu.copy_in %a5[%c0, %c0], %x rows %c1 cols %m stride %c0 : memref<64xf32, #npu.space<ub>>
    npu.copy_in %a6[%c0, %c0], %x rows %c1 cols %m stride %c0 : memref<64xf32, #npu.space<ub>>
    npu.copy_in %a7[%c0, %c0], %x rows %c1 cols %m stride %c0 : memref<64xf32, #npu.space<ub>>
    npu.copy_in %a8[%c0, %c0], %x rows %c1 cols %m stride %c0 : memref<64xf32, #npu.space<ub>>
    npu.copy_in %a9[%c0, %c0], %x rows %c1 cols %m stride %c0 : memref<64xf32, #npu.space<ub>>
    npu.vunary relu %a0, %a0 : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
    npu.vunary relu %a1, %a1 : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
    npu.vunary relu %a2, %a2 : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
    npu.vunary relu %a3, %a3 : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
    npu.vunary relu %a4, %a4 : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
    npu.vunary relu %a5, %a5 : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
    npu.vunary relu %a6, %a6 : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
    npu.vunary relu %a7, %a7 : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
    npu.vunary relu %a8, %a8 : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
    npu.vunary relu %a9, %a9 : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
  }
  return
}
