// RUN: dl-opt %s --npu-keep --split-input-file | FileCheck %s

// What each of two slots holds, address and rows, goes through the whole nest; the load and its fill are left out
// where both are those of the last load into the slot.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-4: arith.constant -1 : i64
// CHECK: %[[R:.*]]:6 = scf.for {{.*}} iter_args({{[^,]*}}, {{[^,]*}}, %[[A0:[^ ]*]] = %{{[^,]*}}, %[[N0:[^ ]*]] = %{{[^,]*}}, %[[A1:[^ ]*]] = %{{[^,]*}}, %[[N1:[^ ]*]] = %{{[^,]*}})
// CHECK: %[[IN:.*]]:5 = scf.for {{.*}} iter_args(%[[S:[^ ]*]] = %{{[^,]*}}, %[[TA0:[^ ]*]] = %[[A0]], %[[TN0:[^ ]*]] = %[[N0]], %[[TA1:[^ ]*]] = %[[A1]], %[[TN1:[^ ]*]] = %[[N1]])
// CHECK: npu.wait_flag
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[S]], %c0_i64
// CHECK: %[[XA0:.*]] = arith.select %[[FIRST]], %[[AT:.*]], %[[TA0]]
// CHECK: %[[XN0:.*]] = arith.select %[[FIRST]], %[[ROWS:.*]], %[[TN0]]
// CHECK: %[[SECOND:.*]] = arith.cmpi eq, %[[S]], %c1_i64
// CHECK: %[[A:.*]] = arith.select %[[SECOND]], %[[TA1]], %[[TA0]]
// CHECK: %[[XA1:.*]] = arith.select %[[SECOND]], %[[AT]], %[[TA1]]
// CHECK: %[[N:.*]] = arith.select %[[SECOND]], %[[TN1]], %[[TN0]]
// CHECK: %[[XN1:.*]] = arith.select %[[SECOND]], %[[ROWS]], %[[TN1]]
// CHECK: %[[OTHER:.*]] = arith.cmpi ne, %[[A]], %[[AT]]
// CHECK: %[[MORE:.*]] = arith.cmpi ne, %[[N]], %[[ROWS]]
// CHECK: %[[LOAD:.*]] = arith.ori %[[OTHER]], %[[MORE]]
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: scf.if %[[LOAD]] {
// CHECK-NEXT: npu.fill_l1
// CHECK: scf.if %[[LOAD]] {
// CHECK-NEXT: npu.nd2nz {{.*}}
// CHECK-NEXT: }
// CHECK-NEXT: npu.set_flag
// CHECK: scf.yield %{{.*}}, %[[XA0]], %[[XN0]], %[[XA1]], %[[XN1]]
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[IN]]#1, %[[IN]]#2, %[[IN]]#3, %[[IN]]#4
// CHECK: {dl.parallel}
func.func @kept(%p: i64, %n: i64, %left: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %zero = arith.constant 0.0 : f16
  %done:2 = scf.for %t = %c0 to %n step %c1 iter_args(%rest = %left, %s0 = %c0) -> (i64, i64) : i64 {
    %rows = arith.minsi %rest, %c64 : i64
    %some = arith.cmpi slt, %rows, %c64 : i64
    %next = scf.for %i = %c0 to %n step %c1 iter_args(%s = %s0) -> (i64) : i64 {
      %at = arith.addi %p, %i : i64
      %x = npu.alloc {name = "x", offset = 0 : i64, slots = 2 : i64} : memref<64x64xf16, #npu.space<l1>>
      %slot = npu.slot %x[%s] : memref<64x64xf16, #npu.space<l1>>
      npu.wait_flag mte1 -> mte2 id 0
      scf.if %some {
        npu.fill_l1 %slot, %zero : memref<64x64xf16, #npu.space<l1>>, f16
      }
      npu.nd2nz %slot[%c0, %c0], %at rows %rows cols %c64 stride %c64 {arg = 0 : i64} : memref<64x64xf16, #npu.space<l1>>
      npu.set_flag mte2 -> mte1 id 0
      %up = arith.addi %s, %c1 : i64
      %turn = arith.andi %up, %c1 : i64
      scf.yield %turn : i64
    } {dl.turned}
    %fewer = arith.subi %rest, %c64 : i64
    scf.yield %fewer, %next : i64, i64
  } {dl.parallel}
  return
}

// -----

// The kernel writes the tensor: what a slot holds may be old.
// CHECK-LABEL: func.func @written
// CHECK-NOT: scf.if
func.func @written(%p: i64, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %s = arith.andi %i, %c1 : i64
    %at = arith.addi %p, %i : i64
    %x = npu.alloc {offset = 0 : i64, slots = 2 : i64} : memref<64x64xf16, #npu.space<l1>>
    %slot = npu.slot %x[%s] : memref<64x64xf16, #npu.space<l1>>
    npu.nd2nz %slot[%c0, %c0], %at rows %c64 cols %c64 stride %c64 {arg = 0 : i64} : memref<64x64xf16, #npu.space<l1>>
  } {dl.turned}
  return
}
func.func @writer(%p: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %x = npu.alloc {offset = 0 : i64} : memref<64xf16, #npu.space<ub>>
  npu.copy_out %x[%c0, %c0], %p rows %c1 cols %c64 stride %c0 {arg = 0 : i64} : memref<64xf16, #npu.space<ub>>
  return
}

// -----

// Another buffer takes the same bytes in between.
// CHECK-LABEL: func.func @shared
// CHECK-NOT: scf.if
func.func @shared(%p: i64, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %s = arith.andi %i, %c1 : i64
    %at = arith.addi %p, %i : i64
    %x = npu.alloc {offset = 0 : i64, slots = 2 : i64} : memref<64x64xf16, #npu.space<l1>>
    %slot = npu.slot %x[%s] : memref<64x64xf16, #npu.space<l1>>
    npu.nd2nz %slot[%c0, %c0], %at rows %c64 cols %c64 stride %c64 {arg = 0 : i64} : memref<64x64xf16, #npu.space<l1>>
  } {dl.turned}
  %y = npu.alloc {offset = 8192 : i64} : memref<64x64xf16, #npu.space<l1>>
  npu.nd2nz %y[%c0, %c0], %p rows %c64 cols %c64 stride %c64 {arg = 1 : i64} : memref<64x64xf16, #npu.space<l1>>
  return
}

// -----

// Loops that are not turned never find what they need.
// CHECK-LABEL: func.func @straight
// CHECK-NOT: scf.if
func.func @straight(%p: i64, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %s = arith.andi %i, %c1 : i64
    %at = arith.addi %p, %i : i64
    %x = npu.alloc {offset = 0 : i64, slots = 2 : i64} : memref<64x64xf16, #npu.space<l1>>
    %slot = npu.slot %x[%s] : memref<64x64xf16, #npu.space<l1>>
    npu.nd2nz %slot[%c0, %c0], %at rows %c64 cols %c64 stride %c64 {arg = 0 : i64} : memref<64x64xf16, #npu.space<l1>>
  }
  return
}

// -----

// What the load leaves out is filled with another value in each iteration.
// CHECK-LABEL: func.func @filled
// CHECK-NOT: scf.if
func.func @filled(%p: i64, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %s = arith.andi %i, %c1 : i64
    %at = arith.addi %p, %i : i64
    %value = arith.trunci %i : i64 to i8
    %x = npu.alloc {offset = 0 : i64, slots = 2 : i64} : memref<64x64xi8, #npu.space<l1>>
    %slot = npu.slot %x[%s] : memref<64x64xi8, #npu.space<l1>>
    npu.fill_l1 %slot, %value : memref<64x64xi8, #npu.space<l1>>, i8
    npu.nd2nz %slot[%c0, %c0], %at rows %n cols %c64 stride %c64 {arg = 0 : i64} : memref<64x64xi8, #npu.space<l1>>
  } {dl.turned}
  return
}

// -----

// The same tile again and again: there is nothing to compare.
// CHECK-LABEL: func.func @one
// CHECK-NOT: scf.if
func.func @one(%p: i64, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %s = arith.andi %i, %c1 : i64
    %x = npu.alloc {offset = 0 : i64, slots = 2 : i64} : memref<64x64xi8, #npu.space<l1>>
    %slot = npu.slot %x[%s] : memref<64x64xi8, #npu.space<l1>>
    npu.nd2nz %slot[%c0, %c0], %p rows %c64 cols %c64 stride %c64 {arg = 0 : i64} : memref<64x64xi8, #npu.space<l1>>
  } {dl.turned}
  return
}
