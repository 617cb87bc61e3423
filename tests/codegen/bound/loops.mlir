// Least cycles by hand from the 910B1's chip file: 48 vector cores, 24 cube cores.
// RUN: dl-opt %s --npu-bound 2>&1 | FileCheck %s

// Read and written: 2 x 4096 bytes. HBM: 64 channels x 13.84 x 0.915 = 810.5 bytes a cycle for 48 cores, 485 cycles. MTE2: 32 slices x
// 101 for 48 cores are 67.3 bytes a cycle, 61 cycles. V: 31 and 16 repeats of 2 (exp), 63. MTE3: 128 bytes a cycle, 32.
// CHECK: remark: bound: an iteration takes at least HBM 485, V 63, MTE2 61, MTE3 32 cycles; what is in L2 leaves V the bound
func.func @vector(%x: i64, %n: i64) attributes {npu.kind = "aiv"} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c1024 = arith.constant 1024 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %a = npu.alloc : memref<1024xf32, #npu.space<ub>>
    npu.copy_in %a[%c0, %c0], %x rows %c1 cols %c1024 stride %c0 {arg = 0 : i64} : memref<1024xf32, #npu.space<ub>>
    npu.vunary exp %a, %a : memref<1024xf32, #npu.space<ub>>, memref<1024xf32, #npu.space<ub>>
    npu.copy_out %a[%c0, %c0], %x rows %c1 cols %c1024 stride %c0 {arg = 0 : i64} : memref<1024xf32, #npu.space<ub>>
  }
  return
}

// A product of 64 x 64 x 64, four times in a loop of known length: 4 x 4 x 4 steps each, 256; loads to L0 8192 bytes at 256 and 128 bytes a
// cycle and 19 cycles each. The outer loop has the inner one in it, which has no line of its own.
// CHECK: remark: bound: an iteration takes at least MTE1 536, M 256 cycles
// CHECK-NOT: remark
func.func @cube(%n: i64) attributes {npu.kind = "aic"} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %c64 = arith.constant 64 : i64
  %no = arith.constant false
  %l1 = npu.alloc : memref<64x64xf16, #npu.space<l1>>
  %a = npu.alloc : memref<64x64xf16, #npu.space<l0a>>
  %b = npu.alloc : memref<64x64xf16, #npu.space<l0b>>
  %c = npu.alloc : memref<64x64xf32, #npu.space<l0c>>
  scf.for %i = %c0 to %n step %c1 : i64 {
    scf.for %j = %c0 to %c4 step %c1 : i64 {
      npu.load_l0a %a, %l1[%c0, %c0] size (%c64, %c64) : memref<64x64xf16, #npu.space<l0a>>, memref<64x64xf16, #npu.space<l1>>
      npu.load_l0b %b, %l1[%c0, %c0] size (%c64, %c64) : memref<64x64xf16, #npu.space<l0b>>, memref<64x64xf16, #npu.space<l1>>
      npu.mmad %c, %a, %b size (%c64, %c64, %c64) init %no : memref<64x64xf32, #npu.space<l0c>>, memref<64x64xf16, #npu.space<l0a>>, memref<64x64xf16, #npu.space<l0b>>
    }
  }
  return
}
