// RUN: dl-opt %s --npu-multibuffer=slots=2 --npu-plan-memory --npu-sync --npu-check-sync | FileCheck %s

// A vector kernel: load, compute, store. Two slots each, primed before and drained after the loop.
// CHECK-LABEL: func.func @relu
// CHECK: set_flag v -> mte2 id 0
// CHECK-NEXT: set_flag v -> mte2 id 0
// CHECK: set_flag mte3 -> v id 0
// CHECK-NEXT: set_flag mte3 -> v id 0
// CHECK: scf.for
// CHECK: wait_flag v -> mte2 id 0
// CHECK: npu.copy_in
// CHECK-NEXT: set_flag mte2 -> v id 0
// CHECK-DAG: wait_flag mte2 -> v id 0
// CHECK-DAG: wait_flag mte3 -> v id 0
// CHECK: npu.vunary relu
// CHECK-DAG: set_flag v -> mte2 id 0
// CHECK-DAG: set_flag v -> mte3 id 0
// CHECK: wait_flag v -> mte3 id 0
// CHECK: npu.copy_out
// CHECK-NEXT: set_flag mte3 -> v id 0
// CHECK: }
// CHECK-COUNT-2: wait_flag mte3 -> v id 0
// CHECK-COUNT-2: wait_flag v -> mte2 id 0
// CHECK-NOT: flag
func.func @relu(%x: i64, %y: i64, %n: i64) attributes {npu.kind = "aiv"} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c1024 = arith.constant 1024 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %off = arith.muli %i, %c1024 : i64
    %src = arith.addi %x, %off : i64
    %dst = arith.addi %y, %off : i64
    %a = npu.alloc {name = "a"} : memref<1024xf32, #npu.space<ub>>
    %b = npu.alloc {name = "b"} : memref<1024xf32, #npu.space<ub>>
    npu.copy_in %a[%c0, %c0], %src rows %c1 cols %c1024 stride %c0 {arg = 0 : i64} : memref<1024xf32, #npu.space<ub>>
    npu.vunary relu %b, %a : memref<1024xf32, #npu.space<ub>>, memref<1024xf32, #npu.space<ub>>
    npu.copy_out %b[%c0, %c0], %dst rows %c1 cols %c1024 stride %c0 {arg = 1 : i64} : memref<1024xf32, #npu.space<ub>>
  } {dl.parallel}
  return
}
