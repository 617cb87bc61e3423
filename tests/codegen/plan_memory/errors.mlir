// RUN: not dl-opt %s --npu-plan-memory --split-input-file 2>&1 | FileCheck %s
// RUN: not dl-opt %s --npu-multibuffer=slots=ub:2 --split-input-file 2>&1 | FileCheck %s --check-prefix=SLOTS
// RUN: dl-opt %s --npu-multibuffer=slots=2 --split-input-file 2>&1 | FileCheck %s --check-prefix=FEWER
// RUN: dl-opt %s --npu-multibuffer --split-input-file 2>&1 | FileCheck %s --check-prefix=AUTO

// CHECK: error: ub overflow: 327680 bytes are needed, 196608 are available; live at once:
// CHECK-NEXT: 'a' ub 131072 bytes at kernel.py:7
// CHECK-NEXT: 'b' ub 196608 bytes at kernel.py:8
// CHECK-NEXT: it fits with tiles of 1/2 of the size and --multibuffer=1
func.func @too_large(%v: f32) {
  %a = npu.alloc {name = "a"} : memref<32768xf32, #npu.space<ub>> loc("kernel.py":7:4)
  %b = npu.alloc {name = "b"} : memref<49152xf32, #npu.space<ub>> loc("kernel.py":8:4)
  npu.vdup %a, %v : memref<32768xf32, #npu.space<ub>>, f32
  npu.vdup %b, %v : memref<49152xf32, #npu.space<ub>>, f32
  npu.vdup %a, %v : memref<32768xf32, #npu.space<ub>>, f32
  return
}

// -----

// SLOTS: error: --multibuffer=ub:2: ub overflow: 262144 bytes are needed, 196608 are available
// SLOTS: 'x' ub 262144 bytes (2 slots of 131072)
// SLOTS: it fits with 1 slot for 'x'
// FEWER: warning: multibuffer: 'x' gets 1 slot(s): 2 do not fit in ub
// AUTO: remark: multibuffer: 'x' gets 1 slot(s): 2 do not fit in ub
func.func @slots(%p: i64, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %m = arith.constant 32768 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %x = npu.alloc {name = "x"} : memref<32768xf32, #npu.space<ub>>
    npu.copy_in %x[%c0, %c0], %p rows %c1 cols %m stride %c0 : memref<32768xf32, #npu.space<ub>>
    npu.vunary exp %x, %x : memref<32768xf32, #npu.space<ub>>, memref<32768xf32, #npu.space<ub>>
  }
  return
}
