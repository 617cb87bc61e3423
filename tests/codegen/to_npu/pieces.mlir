// RUN: dl-opt %s --split-input-file --dl-to-npu --canonicalize | FileCheck %s
// RUN: dl-opt %s --split-input-file --dl-to-npu=coalesce=off | FileCheck %s --check-prefix=OFF

// Pieces of 100 floats, 117 apart: two of them are whole blocks, so there are two groups of every second one. The rest of a
// piece comes first, then the groups, the last one first, then the ends that the first group spoiled, then the first run.
// CHECK-LABEL: @pieces
// CHECK: scf.if
// CHECK: npu.copy_in {{.*}} pitch %[[P:.*]] {{.*}}: memref<512xf32
// CHECK: scf.for
// CHECK: npu.copy_in {{.*}} left %{{.*}} pad(%{{.*}} : f32) pitch %[[P]] {{.*}}: memref<512xf32
// CHECK: scf.if
// CHECK-NOT: left
// CHECK: npu.copy_in {{.*}} pitch %[[P]] {{.*}}: memref<512xf32
// CHECK: npu.copy_in {{.*}} left %{{.*}} pad(%{{.*}} : f32) {arg = 0 : i64} : memref<512xf32
// CHECK: else
// CHECK: scf.while
// CHECK: scf.for
// CHECK: npu.copy_in
// OFF-LABEL: @pieces
// OFF-NOT: npu.copy_in {{.*}} pitch
tt.func public @pieces(%x: !tt.ptr<f32>, %d: i64, %s: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c17 = arith.constant 17 : i64
  %c512 = arith.constant 512 : i64
  %true = arith.constant true
  %a = dl.gather strides[%c1] lo[%c0] hi[%c512] walk [0] {
  ^bb0(%i: i64):
    %lane = arith.addi %i, %s : i64
    %q = arith.divsi %lane, %d : i64
    %begin = arith.muli %q, %d : i64
    %within = arith.subi %lane, %begin : i64
    %n = arith.subi %d, %within : i64
    %gap = arith.muli %q, %c17 : i64
    %at = arith.addi %lane, %gap : i64
    %p = tt.addptr %x, %at : !tt.ptr<f32>, i64
    %pitch = arith.addi %d, %c17 : i64
    dl.run %p count %n if %true lo[%c0] hi[%n] every %d pitch %pitch : !tt.ptr<f32>
  } : tensor<512xf32>
  dl.store %a, %x strides[%c1] lo[%c0] hi[%c512] : tensor<512xf32>, !tt.ptr<f32>
  tt.return
}

// -----
// Stores: the first run; where every second piece begins at a block, and none meets another in memory, the group that begins at
// one as it lies, the other after the row has moved, and the rest of a piece. Else piece by piece, or run by run.
// CHECK-LABEL: @stored
// CHECK: scf.if
// CHECK: npu.copy_out
// CHECK: scf.if
// CHECK: npu.copy_out {{.*}} pitch %[[P:.*]] {{.*}}: memref<512xf32
// CHECK: scf.for
// CHECK: npu.vgather
// CHECK: npu.copy_out {{.*}} pitch %[[P]] {{.*}}: memref<512xf32
// CHECK: scf.for
// CHECK: npu.vgather
// CHECK: npu.copy_out
// CHECK: else
// CHECK: scf.for
// CHECK-NOT: arith.divsi
// CHECK: npu.copy_out
// CHECK: else
// CHECK: scf.while
tt.func public @stored(%x: !tt.ptr<f32>, %d: i64, %s: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c17 = arith.constant 17 : i64
  %c512 = arith.constant 512 : i64
  %true = arith.constant true
  %a = dl.load %x strides[%c1] lo[%c0] hi[%c512] : !tt.ptr<f32> -> tensor<512xf32>
  dl.scatter %a strides[%c1] lo[%c0] hi[%c512] walk [0] {
  ^bb0(%i: i64):
    %lane = arith.addi %i, %s : i64
    %q = arith.divsi %lane, %d : i64
    %begin = arith.muli %q, %d : i64
    %within = arith.subi %lane, %begin : i64
    %n = arith.subi %d, %within : i64
    %gap = arith.muli %q, %c17 : i64
    %at = arith.addi %lane, %gap : i64
    %p = tt.addptr %x, %at : !tt.ptr<f32>, i64
    %pitch = arith.addi %d, %c17 : i64
    dl.run %p count %n if %true lo[%c0] hi[%n] every %d pitch %pitch : !tt.ptr<f32>
  } : tensor<512xf32>
  tt.return
}
