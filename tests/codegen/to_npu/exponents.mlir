// The factor ln 2 of exp2 goes into the scale of the scores, if all between is wanted for exponents only.
// RUN: dl-opt %s --dl-expand --canonicalize | FileCheck %s

// The running maximum, its start and the constant of masked scores count in the same unit.
// CHECK-LABEL: tt.func public @scores(
// CHECK-DAG: %[[LOW:.*]] = arith.constant dense<-693147.188> : tensor<4x8xf32>
// CHECK-DAG: %[[START:.*]] = arith.constant dense<0xFF800000> : tensor<4xf32>
// CHECK-DAG: %[[LN2:.*]] = arith.constant 0.693147182 : f32
// CHECK: scf.for {{.*}} iter_args(%[[M:.*]] = %[[START]], %{{.*}})
// CHECK: %[[SCALE:.*]] = arith.mulf %{{.*}}, %[[LN2]] : f32
// CHECK: %[[ALL:.*]] = tt.splat %[[SCALE]]
// CHECK: %[[X:.*]] = arith.mulf %{{.*}}, %[[ALL]] : tensor<4x8xf32>
// CHECK: %[[Y:.*]] = arith.select %{{.*}}, %[[X]], %[[LOW]]
// CHECK: "tt.reduce"(%[[Y]])
// CHECK: math.exp %{{.*}} : tensor<4x8xf32>
// CHECK: math.exp %{{.*}} : tensor<4xf32>
// CHECK-NOT: exp2
tt.func public @scores(%x: tensor<4x8xf32>, %mask: tensor<4x8xi1>, %scale: f32, %n: i32) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %low = arith.constant dense<-1.0e6> : tensor<4x8xf32>
  %start = arith.constant dense<0xFF800000> : tensor<4xf32>
  %zeros = arith.constant dense<0.0> : tensor<4x8xf32>
  %ones = arith.constant dense<0.0> : tensor<4xf32>
  %r:3 = scf.for %i = %i0 to %n step %i1 iter_args(%m = %start, %p = %zeros, %a = %ones) -> (tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>) : i32 {
    %s = tt.splat %scale : f32 -> tensor<4x8xf32>
    %scaled = arith.mulf %x, %s : tensor<4x8xf32>
    %masked = arith.select %mask, %scaled, %low : tensor<4x8xi1>, tensor<4x8xf32>
    %max = "tt.reduce"(%masked) <{axis = 1 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.maxnumf %u, %v : f32
      tt.reduce.return %w : f32
    }) : (tensor<4x8xf32>) -> tensor<4xf32>
    %new = arith.maxnumf %m, %max : tensor<4xf32>
    %e = tt.expand_dims %new {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
    %b = tt.broadcast %e : tensor<4x1xf32> -> tensor<4x8xf32>
    %d = arith.subf %masked, %b : tensor<4x8xf32>
    %p2 = math.exp2 %d : tensor<4x8xf32>
    %l = arith.subf %m, %new : tensor<4xf32>
    %alpha = math.exp2 %l : tensor<4xf32>
    scf.yield %new, %p2, %alpha : tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>
  }
  tt.return %r#1, %r#2 : tensor<4x8xf32>, tensor<4xf32>
}

// The maximum is a result as well: nothing changes.
// CHECK-LABEL: tt.func public @kept(
// CHECK: math.exp2
tt.func public @kept(%x: tensor<4x8xf32>, %scale: f32) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %s = tt.splat %scale : f32 -> tensor<4x8xf32>
  %scaled = arith.mulf %x, %s : tensor<4x8xf32>
  %p = math.exp2 %scaled : tensor<4x8xf32>
  tt.return %p, %scaled : tensor<4x8xf32>, tensor<4x8xf32>
}

// Nothing to put the factor into: it would cost as much.
// CHECK-LABEL: tt.func public @plain(
// CHECK: math.exp2
tt.func public @plain(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %p = math.exp2 %x : tensor<4x8xf32>
  tt.return %p : tensor<4x8xf32>
}
