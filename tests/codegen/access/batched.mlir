// RUN: dl-opt --allow-unregistered-dialect --dl-access-stage %s | FileCheck %s

// A product of three dimensions is one of two for each matrix of the batch, from its own rectangles to its own store; the loop
// carries the accumulators one by one.
// CHECK-LABEL: @loop
// CHECK: scf.for {{.*}} -> (tensor<16x16xf32>, tensor<16x16xf32>)
// CHECK-COUNT-4: dl.load {{.*}} -> tensor<16x{{(16|32)}}xf16>
// CHECK-COUNT-2: tt.dot {{.*}} -> tensor<16x16xf32>
// CHECK-NOT: x16x16xf32>
// CHECK: scf.yield
// CHECK-COUNT-2: dl.store {{.*}} : tensor<16x16xf32>, !tt.ptr<f32>
// CHECK-NOT: dl.store
func.func @loop(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %c: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<2x16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r2 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %r16 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %b1 = tt.expand_dims %r2 {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  %b2 = tt.expand_dims %b1 {axis = 2 : i32} : tensor<2x1xi32> -> tensor<2x1x1xi32>
  %plane = arith.constant dense<256> : tensor<2x1x1xi32>
  %b3 = arith.muli %b2, %plane : tensor<2x1x1xi32>
  %b4 = tt.broadcast %b3 : tensor<2x1x1xi32> -> tensor<2x16x16xi32>
  %m1 = tt.expand_dims %r16 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %m2 = tt.expand_dims %m1 {axis = 0 : i32} : tensor<16x1xi32> -> tensor<1x16x1xi32>
  %row = arith.constant dense<16> : tensor<1x16x1xi32>
  %m3 = arith.muli %m2, %row : tensor<1x16x1xi32>
  %m4 = tt.broadcast %m3 : tensor<1x16x1xi32> -> tensor<2x16x16xi32>
  %k1 = tt.expand_dims %r16 {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %k2 = tt.expand_dims %k1 {axis = 0 : i32} : tensor<1x16xi32> -> tensor<1x1x16xi32>
  %k3 = tt.broadcast %k2 : tensor<1x1x16xi32> -> tensor<2x16x16xi32>
  %o1 = arith.addi %b4, %m4 : tensor<2x16x16xi32>
  %o = arith.addi %o1, %k3 : tensor<2x16x16xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<2x16x16x!tt.ptr<f16>>
  %ap = tt.addptr %as, %o : tensor<2x16x16x!tt.ptr<f16>>, tensor<2x16x16xi32>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<2x16x16x!tt.ptr<f16>>
  %bp = tt.addptr %bs, %o : tensor<2x16x16x!tt.ptr<f16>>, tensor<2x16x16xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<2x16x16xf32>)  : i32 {
    %x = tt.load %ap : tensor<2x16x16x!tt.ptr<f16>>
    %y = tt.load %bp : tensor<2x16x16x!tt.ptr<f16>>
    %d = tt.dot %x, %y, %acc : tensor<2x16x16xf16> * tensor<2x16x16xf16> -> tensor<2x16x16xf32>
    scf.yield %d : tensor<2x16x16xf32>
  }
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<2x16x16x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %o : tensor<2x16x16x!tt.ptr<f32>>, tensor<2x16x16xi32>
  tt.store %cp, %sum : tensor<2x16x16x!tt.ptr<f32>>
  return
}

// What works across the matrices of the batch gets all of them.
// CHECK-LABEL: @across
// CHECK-COUNT-2: tensor.insert_slice
// CHECK: tt.reduce
func.func @across(%x: tensor<2x16x16xf16>, %y: tensor<2x16x16xf16>) {
  %zero = arith.constant dense<0.0> : tensor<2x16x16xf32>
  %d = tt.dot %x, %y, %zero : tensor<2x16x16xf16> * tensor<2x16x16xf16> -> tensor<2x16x16xf32>
  %s = "tt.reduce"(%d) <{axis = 0 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %t = arith.addf %p, %q : f32
    tt.reduce.return %t : f32
  }) : (tensor<2x16x16xf32>) -> tensor<16x16xf32>
  "test.use"(%s) : (tensor<16x16xf32>) -> ()
  return
}
