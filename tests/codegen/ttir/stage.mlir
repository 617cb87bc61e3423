// Stage ttir inlines device functions and moves invariants out of loops.
// RUN: dl-opt --dl-ttir --split-input-file --verify-diagnostics %s | FileCheck %s

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

// -----
// CHECK-LABEL: tt.func public @early
// CHECK: scf.if
// CHECK: tt.store
// CHECK: }
// CHECK-NEXT: tt.return
// CHECK-NOT: cf.
tt.func public @early(%p: !tt.ptr<i32>, %n: i32) {
  %x = tt.get_program_id x : i32
  %done = arith.cmpi sge, %x, %n : i32
  cf.cond_br %done, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  %q = tt.addptr %p, %x : !tt.ptr<i32>, i32
  tt.store %q, %x : !tt.ptr<i32>
  tt.return
}

// -----
// A print knows its program; an assertion of a tensor is one of all its lanes.
// CHECK-LABEL: tt.func public @debug
// CHECK: tt.assert %{{.*}}, "positive" : i1
// CHECK: %[[ID:.*]] = tt.get_program_id x
// CHECK: tt.print "n: " {dl.programs = 1 : i64, hex = false, isSigned = array<i32: 1, 0>} : %[[ID]], %{{.*}} : i32, i32
// CHECK: %[[LANES:.*]] = arith.extui %{{.*}} : tensor<4x8xi1> to tensor<4x8xi32>
// CHECK: %[[FLAT:.*]] = tt.reshape %[[LANES]] : tensor<4x8xi32> -> tensor<32xi32>
// CHECK: %[[LEAST:.*]] = "tt.reduce"(%[[FLAT]])
// CHECK: arith.minsi
// CHECK: %[[ALL:.*]] = arith.cmpi ne, %[[LEAST]]
// CHECK: tt.assert %[[ALL]], "inside" : i1
tt.func public @debug(%n: i32, %c: i1, %p: !tt.ptr<i8>) {
  tt.assert %c, "positive" : i1
  tt.print "n: " {hex = false, isSigned = array<i32: 0>} : %n : i32
  %ps = tt.splat %p : !tt.ptr<i8> -> tensor<4x8x!tt.ptr<i8>>
  %v = tt.load %ps : tensor<4x8x!tt.ptr<i8>>
  %zero = arith.constant dense<0> : tensor<4x8xi8>
  %lanes = arith.cmpi sgt, %v, %zero : tensor<4x8xi8>
  tt.assert %lanes, "inside" : tensor<4x8xi1>
  tt.return
}

// -----
// Assumptions and the barrier of a program's threads leave nothing.
// CHECK-LABEL: tt.func public @threads
// CHECK-NOT: assume
// CHECK-NOT: barrier
// CHECK: tt.return
tt.func public @threads(%x: i1) {
  "llvm.intr.assume"(%x) : (i1) -> ()
  gpu.barrier
  tt.return
}
