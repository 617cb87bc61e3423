// RUN: dl-opt --dl-blockify=k-offset --split-input-file --verify-diagnostics %s | FileCheck %s

// The K loop starts at tile core mod nK and wraps; carried pointers become a function of the tile.
// CHECK-LABEL: func.func @k
// CHECK-SAME: dl.k_offset
// CHECK: %[[CORE:.*]] = dl.core_id
// CHECK: %[[OFFSET:.*]] = arith.remui %[[CORE]],
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[TILES:.*]] step %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<16x16xf32>)  : i64
// CHECK: %[[SUM:.*]] = arith.addi %[[I]], %[[OFFSET]]
// CHECK: %[[OVER:.*]] = arith.cmpi sge, %[[SUM]], %[[TILES]]
// CHECK: %[[BACK:.*]] = arith.subi %[[SUM]], %[[TILES]]
// CHECK: %[[TILE:.*]] = arith.select %[[OVER]], %[[BACK]], %[[SUM]]
// CHECK: tt.splat
// CHECK: arith.muli
// CHECK: tt.addptr
// CHECK: tt.dot %{{.*}}, %{{.*}}, %[[ACC]]
tt.func public @k(%p: !tt.ptr<f16>, %n: i32, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %inc = arith.constant dense<16> : tensor<16x16xi32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %q = %ps) -> (tensor<16x16xf32>, tensor<16x16x!tt.ptr<f16>>)  : i32 {
    %a = tt.load %q : tensor<16x16x!tt.ptr<f16>>
    %d = tt.dot %a, %a, %acc : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    %next = tt.addptr %q, %inc : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
    scf.yield %d, %next : tensor<16x16xf32>, tensor<16x16x!tt.ptr<f16>>
  }
  tt.store %os, %r#0 : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// -----
// A rescaled accumulator depends on the order.
// CHECK-LABEL: func.func @rescaled
// CHECK-NOT: dl.k_offset
tt.func public @rescaled(%p: !tt.ptr<f16>, %n: i32, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  // expected-warning @+1 {{k-offset not applied to this loop: it carries a value that is neither a sum of dots nor steps by a loop-invariant amount}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>)  : i32 {
    %a = tt.load %ps : tensor<16x16x!tt.ptr<f16>>
    %d = tt.dot %a, %a, %acc : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    %s = arith.mulf %d, %d : tensor<16x16xf32>
    scf.yield %s : tensor<16x16xf32>
  }
  tt.store %os, %r : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// -----
// expected-warning @+1 {{k-offset not applied: no loop carries the accumulator of a dot}}
tt.func public @no_dot(%p: !tt.ptr<f16>) {
  tt.return
}
