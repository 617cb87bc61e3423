// RUN: dl-opt --dl-blockify --dl-coarsen %s | FileCheck %s

// 128 x 64 tiles in a grid of two dimensions: four neighbours along N fill L0C, and rows of B have 512 bytes.
// CHECK: func.func @product({{.*}} attributes {{.*}}dl.coarsened
// The launch has groups enough for all cores, and its first group is one.
// CHECK: %[[PAYS:.*]] = arith.cmpi sle
// CHECK: %[[WIDE:.*]] = scf.if
// CHECK: %[[TURNS:.*]] = arith.select %[[WIDE]]
// CHECK: scf.for %[[TURN:.*]] = %{{.*}} to %[[TURNS]]
// Each group's programs are looked at.
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %true) -> (i1)
// CHECK: arith.cmpi eq
// CHECK: arith.cmpi eq
// CHECK: scf.if
// CHECK: tt.load %{{.*}} : tensor<128x32x!tt.ptr<f16>>
// CHECK: tt.load %{{.*}} : tensor<32x256x!tt.ptr<f16>>
// CHECK: tt.dot {{.*}} -> tensor<128x256xf32>
// CHECK: tt.store %{{.*}} : tensor<128x256x!tt.ptr<f32>>
// CHECK: } else {
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tt.dot {{.*}} -> tensor<128x64xf32>
// CHECK: } {dl.line = 1 : i64, dl.parallel}
tt.func public @product(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %c: !tt.ptr<f32>, %n: i32, %k: i32) {
  %zero = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %row = arith.muli %x, %c128 : i32
  %column = arith.muli %y, %c64 : i32
  %r0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %r1 = tt.splat %row : i32 -> tensor<128xi32>
  %r2 = arith.addi %r1, %r0 : tensor<128xi32>
  %r = tt.expand_dims %r2 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %n0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %n1 = tt.splat %column : i32 -> tensor<64xi32>
  %n2 = arith.addi %n1, %n0 : tensor<64xi32>
  %cols = tt.expand_dims %n2 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %depths = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<128x32x!tt.ptr<f16>>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
  %stride_a = tt.splat %k : i32 -> tensor<128x1xi32>
  %stride_b = tt.splat %n : i32 -> tensor<32x1xi32>
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<128x64xf32>) : i32 {
    %i0 = tt.splat %i : i32 -> tensor<32xi32>
    %i1 = arith.addi %i0, %depths : tensor<32xi32>
    %ac = tt.expand_dims %i1 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %br = tt.expand_dims %i1 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %a0 = arith.muli %r, %stride_a : tensor<128x1xi32>
    %a1 = tt.broadcast %a0 : tensor<128x1xi32> -> tensor<128x32xi32>
    %a2 = tt.broadcast %ac : tensor<1x32xi32> -> tensor<128x32xi32>
    %a3 = arith.addi %a1, %a2 : tensor<128x32xi32>
    %a4 = tt.addptr %as, %a3 : tensor<128x32x!tt.ptr<f16>>, tensor<128x32xi32>
    %at = tt.load %a4 : tensor<128x32x!tt.ptr<f16>>
    %b0 = arith.muli %br, %stride_b : tensor<32x1xi32>
    %b1 = tt.broadcast %b0 : tensor<32x1xi32> -> tensor<32x64xi32>
    %b2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<32x64xi32>
    %b3 = arith.addi %b1, %b2 : tensor<32x64xi32>
    %b4 = tt.addptr %bs, %b3 : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    %bt = tt.load %b4 : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %at, %bt, %acc, inputPrecision = tf32 : tensor<128x32xf16> * tensor<32x64xf16> -> tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  %stride_c = tt.splat %n : i32 -> tensor<128x1xi32>
  %c0s = arith.muli %r, %stride_c : tensor<128x1xi32>
  %c1 = tt.broadcast %c0s : tensor<128x1xi32> -> tensor<128x64xi32>
  %c2 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<128x64xi32>
  %c3 = arith.addi %c1, %c2 : tensor<128x64xi32>
  %c4 = tt.addptr %cs, %c3 : tensor<128x64x!tt.ptr<f32>>, tensor<128x64xi32>
  tt.store %c4, %sum : tensor<128x64x!tt.ptr<f32>>
  tt.return
}
