// RUN: dl-opt %s --split-input-file --npu-unit-flags 2>&1 | FileCheck %s
// RUN: dl-opt %s --split-input-file --npu-multibuffer --npu-plan-memory --npu-unit-flags --npu-sync --npu-check-sync | FileCheck %s --check-prefix=FLAGS
// RUN: dl-opt %s --split-input-file --npu-unit-flags --npu-unit-flags 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: remark: unit flags: none for 'acc': its products heed them already

!l0a = memref<128x64xf16, #npu.space<l0a>>
!l0b = memref<64x128xf16, #npu.space<l0b>>
!l0c = memref<128x128xf32, #npu.space<l0c>>

// The product in a loop hands the sum over in the last iteration, unless the store takes fewer columns; else, and if there was no iteration, a
// command of its own does. The store's rows, which are computed after the sum in the kernel, are those of all products.
// CHECK-LABEL: func.func @cut
// CHECK: scf.for
// CHECK: %[[ROWS:.*]] = arith.minsi
// CHECK: %[[ACC:.*]] = npu.alloc {name = "acc"}
// CHECK: scf.if
// CHECK: npu.clear_acc %[[ACC]] size(%[[ROWS]], %{{.*}}) {unit_flag = 2 : i32}
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[COLUMNS:.*]], %c128_i64
// CHECK: %[[DONE:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %false
// CHECK: %[[ENDS:.*]] = arith.cmpi sge
// CHECK: %[[LAST:.*]] = arith.andi %[[WHOLE]], %[[ENDS]]
// CHECK: scf.if %[[LAST]]
// CHECK: npu.mmad %[[ACC]], %{{.*}}, %{{.*}} size(%[[ROWS]], %{{.*}}, %{{.*}}) init %{{.*}} {unit_flag = 3 : i32}
// CHECK: else
// CHECK: npu.mmad %[[ACC]], %{{.*}}, %{{.*}} size(%[[ROWS]], %{{.*}}, %{{.*}}) init %{{.*}} {unit_flag = 2 : i32}
// CHECK: scf.yield %[[LAST]] : i1
// CHECK: %[[MISSING:.*]] = arith.xori %[[DONE]], %true
// CHECK: scf.if %[[MISSING]]
// CHECK: npu.hand_over %[[ACC]] size(%[[ROWS]], %[[COLUMNS]]) :
// CHECK: npu.fixpipe %[[ACC]]{{.*}} rows %[[ROWS]] cols %[[COLUMNS]] {{.*}} m %[[ROWS]] {{.*}}unit_flag = 3 : i32

// No flags between M and FIX remain.
// FLAGS-LABEL: func.func @cut
// FLAGS-NOT: {{m -> fix|fix -> m}}
// FLAGS: return
func.func @cut(%out: i64, %left: i64, %columns: i64, %tiles: i64, %steps: i64) attributes {npu.kind = "aic"} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %m = arith.constant 128 : i64
  %k = arith.constant 64 : i64
  %empty = arith.cmpi eq, %steps, %c0 : i64
  scf.for %t = %c0 to %tiles step %c1 : i64 {
    %acc = npu.alloc {name = "acc"} : !l0c
    scf.if %empty {
      npu.clear_acc %acc size(%m, %m) : !l0c
    }
    scf.for %s = %c0 to %steps step %c1 : i64 {
      %init = arith.cmpi eq, %s, %c0 : i64
      %a = npu.alloc {name = "a"} : !l0a
      %b = npu.alloc {name = "b"} : !l0b
      npu.mmad %acc, %a, %b size(%m, %k, %m) init %init : !l0c, !l0a, !l0b
    }
    %done = arith.muli %t, %m : i64
    %rest = arith.subi %left, %done : i64
    %rows = arith.minsi %rest, %m : i64
    npu.fixpipe %acc[%c0, %c0], %out rows %rows cols %columns stride %m m %m as f16 {arg = 0 : i64} : !l0c
  } {dl.parallel}
  return
}

// -----

!l0a = memref<100x64xf16, #npu.space<l0a>>
!l0b = memref<64x128xf16, #npu.space<l0b>>
!l0c = memref<100x128xf32, #npu.space<l0c>>

// The last product of a straight line hands the sum over by itself; the last of two stores clears the flags. 100 rows are as many blocks as 112.
// CHECK-LABEL: func.func @straight
// CHECK: npu.mmad {{.*}} init %true {unit_flag = 2 : i32}
// CHECK: npu.mmad {{.*}} init %false {unit_flag = 3 : i32}
// CHECK-NOT: hand_over
// CHECK: npu.fixpipe {{.*}}unit_flag = 2 : i32
// CHECK: npu.fixpipe {{.*}}unit_flag = 3 : i32
// FLAGS-LABEL: func.func @straight
func.func @straight(%x: i64, %y: i64) attributes {npu.kind = "aic"} {
  %c0 = arith.constant 0 : i64
  %m = arith.constant 112 : i64
  %rows = arith.constant 100 : i64
  %n = arith.constant 128 : i64
  %k = arith.constant 64 : i64
  %true = arith.constant true
  %false = arith.constant false
  %acc = npu.alloc {name = "acc"} : !l0c
  %a = npu.alloc {name = "a"} : !l0a
  %b = npu.alloc {name = "b"} : !l0b
  npu.mmad %acc, %a, %b size(%m, %k, %n) init %true : !l0c, !l0a, !l0b
  npu.mmad %acc, %a, %b size(%m, %k, %n) init %false : !l0c, !l0a, !l0b
  npu.fixpipe %acc[%c0, %c0], %x rows %rows cols %n stride %n m %m as f16 {arg = 0 : i64} : !l0c
  npu.fixpipe %acc[%c0, %c0], %y rows %rows cols %n stride %n m %m as f32 {arg = 1 : i64} : !l0c
  return
}

// -----

!l0a = memref<32x32xf16, #npu.space<l0a>>
!l0b = memref<32x32xf16, #npu.space<l0b>>
!l0c = memref<32x32xf32, #npu.space<l0c>>

// Where the blocks that a store takes are not known, flags of whole commands stay.
// CHECK: remark: unit flags: none for 'part': a store takes a part of it
// CHECK: remark: unit flags: none for 'twice': it is stored in several places
// CHECK: remark: unit flags: none for 'late': how many rows its store takes is not known before its products
// CHECK-LABEL: func.func @kept
// CHECK-NOT: {{hand_over|unit_flag}}
// FLAGS-LABEL: func.func @kept
// FLAGS: m -> fix
func.func @kept(%x: i64, %q: i1, %pointer: i64) attributes {npu.kind = "aic"} {
  %c0 = arith.constant 0 : i64
  %half = arith.constant 16 : i64
  %n = arith.constant 32 : i64
  %true = arith.constant true
  %a = npu.alloc {name = "a"} : !l0a
  %b = npu.alloc {name = "b"} : !l0b
  %part = npu.alloc {name = "part"} : !l0c
  npu.mmad %part, %a, %b size(%n, %n, %n) init %true : !l0c, !l0a, !l0b
  npu.fixpipe %part[%half, %c0], %x rows %half cols %n stride %n m %n as f16 {arg = 0 : i64} : !l0c
  %twice = npu.alloc {name = "twice"} : !l0c
  npu.mmad %twice, %a, %b size(%n, %n, %n) init %true : !l0c, !l0a, !l0b
  scf.if %q {
    npu.fixpipe %twice[%c0, %c0], %x rows %n cols %n stride %n m %n as f16 {arg = 0 : i64} : !l0c
  } else {
    npu.fixpipe %twice[%c0, %c0], %x rows %n cols %n stride %n m %n as f16 {arg = 0 : i64} : !l0c
  }
  %late = npu.alloc {name = "late"} : !l0c
  npu.mmad %late, %a, %b size(%n, %n, %n) init %true : !l0c, !l0a, !l0b
  %rows = scf.if %q -> i64 {
    scf.yield %half : i64
  } else {
    scf.yield %n : i64
  }
  npu.fixpipe %late[%c0, %c0], %x rows %rows cols %n stride %n m %n as f16 {arg = 0 : i64} : !l0c
  return
}

// -----

!l0a = memref<128x32xf16, #npu.space<l0a>>
!l0b = memref<32x256xf16, #npu.space<l0b>>
!large = memref<128x256xf32, #npu.space<l0c>>
!small = memref<64x64xf32, #npu.space<l0c>>

// Two sums in the same bytes. A product of the small one may be complete while the store of the large one still reads: its values would
// change. In the branches of a conditional, a barrier keeps the small one back; the large one waits for all blocks anyway. In a row, flags do.
// CHECK-LABEL: func.func @branches
// FLAGS-LABEL: func.func @branches
// FLAGS: scf.if
// FLAGS-NOT: npu.barrier
// FLAGS: npu.mmad {{.*}}memref<128x256xf32
// FLAGS: } else {
// FLAGS-NEXT: npu.barrier
// FLAGS: npu.mmad {{.*}}memref<64x64xf32
func.func @branches(%x: i64, %count: i64, %q: i1) attributes {npu.kind = "aic"} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %k = arith.constant 32 : i64
  %m = arith.constant 128 : i64
  %n = arith.constant 256 : i64
  %side = arith.constant 64 : i64
  %true = arith.constant true
  %a = npu.alloc {name = "a"} : !l0a
  %b = npu.alloc {name = "b"} : !l0b
  scf.for %i = %c0 to %count step %c1 : i64 {
    scf.if %q {
      %large = npu.alloc {name = "large"} : !large
      npu.mmad %large, %a, %b size(%m, %k, %n) init %true : !large, !l0a, !l0b
      npu.fixpipe %large[%c0, %c0], %x rows %m cols %n stride %n m %m as f16 {arg = 0 : i64} : !large
    } else {
      %small = npu.alloc {name = "small"} : !small
      npu.mmad %small, %a, %b size(%side, %k, %side) init %true : !small, !l0a, !l0b
      npu.fixpipe %small[%c0, %c0], %x rows %side cols %side stride %n m %side as f16 {arg = 0 : i64} : !small
    }
  }
  return
}

// FLAGS-LABEL: func.func @row
// FLAGS: npu.fixpipe {{.*}}memref<128x256xf32
// FLAGS: npu.wait_flag fix -> m
// FLAGS: npu.mmad {{.*}}memref<64x64xf32
func.func @row(%x: i64) attributes {npu.kind = "aic"} {
  %c0 = arith.constant 0 : i64
  %k = arith.constant 32 : i64
  %m = arith.constant 128 : i64
  %n = arith.constant 256 : i64
  %side = arith.constant 64 : i64
  %true = arith.constant true
  %a = npu.alloc {name = "a"} : !l0a
  %b = npu.alloc {name = "b"} : !l0b
  %large = npu.alloc {name = "large"} : !large
  npu.mmad %large, %a, %b size(%m, %k, %n) init %true : !large, !l0a, !l0b
  npu.fixpipe %large[%c0, %c0], %x rows %m cols %n stride %n m %m as f16 {arg = 0 : i64} : !large
  %small = npu.alloc {name = "small"} : !small
  npu.mmad %small, %a, %b size(%side, %k, %side) init %true : !small, !l0a, !l0b
  npu.fixpipe %small[%c0, %c0], %x rows %side cols %side stride %n m %side as f16 {arg = 0 : i64} : !small
  return
}
