// RUN: dl-opt --allow-unregistered-dialect --dl-access-stage %s | FileCheck %s

// A block of three dimensions, the first of size 1 dropped: rectangles whose bounds are the array's, zeros outside.
// CHECK-LABEL: @blocks
// CHECK: %[[V:.*]] = dl.load %{{.*}} lo[%{{.*}}, %{{.*}}, %c0_i64] hi[%{{.*}}, %{{.*}}, %{{.*}}] other(%cst : f32) {arg = 0 : i64} : !tt.ptr<f32> -> tensor<1x8x32xf32>
// CHECK: tt.reshape %[[V]] : tensor<1x8x32xf32> -> tensor<8x32xf32>
// CHECK: dl.store %{{.*}} : tensor<1x8x32xf32>, !tt.ptr<f32>
// CHECK: dl.store %{{.*}}atomic = 1 : i32
func.func @blocks(%p: !tt.ptr<f32>, %a: i32, %m: i32, %n: i32, %s0: i64, %s1: i64, %i: i32, %j: i32) {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %d = tt.make_tensor_descriptor %p, [%a, %m, %n], [%s0, %s1, %one] : <f32>, <tensor<1x8x32xf32>>
  %v = tt.descriptor_load %d[%i, %j, %zero] : !tt.tensordesc<tensor<1x8x32xf32>> -> tensor<8x32xf32>
  %w = arith.addf %v, %v : tensor<8x32xf32>
  tt.descriptor_store %d[%i, %j, %zero], %w : !tt.tensordesc<tensor<1x8x32xf32>>, tensor<8x32xf32>
  tt.descriptor_reduce add, %d[%i, %j, %zero], %w : !tt.tensordesc<tensor<1x8x32xf32>>, tensor<8x32xf32>
  return
}

// A descriptor that the host made: a pointer, sizes and strides. Reads beyond it are NaN only where the kernel says so.
// CHECK-LABEL: @argument(
// CHECK-SAME: %[[D:.*]]: !tt.ptr<f16>, %[[M:.*]]: i32, %[[N:.*]]: i32, %[[S:.*]]: i64, %{{.*}}: i64, %{{.*}}: i32)
// CHECK: dl.load %{{.*}} strides[%[[S]], %c1_i64] {{.*}}{arg = 0 : i64, hints = {evict = "evict_first"}} : !tt.ptr<f16> -> tensor<16x32xf16>
func.func @argument(%d: !tt.tensordesc<tensor<16x32xf16>>, %m: i32, %n: i32, %s0: i64, %s1: i64, %i: i32) {
  %v = tt.descriptor_load %d[%i, %i] evictionPolicy = evict_first : !tt.tensordesc<tensor<16x32xf16>> -> tensor<16x32xf16>
  "test.use"(%v) : (tensor<16x32xf16>) -> ()
  return
}

// Rows by a vector.
// CHECK-LABEL: @rows
// CHECK: dl.gather
// CHECK: dl.scatter
func.func @rows(%p: !tt.ptr<f32>, %m: i32, %n: i32, %s: i64, %rows: tensor<8xi32>, %column: i32) {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %one] {padding = 2 : i32} : <f32>, <tensor<1x32xf32>>
  %v = tt.descriptor_gather %d[%rows, %column] : (!tt.tensordesc<tensor<1x32xf32>>, tensor<8xi32>, i32) -> tensor<8x32xf32>
  %w = arith.addf %v, %v : tensor<8x32xf32>
  tt.descriptor_scatter %d[%rows, %column], %w : !tt.tensordesc<tensor<1x32xf32>>, tensor<8xi32>, i32, tensor<8x32xf32>
  return
}

// Handed on by a branch or a loop: base, sizes and strides are, but for the last stride.
// CHECK-LABEL: @chosen
// CHECK: %[[STRIDE:.*]] = arith.extsi %arg4
// CHECK: %[[BASE:.*]] = arith.select %arg7, %arg0, %arg1 : !tt.ptr<f32>
// CHECK: dl.load %[[BASE]] strides[%[[STRIDE]], %c1_i64]
func.func @chosen(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: !tt.tensordesc<tensor<8x32xf32>>, %m: i32, %n: i32, %s0: i64, %s1: i64, %c: i1, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %s = arith.extsi %n : i32 to i64
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f32>, <tensor<8x32xf32>>
  %dy = tt.make_tensor_descriptor %y, [%m, %n], [%s, %one] : <f32>, <tensor<8x32xf32>>
  %d = arith.select %c, %dx, %dy : !tt.tensordesc<tensor<8x32xf32>>
  %v = tt.descriptor_load %d[%c0, %c0] : !tt.tensordesc<tensor<8x32xf32>> -> tensor<8x32xf32>
  tt.descriptor_store %out[%c0, %c0], %v : !tt.tensordesc<tensor<8x32xf32>>, tensor<8x32xf32>
  return
}

// CHECK-LABEL: @turns
// CHECK: scf.while ({{.*}}) : (i32, !tt.ptr<f32>, i32, i32, i64)
// CHECK: ^bb0(%{{.*}}: i32, %[[BASE:.*]]: !tt.ptr<f32>, %{{.*}}: i32, %{{.*}}: i32, %[[STRIDE:.*]]: i64)
// CHECK: %[[ROW:.*]] = tt.addptr %[[BASE]],
// CHECK: dl.load %[[ROW]] strides[%[[STRIDE]], %c1_i64]
func.func @turns(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: !tt.tensordesc<tensor<8x32xf32>>, %m: i32, %n: i32, %s0: i64, %s1: i64, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %s = arith.extsi %n : i32 to i64
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f32>, <tensor<8x32xf32>>
  %r:2 = scf.while (%i = %c0, %d = %dx) : (i32, !tt.tensordesc<tensor<8x32xf32>>) -> (i32, !tt.tensordesc<tensor<8x32xf32>>) {
    %go = arith.cmpi slt, %i, %count : i32
    scf.condition(%go) %i, %d : i32, !tt.tensordesc<tensor<8x32xf32>>
  } do {
  ^bb0(%i: i32, %d: !tt.tensordesc<tensor<8x32xf32>>):
    %v = tt.descriptor_load %d[%i, %c0] : !tt.tensordesc<tensor<8x32xf32>> -> tensor<8x32xf32>
    tt.descriptor_store %out[%i, %c0], %v : !tt.tensordesc<tensor<8x32xf32>>, tensor<8x32xf32>
    %odd = arith.cmpi eq, %i, %c8 : i32
    %next = scf.if %odd -> !tt.tensordesc<tensor<8x32xf32>> {
      %dy = tt.make_tensor_descriptor %y, [%m, %n], [%s, %one] : <f32>, <tensor<8x32xf32>>
      scf.yield %dy : !tt.tensordesc<tensor<8x32xf32>>
    } else {
      scf.yield %d : !tt.tensordesc<tensor<8x32xf32>>
    }
    %j = arith.addi %i, %c8 : i32
    scf.yield %j, %next : i32, !tt.tensordesc<tensor<8x32xf32>>
  }
  return
}
