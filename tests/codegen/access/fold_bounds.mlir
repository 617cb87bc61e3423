// Bounds that the signs of indices decide.
// RUN: dl-opt %s --allow-unregistered-dialect --dl-fold-bounds --canonicalize | FileCheck %s

// A loop-carried offset that starts at 0 and grows is never before the beginning.
// CHECK-LABEL: func.func @grows(
// CHECK: "test.bound"(%c0_i64)
// CHECK-NEXT: arith.addi
func.func @grows(%n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %minus = arith.constant -1 : i64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%at = %c0) -> (i64) : i64 {
    %negative = arith.muli %at, %minus : i64
    %least = arith.minsi %negative, %c64 : i64
    %lo = arith.maxsi %least, %c0 : i64
    "test.bound"(%lo) : (i64) -> ()
    %next = arith.addi %at, %c64 : i64
    scf.yield %next : i64
  }
  "test.use"(%r) : (i64) -> ()
  return
}

// One that shrinks may be, and so may an argument.
// CHECK-LABEL: func.func @shrinks(
// CHECK: %[[LO:.*]] = arith.maxsi
// CHECK: "test.bound"(%[[LO]])
// CHECK: %[[ARG:.*]] = arith.maxsi
// CHECK: "test.bound"(%[[ARG]])
func.func @shrinks(%n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %minus = arith.constant -1 : i64
  scf.for %i = %c0 to %n step %c1 iter_args(%at = %c0) -> (i64) : i64 {
    %negative = arith.muli %at, %minus : i64
    %least = arith.minsi %negative, %c64 : i64
    %lo = arith.maxsi %least, %c0 : i64
    "test.bound"(%lo) : (i64) -> ()
    %next = arith.subi %at, %c64 : i64
    scf.yield %next : i64
  }
  %negative = arith.muli %n, %minus : i64
  %lo = arith.maxsi %negative, %c0 : i64
  "test.bound"(%lo) : (i64) -> ()
  return
}
