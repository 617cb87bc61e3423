// RUN: dl-opt --dl-access-stage --split-input-file %s | FileCheck %s
// RUN: dl-opt '--pass-pipeline=builtin.module(func.func(dl-access{coalesce=copy}))' --split-input-file %s | FileCheck %s --check-prefix=LANES

// Indices that only a tensor knows: an element a lane.
// CHECK-LABEL: @elements
// CHECK: dl.gather strides[%{{.*}}] lo[%c0_i64] hi[%c64_i64] walk [0] {
// CHECK: ^bb0(%[[I:.*]]: i64):
// CHECK: %[[X:.*]] = dl.extract %arg1[%[[I]]] : tensor<64xi32> -> i32
// CHECK: %[[W:.*]] = arith.extsi %[[X]] : i32 to i64
// CHECK: %[[P:.*]] = tt.addptr %arg0, %[[W]]
// CHECK: dl.run %[[P]] count %c1_i64 if %true
func.func @elements(%p: !tt.ptr<f32>, %i: tensor<64xi32>, %o: !tt.ptr<f32>) {
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %q : tensor<64x!tt.ptr<f32>>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %oq = tt.addptr %os, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %oq, %v : tensor<64x!tt.ptr<f32>>
  return
}

// -----
// A row a lane: what does not depend on the row stays outside of the walk.
// CHECK-LABEL: @rows
// CHECK: dl.gather strides[%c0_i64, %c1_i64] {{.*}} walk [0] {
// CHECK: dl.extract
// CHECK: dl.run %{{.*}} count %c1_i64 if %true lo[%c0_i64, %c0_i64] hi[%c1_i64, %c32_i64]
func.func @rows(%p: !tt.ptr<f32>, %i: tensor<64xi32>, %o: !tt.ptr<f32>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %c = arith.constant dense<1000> : tensor<64x1xi32>
  %re = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %rb = tt.broadcast %re : tensor<1x32xi32> -> tensor<64x32xi32>
  %ie = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %im = arith.muli %ie, %c : tensor<64x1xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
  %q = tt.addptr %ps, %im : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
  %qb = tt.broadcast %q : tensor<64x1x!tt.ptr<f32>> -> tensor<64x32x!tt.ptr<f32>>
  %qq = tt.addptr %qb, %rb : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %v = tt.load %qq : tensor<64x32x!tt.ptr<f32>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %oq = tt.addptr %os, %rb : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  // Several lanes at one address: stored one after the other.
  // CHECK: dl.scatter %{{.*}} walk [0] {
  tt.store %oq, %v : tensor<64x32x!tt.ptr<f32>>
  return
}

// -----
// Quotients and remainders by a scalar: pieces that end where the quotient steps.
// CHECK-LABEL: @pieces
// CHECK: dl.gather strides[%c1_i64] {{.*}} walk [0] {
// CHECK: %[[N:.*]] = arith.select
// They repeat as long as no lane is negative.
// CHECK: %[[ZERO_OR_N:.*]] = arith.select %{{.*}}, %c0_i64, %{{.*}}
// CHECK: dl.run %{{.*}} count %[[N]] if %true {{.*}} every %[[ZERO_OR_N]] pitch %c100_i64 :
// LANES-LABEL: @pieces
// LANES: dl.gather
// LANES: %[[ONE:.*]] = arith.constant 1 : i64
// LANES: dl.run
func.func @pieces(%p: !tt.ptr<f32>, %n: i32, %o: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %c = arith.constant dense<100> : tensor<64xi32>
  %d = arith.divsi %r, %ns : tensor<64xi32>
  %m = arith.remsi %r, %ns : tensor<64xi32>
  %dc = arith.muli %d, %c : tensor<64xi32>
  %s = arith.addi %dc, %m : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %s : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %q : tensor<64x!tt.ptr<f32>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %oq = tt.addptr %os, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %oq, %v : tensor<64x!tt.ptr<f32>>
  return
}

// -----
// A triangle: a range of columns in each row.
// CHECK-LABEL: @triangle
// CHECK: dl.gather strides[%{{.*}}, %c1_i64] {{.*}} other(%{{.*}} : f32) walk [0] {
// CHECK: dl.run %{{.*}} lo[%c0_i64, %c0_i64] hi[%{{.*}}, %{{.*}}]
func.func @triangle(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %c = arith.constant dense<1000> : tensor<32x1xi32>
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %re = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %rb = tt.broadcast %re : tensor<1x32xi32> -> tensor<32x32xi32>
  %ie = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %ib = tt.broadcast %ie : tensor<32x1xi32> -> tensor<32x32xi32>
  %k = arith.cmpi sge, %ib, %rb : tensor<32x32xi32>
  %im = arith.muli %ie, %c : tensor<32x1xi32>
  %imb = tt.broadcast %im : tensor<32x1xi32> -> tensor<32x32xi32>
  %off = arith.addi %imb, %rb : tensor<32x32xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %q = tt.addptr %ps, %off : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %v = tt.load %q, %k, %z : tensor<32x32x!tt.ptr<f32>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %oq = tt.addptr %os, %off : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  tt.store %oq, %v : tensor<32x32x!tt.ptr<f32>>
  return
}

// -----
// A loop that advances gathered pointers carries one scalar.
// CHECK-LABEL: @carried
// CHECK: scf.for {{.*}} iter_args(%[[B:.*]] = %{{.*}}) -> (i64)
// CHECK: dl.gather
// CHECK: dl.extract %arg1
func.func @carried(%p: !tt.ptr<f32>, %i: tensor<64xi32>, %n: i32, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<32> : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %oq = tt.addptr %os, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = scf.for %k = %c0 to %n step %c1 iter_args(%a = %q) -> (tensor<64x!tt.ptr<f32>>)  : i32 {
    %v = tt.load %a : tensor<64x!tt.ptr<f32>>
    tt.store %oq, %v : tensor<64x!tt.ptr<f32>>
    %b = tt.addptr %a, %step : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %b : tensor<64x!tt.ptr<f32>>
  }
  return
}
