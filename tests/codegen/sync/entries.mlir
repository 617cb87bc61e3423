// RUN: dl-opt %s --npu-plan-memory --npu-sync --npu-check-sync | FileCheck %s

// A loop within a loop that rotates its slots anew each time: its first tokens are handed over once the last ones of the time
// before have been taken, because without iterations nothing else keeps MTE3 from running ahead and overflowing the flag.
// A loop that surely iterates needs no such flag.
// CHECK-LABEL: func.func @entries
// CHECK: npu.set_flag v -> mte3 id [[ID:[0-9]+]]
// CHECK-NEXT: scf.for
// CHECK: npu.wait_flag v -> mte3 id [[ID]]
// CHECK-NEXT: npu.set_flag mte3 -> v id [[SLOTS:[0-9]+]]
// CHECK-NEXT: npu.set_flag mte3 -> v id [[SLOTS]]
// CHECK-NEXT: npu.set_flag mte3 -> v id [[SLOTS]]
// CHECK-NEXT: scf.for
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: npu.wait_flag mte3 -> v id [[SLOTS]]
// CHECK-NEXT: npu.wait_flag mte3 -> v id [[SLOTS]]
// CHECK-NEXT: npu.wait_flag mte3 -> v id [[SLOTS]]
// CHECK-NEXT: npu.set_flag v -> mte3 id [[ID]]
// CHECK-LABEL: func.func @five
// CHECK-NOT: npu.set_flag v -> mte3
// CHECK: npu.set_flag mte3 -> v
// CHECK-NOT: npu.set_flag v -> mte3
// CHECK: npu.slot
!line = memref<64xf32, #npu.space<ub>>
func.func @entries(%y: i64, %n: i64, %one: f32) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %m = arith.constant 64 : i64
  scf.for %t = %c0 to %n step %c1 : i64 {
    scf.for %i = %c0 to %n step %c1 iter_args(%slot = %c0) -> (i64) : i64 {
      %a = npu.alloc {slots = 3 : i64} : !line
      %s = npu.slot %a[%slot] : !line
      npu.vdup %s, %one : !line, f32
      npu.copy_out %s[%c0, %c0], %y rows %c1 cols %m stride %c0 {arg = 0 : i64} : !line
      %more = arith.addi %slot, %c1 : i64
      %next = arith.remui %more, %c3 : i64
      scf.yield %next : i64
    }
  }
  return
}
func.func @five(%y: i64, %n: i64, %one: f32) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %c5 = arith.constant 5 : i64
  %m = arith.constant 64 : i64
  scf.for %t = %c0 to %n step %c1 : i64 {
    scf.for %i = %c0 to %c5 step %c1 iter_args(%slot = %c0) -> (i64) : i64 {
      %a = npu.alloc {slots = 3 : i64} : !line
      %s = npu.slot %a[%slot] : !line
      npu.vdup %s, %one : !line, f32
      npu.copy_out %s[%c0, %c0], %y rows %c1 cols %m stride %c0 {arg = 0 : i64} : !line
      %more = arith.addi %slot, %c1 : i64
      %next = arith.remui %more, %c3 : i64
      scf.yield %next : i64
    }
  }
  return
}
