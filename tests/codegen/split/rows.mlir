// How the two vector cores of a group share rows.
// RUN: dl-opt %s --split-input-file --dl-split | FileCheck %s
// RUN: dl-opt %s --split-input-file --dl-split -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dl-opt %s --split-input-file --dl-split=bind-sub-cores=false | FileCheck %s --check-prefix=UNBOUND

// Indices, bounds and broadcasts of rows follow; a column vector is whole on both cores.
// Unbound, every core computes the whole tile, and the bounds of the stores leave the second one nothing.
// UNBOUND-LABEL: func.func @rows.aiv(
// UNBOUND: %[[S:.*]] = npu.sub_core
// UNBOUND-DAG: dl.load {{.*}} : !tt.ptr<f32> -> tensor<32xf32>
// UNBOUND-DAG: arith.subi %c1_i64{{.*}}, %[[S]]
// UNBOUND: dl.store {{.*}} : tensor<32x64xf32>, !tt.ptr<f32>

// CHECK-LABEL: func.func @rows.aiv(
// CHECK: %[[S:.*]] = npu.sub_core
// CHECK: arith.muli %[[S]], %c16_i64
// CHECK-DAG: dl.load {{.*}} : !tt.ptr<f32> -> tensor<16xf32>
// CHECK-DAG: dl.load {{.*}} : !tt.ptr<f32> -> tensor<64xf32>
// CHECK-DAG: tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
// CHECK-NOT: tensor<32x
// CHECK: return
func.func @rows(%pa: !tt.ptr<f16>, %pr: !tt.ptr<f32>, %ps: !tt.ptr<f32>, %m: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x64xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %b = dl.load %pa strides[%c64, %c1] lo[%c0, %c0] hi[%c32, %c64] : !tt.ptr<f16> -> tensor<32x64xf16>
  %d = tt.dot %a, %b, %zeros : tensor<32x32xf16> * tensor<32x64xf16> -> tensor<32x64xf32>
  %row = dl.load %pr strides[%c1] lo[%c0] hi[%m] : !tt.ptr<f32> -> tensor<32xf32>
  %col = dl.load %pr strides[%c1] lo[%c0] hi[%c64] : !tt.ptr<f32> -> tensor<64xf32>
  %index = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %number = arith.sitofp %index : tensor<32xi32> to tensor<32xf32>
  %rowAll = arith.addf %row, %number : tensor<32xf32>
  %row2 = tt.expand_dims %rowAll {axis = 1 : i32} : tensor<32xf32> -> tensor<32x1xf32>
  %rows = tt.broadcast %row2 : tensor<32x1xf32> -> tensor<32x64xf32>
  %col2 = tt.expand_dims %col {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
  %cols = tt.broadcast %col2 : tensor<1x64xf32> -> tensor<32x64xf32>
  %x = arith.mulf %d, %rows : tensor<32x64xf32>
  %y = arith.mulf %x, %cols : tensor<32x64xf32>
  dl.store %y, %ps strides[%c64, %c1] lo[%c0, %c0] hi[%m, %c64] : tensor<32x64xf32>, !tt.ptr<f32>
  return
}

// -----

// A reduction over rows needs them all: the second core only keeps the flags in step.
// REMARK: remark: the second vector core of each group is idle: {{.*}}tt.reduce mixes rows; rows cannot be shared
// CHECK-LABEL: func.func @columns.aiv(
// CHECK: %[[S:.*]] = npu.sub_core
// CHECK: "tt.reduce"{{.*}}axis = 0
// CHECK: %[[N:.*]] = arith.subi %c1_i64{{.*}}, %[[S]]
// CHECK: %[[H:.*]] = arith.muli {{.*}}, %[[N]]
// CHECK: dl.store {{.*}} hi[%[[H]]]
func.func @columns(%pa: !tt.ptr<f16>, %ps: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c32, %c32] : !tt.ptr<f16> -> tensor<32x32xf16>
  %d = tt.dot %a, %a, %zeros : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %sum = "tt.reduce"(%d) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<32x32xf32>) -> tensor<32xf32>
  dl.store %sum, %ps strides[%c1] lo[%c0] hi[%c32] : tensor<32xf32>, !tt.ptr<f32>
  return
}

// -----

// Rows of a large tile are shared in pieces, one after the other from the load on, also the carried ones; a flag is for
// all pieces.
// CHECK-LABEL: func.func @pieces.aiv(
// CHECK: %[[S:.*]] = npu.sub_core
// CHECK: scf.for {{.*}} iter_args(%[[M0:.*]] = %{{.*}}, %[[M1:.*]] = %{{.*}}) -> (tensor<32xf32>, tensor<32xf32>)
// CHECK: npu.cross_wait mte2 id 0
// CHECK: dl.load {{.*}} : i64 -> tensor<32x256xf32>
// CHECK: math.exp
// CHECK: %[[NEW0:.*]] = arith.maxnumf %[[M0]]
// CHECK: dl.load {{.*}} : i64 -> tensor<32x256xf32>
// CHECK: npu.cross_set mte2 id 0
// CHECK: math.exp
// CHECK: %[[NEW1:.*]] = arith.maxnumf %[[M1]]
// CHECK: scf.yield %[[NEW0]], %[[NEW1]]
// CHECK-COUNT-2: dl.store {{.*}} hi[%c32_i64{{.*}}] : tensor<32xf32>, !tt.ptr<f32>
// CHECK-NOT: dl.store
func.func @pieces(%pa: !tt.ptr<f16>, %ps: !tt.ptr<f32>, %n: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %c128 = arith.constant 128 : i64
  %c256 = arith.constant 256 : i64
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<128x256xf32>
  %least = arith.constant dense<0.0> : tensor<128xf32>
  %a = dl.load %pa strides[%c32, %c1] lo[%c0, %c0] hi[%c128, %c32] : !tt.ptr<f16> -> tensor<128x32xf16>
  %b = dl.load %pa strides[%c256, %c1] lo[%c0, %c0] hi[%c32, %c256] : !tt.ptr<f16> -> tensor<32x256xf16>
  %r = scf.for %i = %i0 to %n step %i1 iter_args(%m = %least) -> (tensor<128xf32>) : i32 {
    %d = tt.dot %a, %b, %zeros : tensor<128x32xf16> * tensor<32x256xf16> -> tensor<128x256xf32>
    %e = math.exp %d : tensor<128x256xf32>
    %max = "tt.reduce"(%e) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<128x256xf32>) -> tensor<128xf32>
    %new = arith.maxnumf %m, %max : tensor<128xf32>
    scf.yield %new : tensor<128xf32>
  }
  dl.store %r, %ps strides[%c1] lo[%c0] hi[%c128] : tensor<128xf32>, !tt.ptr<f32>
  return
}
