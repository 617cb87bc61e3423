// RUN: dl-opt %s --split-input-file --dl-to-npu | FileCheck %s
// RUN: dl-opt %s --split-input-file --dl-to-npu=coalesce=copy | FileCheck %s --check-prefix=COPY
// RUN: dl-opt %s --split-input-file --dl-to-npu=coalesce=off | FileCheck %s --check-prefix=OFF

// Every second element: the gaps come along, then they are dropped.
// CHECK-LABEL: @even
// CHECK: npu.voffsets %[[T:.*]] rows 0 columns 8
// CHECK: npu.copy_in %[[W:.*]][%{{.*}}, %{{.*}}], {{.*}} : memref<128xf32
// CHECK: npu.vgather %{{.*}}[%{{.*}}], %[[W]] + %{{.*}}, %[[T]]
// COPY-LABEL: @even
// COPY: npu.copy_in {{.*}} : memref<64x2xf32
// COPY: npu.vgather
// OFF-LABEL: @even
// OFF: scf.for
// OFF: npu.gm_load
// OFF: npu.store_scalar
tt.func public @even(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c64 = arith.constant 64 : i64
  %a = dl.load %x strides[%c2] lo[%c0] hi[%c64] : !tt.ptr<f32> -> tensor<64xf32>
  dl.store %a, %o strides[%c1] lo[%c0] hi[%c64] : tensor<64xf32>, !tt.ptr<f32>
  tt.return
}

// -----
// Stores at a stride: each element in a block of its own.
// CHECK-LABEL: @spread
// CHECK: npu.vspread %[[S:.*]], %{{.*}} + %{{.*}} : memref<64x2xf32
// CHECK: npu.copy_out %[[S]]
// OFF-LABEL: @spread
// OFF: npu.gm_store
tt.func public @spread(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %s: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %c64 = arith.constant 64 : i64
  %a = dl.load %x strides[%c1] lo[%c0] hi[%c64] : !tt.ptr<f32> -> tensor<64xf32>
  dl.store %a, %o strides[%c3] lo[%c0] hi[%c64] : tensor<64xf32>, !tt.ptr<f32>
  tt.return
}

// -----
// Columns that are contiguous in memory: 16-bit elements by v.trans, others by offsets, i8 as f16.
// CHECK-LABEL: @turned
// CHECK: npu.copy_in %[[A:.*]][{{.*}} : memref<64x32xf16
// CHECK: npu.vtrans %{{.*}}, %[[A]] : memref<32x64xf16
// CHECK: npu.vgather {{.*}} : memref<32x64xf32
// CHECK: npu.vcast
// CHECK: npu.vtrans
// CHECK: npu.vcast
// OFF-LABEL: @turned
// OFF-NOT: npu.vtrans
tt.func public @turned(%x: !tt.ptr<f16>, %y: !tt.ptr<f32>, %z: !tt.ptr<i8>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %a = dl.load %x strides[%c1, %c32] lo[%c0, %c0] hi[%c32, %c64] : !tt.ptr<f16> -> tensor<32x64xf16>
  dl.store %a, %x strides[%c64, %c1] lo[%c0, %c0] hi[%c32, %c64] : tensor<32x64xf16>, !tt.ptr<f16>
  %b = dl.load %y strides[%c1, %c32] lo[%c0, %c0] hi[%c32, %c64] : !tt.ptr<f32> -> tensor<32x64xf32>
  dl.store %b, %y strides[%c64, %c1] lo[%c0, %c0] hi[%c32, %c64] : tensor<32x64xf32>, !tt.ptr<f32>
  %c = dl.load %z strides[%c1, %c32] lo[%c0, %c0] hi[%c32, %c64] : !tt.ptr<i8> -> tensor<32x64xi8>
  dl.store %c, %z strides[%c64, %c1] lo[%c0, %c0] hi[%c32, %c64] : tensor<32x64xi8>, !tt.ptr<i8>
  tt.return
}

// -----
// Elements in another order: a table of quotients, of 4096 elements at most.
// CHECK-LABEL: @picked
// CHECK-DAG: npu.viota %[[T:.*]], %c0_i32, %c32_i32
// CHECK-DAG: npu.vscalar shrs %[[Q:.*]], %{{.*}}, %c6_i32
// CHECK-DAG: npu.vscalar muls %[[Q]], %[[Q]], %c-2046_i32
// CHECK-DAG: npu.vbinary add %[[T]], %[[T]], %[[Q]]
// CHECK: npu.vgather %[[D:.*]][%c0_{{.*}}], %[[X:.*]] + %c0_{{.*}}, %[[T]]
// CHECK: npu.vgather %[[D]][%c1_{{.*}}], %[[X]] + %c128_{{.*}}, %[[T]]
tt.func public @picked(%x: !tt.ptr<f16>, %o: !tt.ptr<f16>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c8192 = arith.constant 8192 : i64
  %a = dl.load %x strides[%c1] lo[%c0] hi[%c8192] : !tt.ptr<f16> -> tensor<8192xf16>
  %p = dl.pick %a from 0 divisors [1, 64, 4096] sizes [64, 64, 2] strides [16, 1, 64] : tensor<8192xf16> -> tensor<8192xf16>
  dl.store %p, %o strides[%c1] lo[%c0] hi[%c8192] : tensor<8192xf16>, !tt.ptr<f16>
  tt.return
}

// -----
// Rows backwards: the rows, then each from its end on; lanes that are masked off are at the other end.
// CHECK-LABEL: @backwards
// CHECK: npu.viota %[[T:.*]], %c252_i32, %c-4_i32
// CHECK: %[[LO:.*]] = arith.subi %c64_{{.*}}, %arg2
// CHECK: npu.copy_in %[[X:.*]][%c0_{{.*}}, %[[LO]]]
// CHECK: npu.vgather %{{.*}}, %[[X]] + %c0_{{.*}}, %[[T]]
// OFF-LABEL: @backwards
// OFF-NOT: npu.vgather
tt.func public @backwards(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %down = arith.constant -1 : i64
  %c64 = arith.constant 64 : i64
  %zero = arith.constant 0.0 : f32
  %a = dl.load %x strides[%down] lo[%c0] hi[%n] other(%zero : f32) : !tt.ptr<f32> -> tensor<64xf32>
  dl.store %a, %o strides[%c1] lo[%c0] hi[%c64] : tensor<64xf32>, !tt.ptr<f32>
  tt.return
}

// -----
// Either stride of a matrix may be 1.
// CHECK-LABEL: @launch_strides
// CHECK: %[[ROWS:.*]] = arith.cmpi eq, %arg2, %{{.*}}
// CHECK: scf.if %[[ROWS]] {
// CHECK: } else {
// CHECK: %[[COLUMNS:.*]] = arith.cmpi eq, %arg1, %{{.*}}
// CHECK: scf.if %[[COLUMNS]] {
// CHECK: npu.vtrans
// CHECK: } else {
// CHECK: npu.vgather
tt.func public @launch_strides(%x: !tt.ptr<f16>, %r: i64, %c: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %a = dl.load %x strides[%r, %c] lo[%c0, %c0] hi[%c64, %c64] : !tt.ptr<f16> -> tensor<64x64xf16>
  dl.store %a, %x strides[%c64, %c1] lo[%c0, %c0] hi[%c64, %c64] : tensor<64x64xf16>, !tt.ptr<f16>
  tt.return
}

// -----
// A stride that the launch knows may be 1.
// CHECK-LABEL: @launch_stride
// CHECK: %[[U:.*]] = arith.cmpi eq, %arg1, %{{.*}}
// CHECK: scf.if %[[U]] {
// CHECK: npu.copy_in {{.*}} : memref<64xf32
// CHECK: } else {
// CHECK: npu.copy_in {{.*}} : memref<64x2xf32
tt.func public @launch_stride(%x: !tt.ptr<f32>, %s: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %a = dl.load %x strides[%s] lo[%c0] hi[%c64] : !tt.ptr<f32> -> tensor<64xf32>
  dl.store %a, %x strides[%c1] lo[%c0] hi[%c64] : tensor<64xf32>, !tt.ptr<f32>
  tt.return
}

// -----
// Rows that scalar code finds: two a copy, whose stride is their distance. Elements: a burst each, in blocks of their own.
// CHECK-LABEL: @rows
// CHECK: %[[TWO:.*]] = arith.constant 2 : i64
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %[[TWO]]
// CHECK: npu.load_scalar
// CHECK: %[[SECOND:.*]] = arith.addi %arg0
// CHECK: npu.load_scalar
// CHECK: %[[FIRST:.*]] = arith.addi %arg0
// CHECK: %[[STEP:.*]] = arith.subi %[[SECOND]], %[[FIRST]]
// CHECK: npu.copy_in {{.*}} rows %c2{{.*}} stride %[[STEP]] {{.*}}: memref<16x32xf32
// CHECK: scf.for
// CHECK: npu.load_scalar
// CHECK: npu.copy_in {{.*}} : memref<16x2xf32
// CHECK: npu.vgather
// CHECK: npu.load_scalar {{.*}} -> i32
// CHECK: npu.load_scalar {{.*}} -> i32
// CHECK: npu.gm_store
// COPY-LABEL: @rows
// COPY: npu.load_scalar
// COPY-NOT: npu.load_scalar
// COPY: npu.copy_in {{.*}} : memref<16x32xf32
// OFF-LABEL: @rows
// OFF: npu.copy_in {{.*}} : memref<16x32xf32
// OFF: npu.gm_load
tt.func public @rows(%x: !tt.ptr<f32>, %i: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c32 = arith.constant 32 : i64
  %true = arith.constant true
  %n = dl.load %i strides[%c1] lo[%c0] hi[%c16] : !tt.ptr<i32> -> tensor<16xi32>
  %a = dl.gather strides[%c0, %c1] lo[%c0, %c0] hi[%c16, %c32] walk [0] {
  ^bb0(%r: i64):
    %e = dl.extract %n[%r] : tensor<16xi32> -> i32
    %p = tt.addptr %x, %e : !tt.ptr<f32>, i32
    dl.run %p count %c1 if %true lo[%c0, %c0] hi[%c1, %c32] : !tt.ptr<f32>
  } : tensor<16x32xf32>
  dl.store %a, %x strides[%c32, %c1] lo[%c0, %c0] hi[%c16, %c32] : tensor<16x32xf32>, !tt.ptr<f32>
  %b = dl.gather strides[%c0] lo[%c0] hi[%c16] walk [0] {
  ^bb0(%r: i64):
    %e = dl.extract %n[%r] : tensor<16xi32> -> i32
    %p = tt.addptr %x, %e : !tt.ptr<f32>, i32
    dl.run %p count %c1 if %true lo[%c0] hi[%c1] : !tt.ptr<f32>
  } : tensor<16xf32>
  dl.scatter %b strides[%c0] lo[%c0] hi[%c16] walk [0] {
  ^bb0(%r: i64):
    %e = dl.extract %n[%r] : tensor<16xi32> -> i32
    %p = tt.addptr %x, %e : !tt.ptr<f32>, i32
    dl.run %p count %c1 if %true lo[%c0] hi[%c1] : !tt.ptr<f32>
  } : tensor<16xf32>
  tt.return
}

// -----
// Halves of i64: the low ones by a cast, the high ones and pairs of halves by tables of offsets.
// CHECK-LABEL: @halves
// CHECK-DAG: npu.voffsets %[[EVERY:.*]] rows 0 columns 8
// CHECK-DAG: npu.voffsets %[[SAME:.*]] rows 0 columns 4
// CHECK-DAG: npu.vbinary add %[[TURN:.*]], %[[TURN]], %{{.*}} : memref<128xi32
// CHECK: npu.vcast
// CHECK: npu.vgather %{{.*}}, %{{.*}} + %{{.*}}, %[[EVERY]] : memref<64xi32{{.*}}, memref<64xi64
// CHECK-COUNT-2: npu.vgather %[[ROWS:.*]][%{{.*}}], %{{.*}} + %{{.*}}, %[[SAME]]
// CHECK: npu.vgather %{{.*}}, %[[ROWS]] + %{{.*}}, %[[TURN]] : memref<64xi64
// OFF-LABEL: @halves
// OFF-NOT: npu.vgather
// OFF: npu.load_scalar
tt.func public @halves(%x: !tt.ptr<i64>, %o: !tt.ptr<i64>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %a = dl.load %x strides[%c1] lo[%c0] hi[%c64] : !tt.ptr<i64> -> tensor<64xi64>
  %low = dl.half %a : tensor<64xi64> -> tensor<64xi32>
  %high = dl.half high %a : tensor<64xi64> -> tensor<64xi32>
  %turned = dl.wide %high, %low : tensor<64xi32>, tensor<64xi32> -> tensor<64xi64>
  dl.store %turned, %o strides[%c1] lo[%c0] hi[%c64] : tensor<64xi64>, !tt.ptr<i64>
  tt.return
}
