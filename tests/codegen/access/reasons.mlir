// Indices that the analysis does not take apart: --access-report says why the access is no tile.
// RUN: dl-opt --mlir-disable-threading --pass-pipeline='builtin.module(func.func(dl-access{report}))' %s -o /dev/null 2>&1 | FileCheck %s

// CHECK: load {{.*}}: element gather{{.*}}; remainder by a range (arith.remsi at reasons.mlir:
func.func @by_range(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  %s = arith.constant dense<3> : tensor<64xi32>
  %by = arith.addi %r, %one : tensor<64xi32>
  %three = arith.muli %r, %s : tensor<64xi32>
  %x = arith.remsi %three, %by : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %x : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %q : tensor<64x!tt.ptr<f32>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %op = tt.addptr %os, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %op, %v : tensor<64x!tt.ptr<f32>>
  return
}

// CHECK: load {{.*}}: pieces{{.*}}; remainder of a range with a stride (arith.remsi at reasons.mlir:
func.func @stride(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = arith.constant dense<3> : tensor<64xi32>
  %by = tt.splat %n : i32 -> tensor<64xi32>
  %three = arith.muli %r, %s : tensor<64xi32>
  %x = arith.remsi %three, %by : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %x : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %q : tensor<64x!tt.ptr<f32>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %op = tt.addptr %os, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %op, %v : tensor<64x!tt.ptr<f32>>
  return
}

// CHECK: load {{.*}}: pieces{{.*}}; remainder of an index over several dimensions (arith.remsi at reasons.mlir:
func.func @dims(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %a = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %b = tt.expand_dims %r {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %ab = tt.broadcast %a : tensor<16x1xi32> -> tensor<16x16xi32>
  %bb = tt.broadcast %b : tensor<1x16xi32> -> tensor<16x16xi32>
  %sum = arith.addi %ab, %bb : tensor<16x16xi32>
  %by = tt.splat %n : i32 -> tensor<16x16xi32>
  %x = arith.remsi %sum, %by : tensor<16x16xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %q = tt.addptr %ps, %x : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %v = tt.load %q : tensor<16x16x!tt.ptr<f32>>
  %c16 = arith.constant dense<16> : tensor<16x16xi32>
  %row = arith.muli %ab, %c16 : tensor<16x16xi32>
  %at = arith.addi %row, %bb : tensor<16x16xi32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %op = tt.addptr %os, %at : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  tt.store %op, %v : tensor<16x16x!tt.ptr<f32>>
  return
}

// CHECK: load {{.*}}; index is of fewer than 32 bits (arith.trunci at reasons.mlir:
func.func @narrow(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %n = arith.trunci %r : tensor<64xi32> to tensor<64xi16>
  %x = arith.extsi %n : tensor<64xi16> to tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %x : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %q : tensor<64x!tt.ptr<f32>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %op = tt.addptr %os, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %op, %v : tensor<64x!tt.ptr<f32>>
  return
}

// CHECK: load {{.*}}; index is reshaped (tt.reshape at reasons.mlir:
func.func @reshaped(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %line = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %column = tt.expand_dims %line {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %square = tt.broadcast %column : tensor<8x1xi32> -> tensor<8x8xi32>
  %x = tt.reshape %square : tensor<8x8xi32> -> tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %x : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %q : tensor<64x!tt.ptr<f32>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %op = tt.addptr %os, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %op, %v : tensor<64x!tt.ptr<f32>>
  return
}

// CHECK: load {{.*}}; index is selected element by element (arith.select at reasons.mlir:
func.func @selected(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %half = arith.constant dense<32> : tensor<64xi32>
  %early = arith.cmpi slt, %r, %half : tensor<64xi32>
  %later = arith.addi %r, %half : tensor<64xi32>
  %x = arith.select %early, %later, %r : tensor<64xi1>, tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %x : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %q : tensor<64x!tt.ptr<f32>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %op = tt.addptr %os, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %op, %v : tensor<64x!tt.ptr<f32>>
  return
}

// CHECK: load {{.*}}; index is not base + range * stride (math.ctpop at reasons.mlir:
func.func @other(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %x = math.ctpop %r : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %x : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %q : tensor<64x!tt.ptr<f32>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %op = tt.addptr %os, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %op, %v : tensor<64x!tt.ptr<f32>>
  return
}

// CHECK: load {{.*}}; product of two ranges (arith.muli at reasons.mlir:
func.func @squares(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %x = arith.muli %r, %r : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %x : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %q : tensor<64x!tt.ptr<f32>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %op = tt.addptr %os, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %op, %v : tensor<64x!tt.ptr<f32>>
  return
}

// CHECK: load {{.*}}; index carried by a loop changes its form between iterations (scf.for at reasons.mlir:
func.func @carried(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant dense<2> : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %op = tt.addptr %os, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %last = scf.for %i = %zero to %n step %one iter_args(%x = %r) -> (tensor<64xi32>) : i32 {
    %q = tt.addptr %ps, %x : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %v = tt.load %q : tensor<64x!tt.ptr<f32>>
    tt.store %op, %v : tensor<64x!tt.ptr<f32>>
    %next = arith.muli %x, %two : tensor<64xi32>
    scf.yield %next : tensor<64xi32>
  }
  return
}
