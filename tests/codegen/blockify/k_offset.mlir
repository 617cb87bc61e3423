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
  // expected-warning @+1 {{k-offset not applied to this loop: it carries a value that is neither a sum of dots, nor a sum or the largest score of a softmax, nor steps by a loop-invariant amount}}
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

// -----
// Attention: the largest score and the sums that shrink with it may come in any order.
// CHECK-LABEL: func.func @softmax
// CHECK-SAME: dl.k_offset
// CHECK: arith.remui
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %{{.*}}, %{{.*}}) -> (tensor<16xf32>, tensor<16xf32>, tensor<16x16xf32>)
tt.func public @softmax(%p: !tt.ptr<f16>, %n: i32, %scale: f32, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %none = arith.constant dense<0xFF800000> : tensor<16xf32>
  %one = arith.constant dense<1.0> : tensor<16xf32>
  %factor = tt.splat %scale : f32 -> tensor<16x16xf32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %none, %l = %one, %acc = %zero) -> (tensor<16xf32>, tensor<16xf32>, tensor<16x16xf32>)  : i32 {
    %is = tt.splat %i : i32 -> tensor<16x16xi32>
    %q = tt.addptr %ps, %is : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
    %a = tt.load %q : tensor<16x16x!tt.ptr<f16>>
    %dot = tt.dot %a, %a, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    %scores = arith.mulf %dot, %factor : tensor<16x16xf32>
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<16x16xf32>) -> tensor<16xf32>
    %next = arith.maxnumf %m, %most : tensor<16xf32>
    %column = tt.expand_dims %next {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
    %rows = tt.broadcast %column : tensor<16x1xf32> -> tensor<16x16xf32>
    %below = arith.subf %scores, %rows : tensor<16x16xf32>
    %weights = math.exp2 %below : tensor<16x16xf32>
    %less = arith.subf %m, %next : tensor<16xf32>
    %shrink = math.exp2 %less : tensor<16xf32>
    %sum = "tt.reduce"(%weights) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<16x16xf32>) -> tensor<16xf32>
    %old = arith.mulf %l, %shrink : tensor<16xf32>
    %total = arith.addf %old, %sum : tensor<16xf32>
    %half = arith.truncf %weights : tensor<16x16xf32> to tensor<16x16xf16>
    %column2 = tt.expand_dims %shrink {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
    %rows2 = tt.broadcast %column2 : tensor<16x1xf32> -> tensor<16x16xf32>
    %shrunk = arith.mulf %acc, %rows2 : tensor<16x16xf32>
    %d = tt.dot %half, %a, %shrunk : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %next, %total, %d : tensor<16xf32>, tensor<16xf32>, tensor<16x16xf32>
  }
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  tt.store %os, %r#2 : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// -----
// Weights of a softmax added up without the shrinking depend on the order, and so does a mask that can leave a tile without any score.
// CHECK-LABEL: func.func @not_softmax
// CHECK-NOT: dl.k_offset
tt.func public @not_softmax(%p: !tt.ptr<f16>, %n: i32, %valid: tensor<16x16xi1>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %none = arith.constant dense<0xFF800000> : tensor<16xf32>
  %nones = arith.constant dense<0xFF800000> : tensor<16x16xf32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  // expected-warning @+1 {{k-offset not applied to this loop: it carries a value that is neither a sum of dots}}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %none, %acc = %zero) -> (tensor<16xf32>, tensor<16x16xf32>)  : i32 {
    %a = tt.load %ps : tensor<16x16x!tt.ptr<f16>>
    %scores = tt.dot %a, %a, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<16x16xf32>) -> tensor<16xf32>
    %next = arith.maxnumf %m, %most : tensor<16xf32>
    %column = tt.expand_dims %next {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
    %rows = tt.broadcast %column : tensor<16x1xf32> -> tensor<16x16xf32>
    %below = arith.subf %scores, %rows : tensor<16x16xf32>
    %weights = math.exp2 %below : tensor<16x16xf32>
    %half = arith.truncf %weights : tensor<16x16xf32> to tensor<16x16xf16>
    %d = tt.dot %half, %a, %acc : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %next, %d : tensor<16xf32>, tensor<16x16xf32>
  }
  // expected-warning @+1 {{k-offset not applied to this loop: it carries a value that is neither a sum of dots}}
  %s:2 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %none, %acc = %zero) -> (tensor<16xf32>, tensor<16x16xf32>)  : i32 {
    %a = tt.load %ps : tensor<16x16x!tt.ptr<f16>>
    %all = tt.dot %a, %a, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    %scores = arith.select %valid, %all, %nones : tensor<16x16xi1>, tensor<16x16xf32>
    %most = "tt.reduce"(%scores) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<16x16xf32>) -> tensor<16xf32>
    %next = arith.maxnumf %m, %most : tensor<16xf32>
    %column = tt.expand_dims %next {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
    %rows = tt.broadcast %column : tensor<16x1xf32> -> tensor<16x16xf32>
    %below = arith.subf %scores, %rows : tensor<16x16xf32>
    %weights = math.exp %below : tensor<16x16xf32>
    %less = arith.subf %m, %next : tensor<16xf32>
    %shrink = math.exp %less : tensor<16xf32>
    %half = arith.truncf %weights : tensor<16x16xf32> to tensor<16x16xf16>
    %column2 = tt.expand_dims %shrink {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
    %rows2 = tt.broadcast %column2 : tensor<16x1xf32> -> tensor<16x16xf32>
    %shrunk = arith.mulf %acc, %rows2 : tensor<16x16xf32>
    %d = tt.dot %half, %a, %shrunk : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %next, %d : tensor<16xf32>, tensor<16x16xf32>
  }
  %sum = arith.addf %r#1, %s#1 : tensor<16x16xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  tt.store %os, %sum : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// -----
// What an iteration stores the next one may load.
// CHECK-LABEL: func.func @stores
// CHECK-NOT: dl.k_offset
tt.func public @stores(%p: !tt.ptr<f16>, %n: i32, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  // expected-warning @+1 {{k-offset not applied to this loop: it writes memory (}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>)  : i32 {
    %a = tt.load %ps : tensor<16x16x!tt.ptr<f16>>
    %d = tt.dot %a, %a, %acc : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    tt.store %os, %d : tensor<16x16x!tt.ptr<f32>>
    scf.yield %d : tensor<16x16xf32>
  }
  tt.store %os, %r : tensor<16x16x!tt.ptr<f32>>
  tt.return
}
