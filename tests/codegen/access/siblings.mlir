// RUN: dl-opt --dl-access-stage --split-input-file %s | FileCheck %s
// RUN: dl-opt '--pass-pipeline=builtin.module(func.func(dl-access{coalesce=copy}))' --split-input-file %s | FileCheck %s --check-prefix=COPY

// The even and the odd elements under masks that end one element apart: one load, one store.
// CHECK-LABEL: @pairs
// CHECK: %[[ALL:.*]] = dl.load %arg0 strides[%c1_i64] lo[%c0_i64] hi[%[[N:.*]]] other(%{{.*}} : f32) {{.*}} -> tensor<64xf32>
// CHECK-NEXT: %[[EVEN:.*]] = dl.deinterleave %[[ALL]][0 of 2]
// CHECK-NEXT: %[[ODD:.*]] = dl.deinterleave %[[ALL]][1 of 2]
// CHECK-NOT: dl.load
// CHECK: %[[TURNED:.*]] = dl.interleave %[[ODD]], %[[EVEN]]
// CHECK-NEXT: dl.store %[[TURNED]], %arg0 strides[%c1_i64] lo[%c0_i64] hi[%[[N]]]
// CHECK-NOT: dl.store
// COPY-LABEL: @pairs
// COPY-NOT: dl.interleave
func.func @pairs(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %two = arith.constant dense<2> : tensor<32xi32>
  %one = arith.constant dense<1> : tensor<32xi32>
  %even = arith.muli %r, %two : tensor<32xi32>
  %odd = arith.addi %even, %one : tensor<32xi32>
  %ns = tt.splat %n : i32 -> tensor<32xi32>
  %m0 = arith.cmpi slt, %even, %ns : tensor<32xi32>
  %m1 = arith.cmpi slt, %odd, %ns : tensor<32xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %p0 = tt.addptr %xs, %even : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %p1 = tt.addptr %xs, %odd : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %a = tt.load %p0, %m0, %zero : tensor<32x!tt.ptr<f32>>
  %b = tt.load %p1, %m1, %zero : tensor<32x!tt.ptr<f32>>
  tt.store %p1, %a, %m1 : tensor<32x!tt.ptr<f32>>
  tt.store %p0, %b, %m0 : tensor<32x!tt.ptr<f32>>
  return
}

// -----
// A load between the stores, of what may be the same memory: they go together where it is not.
// CHECK-LABEL: @in_between
// CHECK: %[[APART:.*]] = arith.ori
// CHECK: scf.if %[[APART]] {
// CHECK-NEXT: } else {
// CHECK-NEXT: dl.store
// CHECK: dl.load
// CHECK: scf.if %[[APART]] {
// CHECK: dl.interleave
// CHECK: dl.store
// CHECK: } else {
// CHECK: dl.store
func.func @in_between(%x: !tt.ptr<f16>, %o: !tt.ptr<f16>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %two = arith.constant dense<2> : tensor<32xi32>
  %one = arith.constant dense<1> : tensor<32xi32>
  %even = arith.muli %r, %two : tensor<32xi32>
  %odd = arith.addi %even, %one : tensor<32xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<32x!tt.ptr<f16>>
  %os = tt.splat %o : !tt.ptr<f16> -> tensor<32x!tt.ptr<f16>>
  %from = tt.addptr %xs, %r : tensor<32x!tt.ptr<f16>>, tensor<32xi32>
  %p0 = tt.addptr %os, %even : tensor<32x!tt.ptr<f16>>, tensor<32xi32>
  %p1 = tt.addptr %os, %odd : tensor<32x!tt.ptr<f16>>, tensor<32xi32>
  %a = tt.load %from : tensor<32x!tt.ptr<f16>>
  tt.store %p0, %a : tensor<32x!tt.ptr<f16>>
  %b = tt.load %from : tensor<32x!tt.ptr<f16>>
  tt.store %p1, %b : tensor<32x!tt.ptr<f16>>
  return
}

// -----
// Rows whose distance may be odd: the odd elements of one may be the even ones of another.
// CHECK-LABEL: @rows
// CHECK: %[[REST:.*]] = arith.remsi
// CHECK: %[[EVEN:.*]] = arith.cmpi eq, %[[REST]]
// CHECK: scf.if %[[EVEN]]
// CHECK: dl.interleave
// Known to be even.
// CHECK-LABEL: @even_rows
// CHECK-NOT: scf.if
// CHECK: dl.interleave %{{.*}}, %{{.*}} : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<8x32xf32>
func.func @rows(%o: !tt.ptr<f32>, %s: i32) {
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %ix = tt.expand_dims %i {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %ss = tt.splat %s : i32 -> tensor<8x1xi32>
  %rows = arith.muli %ix, %ss : tensor<8x1xi32>
  %rb = tt.broadcast %rows : tensor<8x1xi32> -> tensor<8x16xi32>
  %j = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %two = arith.constant dense<2> : tensor<16xi32>
  %one = arith.constant dense<1> : tensor<8x16xi32>
  %j2 = arith.muli %j, %two : tensor<16xi32>
  %jx = tt.expand_dims %j2 {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %jb = tt.broadcast %jx : tensor<1x16xi32> -> tensor<8x16xi32>
  %even = arith.addi %rb, %jb : tensor<8x16xi32>
  %odd = arith.addi %even, %one : tensor<8x16xi32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<8x16x!tt.ptr<f32>>
  %p0 = tt.addptr %os, %even : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
  %p1 = tt.addptr %os, %odd : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
  %a = arith.sitofp %even : tensor<8x16xi32> to tensor<8x16xf32>
  tt.store %p0, %a : tensor<8x16x!tt.ptr<f32>>
  tt.store %p1, %a : tensor<8x16x!tt.ptr<f32>>
  return
}
func.func @even_rows(%o: !tt.ptr<f32>, %s: i32 {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %ix = tt.expand_dims %i {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %ss = tt.splat %s : i32 -> tensor<8x1xi32>
  %rows = arith.muli %ix, %ss : tensor<8x1xi32>
  %rb = tt.broadcast %rows : tensor<8x1xi32> -> tensor<8x16xi32>
  %j = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %two = arith.constant dense<2> : tensor<16xi32>
  %one = arith.constant dense<1> : tensor<8x16xi32>
  %j2 = arith.muli %j, %two : tensor<16xi32>
  %jx = tt.expand_dims %j2 {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %jb = tt.broadcast %jx : tensor<1x16xi32> -> tensor<8x16xi32>
  %even = arith.addi %rb, %jb : tensor<8x16xi32>
  %odd = arith.addi %even, %one : tensor<8x16xi32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<8x16x!tt.ptr<f32>>
  %p0 = tt.addptr %os, %even : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
  %p1 = tt.addptr %os, %odd : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
  %a = arith.sitofp %even : tensor<8x16xi32> to tensor<8x16xf32>
  tt.store %p0, %a : tensor<8x16x!tt.ptr<f32>>
  tt.store %p1, %a : tensor<8x16x!tt.ptr<f32>>
  return
}

// -----
// What is written between the loads, elements that are missing, and values that the mask leaves out differently: one by one.
// CHECK-LABEL: @others
// CHECK-NOT: dl.deinterleave
// CHECK-NOT: dl.interleave
func.func @others(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %two = arith.constant dense<2> : tensor<32xi32>
  %one = arith.constant dense<1> : tensor<32xi32>
  %ten = arith.constant dense<10> : tensor<32xi32>
  %even = arith.muli %r, %two : tensor<32xi32>
  %odd = arith.addi %even, %one : tensor<32xi32>
  %more = arith.addi %odd, %two : tensor<32xi32>
  %few = arith.cmpi slt, %r, %ten : tensor<32xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %p0 = tt.addptr %xs, %even : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %p1 = tt.addptr %xs, %odd : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %p3 = tt.addptr %xs, %more : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %minus = arith.constant dense<-1.0> : tensor<32xf32>
  %a = tt.load %p0, %few, %zero : tensor<32x!tt.ptr<f32>>
  %b = tt.load %p1, %few, %minus : tensor<32x!tt.ptr<f32>>
  tt.store %p0, %b : tensor<32x!tt.ptr<f32>>
  tt.store %p3, %a : tensor<32x!tt.ptr<f32>>
  %c = tt.load %p0 : tensor<32x!tt.ptr<f32>>
  tt.store %p1, %c, %few : tensor<32x!tt.ptr<f32>>
  %d = tt.load %p1 : tensor<32x!tt.ptr<f32>>
  tt.store %p3, %d : tensor<32x!tt.ptr<f32>>
  return
}
