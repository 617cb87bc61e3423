// Stage ttir inlines device functions and moves invariants out of loops.
// RUN: dl-opt --dl-ttir %s | FileCheck %s

// CHECK-LABEL: tt.func public @kernel
// CHECK-NOT: tt.call
// CHECK: arith.muli
// CHECK: scf.for
// CHECK-NOT: arith.muli
tt.func public @kernel(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1  : i32 {
    %v = tt.call @square(%n) : (i32) -> i32
    %q = tt.addptr %p, %i : !tt.ptr<i32>, i32
    tt.store %q, %v : !tt.ptr<i32>
  }
  tt.return
}
// CHECK-NOT: @square
tt.func private @square(%x: i32) -> i32 attributes {noinline = false} {
  %y = arith.muli %x, %x : i32
  tt.return %y : i32
}
