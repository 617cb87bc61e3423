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
