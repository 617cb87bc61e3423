// RUN: dl-opt --dl-access-stage --split-input-file %s | FileCheck %s
// RUN: dl-opt '--pass-pipeline=builtin.module(func.func(dl-access{coalesce=copy}))' --split-input-file %s | FileCheck %s --check-prefix=COPY

// A matrix of 8 x 16 by columns, through quotients and remainders: one copy, and its digits exchanged. The other way round for the store.
// CHECK-LABEL: @permuted
// CHECK: %[[X:.*]] = dl.load %arg0 strides[%c1_i64] lo[%c0_i64] hi[%c128_i64] {{.*}} -> tensor<128xf16>
// CHECK: dl.pick %[[X]] from 0 divisors [1, 8] sizes [8, 16] strides [16, 1]
// CHECK: %[[S:.*]] = dl.pick %{{.*}} from 0 divisors [1, 16] sizes [16, 8] strides [8, 1]
// CHECK: dl.store %[[S]], %arg1 strides[%c1_i64] lo[%c0_i64] hi[%c128_i64]
// COPY-LABEL: @permuted
// COPY: dl.gather
// COPY: dl.scatter
func.func @permuted(%x: !tt.ptr<f16>, %o: !tt.ptr<f16>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %eight = arith.constant dense<8> : tensor<128xi32>
  %sixteen = arith.constant dense<16> : tensor<128xi32>
  %over = arith.remsi %r, %eight : tensor<128xi32>
  %row = arith.divsi %r, %eight : tensor<128xi32>
  %col = arith.muli %over, %sixteen : tensor<128xi32>
  %at = arith.addi %row, %col : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %at : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f16>>
  %w = arith.addf %v, %v : tensor<128xf16>
  %os = tt.splat %o : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %op = tt.addptr %os, %at : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  tt.store %op, %w : tensor<128x!tt.ptr<f16>>
  return
}

// -----
// A mask that most tiles do not need is found out at run time; where it is needed, whole rows of the higher digit and a part of one.
// CHECK-LABEL: @masked
// CHECK: %[[ALL:.*]] = arith.cmpi eq
// CHECK: scf.if %[[ALL]] -> (tensor<64xf32>) {
// CHECK: dl.load
// CHECK: dl.pick %{{.*}} from 0 divisors [1, 8] sizes [8, 8] strides [8, 1]
// CHECK: } else {
// CHECK: %[[ROWS:.*]] = arith.divui %[[COUNT:.*]], %c8_i64
// CHECK: %[[REST:.*]] = arith.remui %[[COUNT]], %c8_i64
// CHECK: dl.load %arg0 strides[%c1_i64, %c8_i64] lo[%c0_i64, %c0_i64] hi[%[[ROWS]], %c8_i64]
// CHECK: dl.load %arg0 strides[%c1_i64, %c8_i64] lo[%[[ROWS]], %c0_i64] hi[%{{.*}}, %[[REST]]]
// CHECK: dl.range_mask lo[%c0_i64, %c0_i64] hi[%[[ROWS]], %c8_i64]
func.func @masked(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %eight = arith.constant dense<8> : tensor<64xi32>
  %c = arith.divsi %r, %eight : tensor<64xi32>
  %d = arith.remsi %r, %eight : tensor<64xi32>
  %g = arith.muli %d, %eight : tensor<64xi32>
  %at = arith.addi %c, %g : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xp, %mask : tensor<64x!tt.ptr<f32>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %op = tt.addptr %os, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %op, %v : tensor<64x!tt.ptr<f32>>
  return
}

// -----
// What may be negative, what the divisor does not divide and places without an element: as before.
// CHECK-LABEL: @others
// CHECK-NOT: dl.pick
func.func @others(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %eight = arith.constant dense<8> : tensor<64xi32>
  %seven = arith.constant dense<7> : tensor<64xi32>
  %nine = arith.constant dense<9> : tensor<64xi32>
  %n8 = arith.constant 8 : i32
  %base = arith.muli %n, %n8 : i32
  %ns = tt.splat %base : i32 -> tensor<64xi32>
  %late = arith.addi %r, %ns : tensor<64xi32>
  %a = arith.divsi %late, %eight : tensor<64xi32>
  %b = arith.divsi %r, %seven : tensor<64xi32>
  %c = arith.divsi %r, %eight : tensor<64xi32>
  %d = arith.remsi %r, %eight : tensor<64xi32>
  %e = arith.muli %c, %nine : tensor<64xi32>
  %f = arith.addi %d, %e : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xa = tt.addptr %xs, %a : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %xb = tt.addptr %xs, %b : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %va = tt.load %xa : tensor<64x!tt.ptr<f32>>
  %vb = tt.load %xb : tensor<64x!tt.ptr<f32>>
  %s = arith.addf %va, %vb : tensor<64xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %of = tt.addptr %os, %f : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %of, %s : tensor<64x!tt.ptr<f32>>
  return
}

// -----
// Elements of a byte that are no integers: as before.
// CHECK-LABEL: @bytes
// CHECK: dl.gather
// CHECK-NOT: dl.pick
func.func @bytes(%x: !tt.ptr<f8E5M2>, %o: !tt.ptr<f8E5M2>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %two = arith.constant dense<2> : tensor<64xi32>
  %at = arith.divsi %r, %two : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f8E5M2> -> tensor<64x!tt.ptr<f8E5M2>>
  %xp = tt.addptr %xs, %at : tensor<64x!tt.ptr<f8E5M2>>, tensor<64xi32>
  %v = tt.load %xp : tensor<64x!tt.ptr<f8E5M2>>
  %os = tt.splat %o : !tt.ptr<f8E5M2> -> tensor<64x!tt.ptr<f8E5M2>>
  %op = tt.addptr %os, %r : tensor<64x!tt.ptr<f8E5M2>>, tensor<64xi32>
  tt.store %op, %v : tensor<64x!tt.ptr<f8E5M2>>
  return
}
