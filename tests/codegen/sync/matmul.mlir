// RUN: dl-opt %s --npu-multibuffer --npu-plan-memory --npu-sync --npu-check-sync | FileCheck %s
// RUN: dl-opt %s --npu-plan-memory --npu-sync=barrier-all=true --npu-check-sync | FileCheck %s --check-prefix=BARRIER

// The pipeline of a matmul: the rotation counters and the flags' first tokens lie outside the outer loop, so that the
// next output tile's loads start while this one's product still runs.
// CHECK-LABEL: func.func @matmul
// CHECK-DAG: set_flag mte1 -> mte2
// CHECK-DAG: set_flag m -> mte1
// CHECK-DAG: set_flag fix -> m
// CHECK: scf.for
// CHECK-NOT: wait_flag
// CHECK: wait_flag fix -> m
// CHECK: scf.for
// CHECK: wait_flag mte1 -> mte2
// CHECK: npu.nd2nz
// CHECK: npu.nd2nz
// CHECK: set_flag mte2 -> mte1
// CHECK: npu.load_l0a
// CHECK: npu.load_l0b
// CHECK: set_flag mte1 -> m
// CHECK: wait_flag mte1 -> m
// CHECK: npu.mmad
// CHECK: }
// CHECK: set_flag m -> fix
// CHECK: wait_flag m -> fix
// CHECK: npu.fixpipe
// CHECK: set_flag fix -> m

// BARRIER-NOT: flag
// BARRIER: npu.barrier
// BARRIER: npu.nd2nz
// BARRIER: npu.nd2nz
// BARRIER: npu.barrier
// BARRIER: npu.load_l0a
// BARRIER: npu.barrier
// BARRIER: npu.mmad
!l1 = memref<128x64xf16, #npu.space<l1>>
!l1b = memref<64x128xf16, #npu.space<l1>>
!l0a = memref<128x64xf16, #npu.space<l0a>>
!l0b = memref<64x128xf16, #npu.space<l0b>>
!l0c = memref<128x128xf32, #npu.space<l0c>>
func.func @matmul(%a: i64, %b: i64, %c: i64, %tiles: i64, %steps: i64) attributes {npu.kind = "aic"} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %m = arith.constant 128 : i64
  %k = arith.constant 64 : i64
  %stride = arith.constant 2048 : i64
  scf.for %t = %c0 to %tiles step %c1 : i64 {
    %acc = npu.alloc {name = "acc"} : !l0c
    scf.for %s = %c0 to %steps step %c1 : i64 {
      %init = arith.cmpi eq, %s, %c0 : i64
      %ta = npu.alloc {name = "a"} : !l1
      %tb = npu.alloc {name = "b"} : !l1b
      npu.nd2nz %ta[%c0, %c0], %a rows %m cols %k stride %stride {arg = 0 : i64} : !l1
      npu.nd2nz %tb[%c0, %c0], %b rows %k cols %m stride %stride {arg = 1 : i64} : !l1b
      %xa = npu.alloc {name = "a0"} : !l0a
      %xb = npu.alloc {name = "b0"} : !l0b
      npu.load_l0a %xa, %ta[%c0, %c0] size(%m, %k) : !l0a, !l1
      npu.load_l0b %xb, %tb[%c0, %c0] size(%k, %m) {transpose} : !l0b, !l1b
      npu.mmad %acc, %xa, %xb size(%m, %k, %m) init %init : !l0c, !l0a, !l0b
    }
    npu.fixpipe %acc[%c0, %c0], %c rows %m cols %m stride %stride m %m as f16 {arg = 2 : i64} : !l0c
  } {dl.parallel}
  return
}
