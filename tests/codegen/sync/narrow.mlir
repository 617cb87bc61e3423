// RUN: dl-opt %s --npu-plan-memory --npu-sync --npu-check-sync | FileCheck %s

// Nine loops in one, each of which returns its buffer from iteration to iteration: a flag each through all of the outer loop
// would be one too many. Those of the loops with few iterations go around these only, so that no barrier is needed.
// CHECK-LABEL: func.func @nine
// CHECK-NOT: npu.barrier
// CHECK: npu.set_flag v -> mte2 id 0
// CHECK-NOT: npu.set_flag v -> mte2
// CHECK: scf.for
// CHECK: scf.for
// CHECK: npu.wait_flag v -> mte2 id 0
// CHECK: npu.set_flag v -> mte2 id 0
// CHECK: }
// CHECK: npu.set_flag v -> mte2 id 1
// CHECK: scf.for
// CHECK: dl.brief
// CHECK: npu.wait_flag v -> mte2 id 1
// CHECK-NOT: npu.barrier
// CHECK: return
!line = memref<64xf32, #npu.space<ub>>
func.func @nine(%x: i64, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %sum = npu.alloc {name = "sum"} : !line
  scf.for %t = %c0 to %n step %c1 : i64 {
    scf.for %i0 = %c0 to %n step %c1 : i64 {
      %a0 = npu.alloc {name = "a0"} : !line
      npu.copy_in %a0[%c0, %c0], %x rows %c1 cols %m stride %c0 {arg = 0 : i64} : !line
      npu.vunary exp %sum, %a0 : !line, !line
    }
    scf.for %i1 = %c0 to %n step %c1 : i64 {
      %a1 = npu.alloc {name = "a1"} : !line
      npu.copy_in %a1[%c0, %c0], %x rows %c1 cols %m stride %c0 {arg = 0 : i64} : !line
      npu.vunary exp %sum, %a1 : !line, !line
    } {dl.brief}
    scf.for %i2 = %c0 to %n step %c1 : i64 {
      %a2 = npu.alloc {name = "a2"} : !line
      npu.copy_in %a2[%c0, %c0], %x rows %c1 cols %m stride %c0 {arg = 0 : i64} : !line
      npu.vunary exp %sum, %a2 : !line, !line
    } {dl.brief}
    scf.for %i3 = %c0 to %n step %c1 : i64 {
      %a3 = npu.alloc {name = "a3"} : !line
      npu.copy_in %a3[%c0, %c0], %x rows %c1 cols %m stride %c0 {arg = 0 : i64} : !line
      npu.vunary exp %sum, %a3 : !line, !line
    } {dl.brief}
    scf.for %i4 = %c0 to %n step %c1 : i64 {
      %a4 = npu.alloc {name = "a4"} : !line
      npu.copy_in %a4[%c0, %c0], %x rows %c1 cols %m stride %c0 {arg = 0 : i64} : !line
      npu.vunary exp %sum, %a4 : !line, !line
    } {dl.brief}
    scf.for %i5 = %c0 to %n step %c1 : i64 {
      %a5 = npu.alloc {name = "a5"} : !line
      npu.copy_in %a5[%c0, %c0], %x rows %c1 cols %m stride %c0 {arg = 0 : i64} : !line
      npu.vunary exp %sum, %a5 : !line, !line
    } {dl.brief}
    scf.for %i6 = %c0 to %n step %c1 : i64 {
      %a6 = npu.alloc {name = "a6"} : !line
      npu.copy_in %a6[%c0, %c0], %x rows %c1 cols %m stride %c0 {arg = 0 : i64} : !line
      npu.vunary exp %sum, %a6 : !line, !line
    } {dl.brief}
    scf.for %i7 = %c0 to %n step %c1 : i64 {
      %a7 = npu.alloc {name = "a7"} : !line
      npu.copy_in %a7[%c0, %c0], %x rows %c1 cols %m stride %c0 {arg = 0 : i64} : !line
      npu.vunary exp %sum, %a7 : !line, !line
    } {dl.brief}
    scf.for %i8 = %c0 to %n step %c1 : i64 {
      %a8 = npu.alloc {name = "a8"} : !line
      npu.copy_in %a8[%c0, %c0], %x rows %c1 cols %m stride %c0 {arg = 0 : i64} : !line
      npu.vunary exp %sum, %a8 : !line, !line
    } {dl.brief}
  }
  return
}
