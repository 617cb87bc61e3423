// RUN: dl-opt --allow-unregistered-dialect --dl-access-stage %s | FileCheck %s

// A loop-carried pointer tensor becomes a carried scalar offset; so do index tensors; nested loops too.
// CHECK-LABEL: @pointers
// CHECK: scf.for {{.*}} iter_args(%[[OUT:.*]] = %c0_i64) -> (i64)
// CHECK: %[[IN:.*]] = scf.for {{.*}} iter_args(%[[OFF:.*]] = %[[OUT]]) -> (i64)
// CHECK: %[[Q:.*]] = tt.addptr %arg0, %[[OFF]] : !tt.ptr<f32>, i64
// CHECK: dl.store %{{.*}}, %[[Q]]
// CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}
// CHECK: scf.yield %[[NEXT]] : i64
// CHECK: scf.yield %[[IN]] : i64
func.func @pointers(%p: !tt.ptr<f32>, %n: i32, %step: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %v = arith.constant dense<1.0> : tensor<64xf32>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %inc = tt.splat %step : i32 -> tensor<64xi32>
  %x = scf.for %i = %c0 to %n step %c1 iter_args(%a = %q) -> (tensor<64x!tt.ptr<f32>>)  : i32 {
    %y = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> (tensor<64x!tt.ptr<f32>>)  : i32 {
      tt.store %b, %v : tensor<64x!tt.ptr<f32>>
      %c = tt.addptr %b, %inc : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      scf.yield %c : tensor<64x!tt.ptr<f32>>
    }
    scf.yield %y : tensor<64x!tt.ptr<f32>>
  }
  return
}

// An index that is used as an address and as data stays in both forms.
// CHECK-LABEL: @both_uses
// CHECK: scf.for {{.*}} iter_args(%[[T:.*]] = %{{.*}}, %[[B:.*]] = %c0_i64) -> (tensor<64xi32>, i64)
// CHECK: tt.addptr %arg0, %[[B]]
// CHECK: dl.store %[[T]],
func.func @both_uses(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %inc = arith.constant dense<64> : tensor<64xi32>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %x = scf.for %i = %c0 to %n step %c1 iter_args(%a = %r) -> (tensor<64xi32>)  : i32 {
    %q = tt.addptr %ps, %a : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %q, %a : tensor<64x!tt.ptr<i32>>
    %c = arith.addi %a, %inc : tensor<64xi32>
    scf.yield %c : tensor<64xi32>
  }
  return
}

// Scalar pointers too.
// CHECK-LABEL: @scalar_pointer
// CHECK: scf.for {{.*}} iter_args(%[[O:.*]] = %c0_i64) -> (i64)
// CHECK: dl.load_scalar
func.func @scalar_pointer(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p) -> (!tt.ptr<i32>)  : i32 {
    %v = tt.load %a : !tt.ptr<i32>
    "test.use"(%v) : (i32) -> ()
    %c = tt.addptr %a, %c1 : !tt.ptr<i32>, i32
    scf.yield %c : !tt.ptr<i32>
  }
  return
}

// Pointers that move lane by lane: the loop carries how far.
// CHECK-LABEL: @moving
// CHECK: scf.for {{.*}} iter_args(%[[D:.*]] = %{{.*}}) -> (tensor<64xi32>)
// CHECK: dl.gather
// CHECK: dl.extract %[[D]]
// CHECK: %[[N:.*]] = arith.addi %[[D]], %arg1 : tensor<64xi32>
// CHECK: scf.yield %[[N]]
func.func @moving(%p: !tt.ptr<f32>, %s: tensor<64xi32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = scf.for %i = %c0 to %n step %c1 iter_args(%a = %q) -> (tensor<64x!tt.ptr<f32>>)  : i32 {
    %v = tt.load %a : tensor<64x!tt.ptr<f32>>
    "test.use"(%v) : (tensor<64xf32>) -> ()
    %b = tt.addptr %a, %s : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %b : tensor<64x!tt.ptr<f32>>
  }
  return
}
