// RUN: dl-opt %s --dl-to-npu --canonicalize --cse | FileCheck %s

// Loads with and without `other`, which the copy itself writes behind the row, a reduction to a scalar.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: %[[X:.*]]: i64 {npu.pointee = f32}, %[[O:.*]]: i64 {npu.pointee = f32}, %[[N:.*]]: i32
// CHECK-SAME: attributes {npu.kind = "aiv"}
// CHECK: %[[XB:.*]] = npu.alloc : memref<1024xf32, #npu.space<ub>>
// CHECK: %[[RIGHT:.*]] = arith.subi %c1024_i64, %[[HI:.*]] : i64
// CHECK-NOT: npu.vdup
// CHECK: npu.copy_in %[[XB]][%c0_i64, %c0_i64], %[[X]] rows %c1_i64 cols %[[HI]] stride %c0_i64 right %[[RIGHT]] pad(%{{.*}} : f32) {arg = 0 : i64}
// CHECK: npu.vreduce max %[[M:.*]], %[[XB]] tmp(%{{.*}} : memref<144xf32, #npu.space<ub>>) axis 0
// CHECK: %[[MAX:.*]] = npu.load_scalar %[[M]][%c0_i64]
// CHECK: %[[NEG:.*]] = arith.negf %[[MAX]]
// CHECK: npu.vscalar adds %[[D:.*]], %[[XB]], %[[NEG]]
// CHECK: npu.vunary exp %[[E:.*]], %[[D]]
// CHECK: npu.vreduce add
// CHECK: npu.vdup %[[S:.*]], %{{.*}}
// CHECK: npu.vbinary div %[[R:.*]], %[[E]], %[[S]]
// CHECK: npu.copy_out %[[R]][%c0_i64, %c0_i64], %[[O]] rows %c1_i64 cols %[[HI]] {{.*}}arg = 1
tt.func public @softmax(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %n64 = arith.extsi %n : i32 to i64
  %ninf = arith.constant 0xFF800000 : f32
  %a = dl.load %x strides[%c1] lo[%c0] hi[%n64] other(%ninf : f32) : !tt.ptr<f32> -> tensor<1024xf32>
  %mx = "tt.reduce"(%a) <{axis = 0 : i32}> ({
    ^bb0(%p: f32, %q: f32):
      %r = arith.maxnumf %p, %q : f32
      tt.reduce.return %r : f32
    }) : (tensor<1024xf32>) -> f32
  %ms = tt.splat %mx : f32 -> tensor<1024xf32>
  %d = arith.subf %a, %ms : tensor<1024xf32>
  %e = math.exp %d : tensor<1024xf32>
  %sum = "tt.reduce"(%e) <{axis = 0 : i32}> ({
    ^bb0(%p: f32, %q: f32):
      %r = arith.addf %p, %q : f32
      tt.reduce.return %r : f32
    }) : (tensor<1024xf32>) -> f32
  %ss = tt.splat %sum : f32 -> tensor<1024xf32>
  %y = arith.divf %e, %ss : tensor<1024xf32>
  dl.store %y, %o strides[%c1] lo[%c0] hi[%n64] : tensor<1024xf32>, !tt.ptr<f32>
  tt.return
}

// bf16 computes in f32; 1 / x is one command; s - x has no scalar form.
// CHECK-LABEL: func.func @silu
// CHECK-NOT: scf.if
// CHECK: npu.vcast rint %[[F:.*]], %{{.*}} : memref<256xf32, #npu.space<ub>>, memref<256xbf16, #npu.space<ub>>
// CHECK: npu.vscalar muls %[[G:.*]], %[[F]], %{{.*}}
// CHECK: npu.vscalar adds %[[G]], %[[G]], %{{.*}}
// CHECK: npu.vunary exp %[[H:.*]], %[[G]]
// CHECK: npu.vscalar adds %[[I:.*]], %[[H]]
// CHECK: npu.vunary rec %[[J:.*]], %[[I]]
// CHECK: npu.vcast rint %[[NARROW:.*]], %[[J]] : memref<256xbf16, #npu.space<ub>>, memref<256xf32, #npu.space<ub>>
// The bf16 product: both operands widened, the result rounded once.
// CHECK: npu.vbinary mul %[[P:.*]], %{{.*}}, %{{.*}} : memref<256xf32
// CHECK: npu.vcast rint %{{.*}}, %[[P]]
tt.func public @silu(%x: !tt.ptr<bf16>, %o: !tt.ptr<bf16>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c256 = arith.constant 256 : i64
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %one = arith.constant dense<1.0> : tensor<256xf32>
  %a = dl.load %x strides[%c1] lo[%c0] hi[%c256] : !tt.ptr<bf16> -> tensor<256xbf16>
  %f = arith.extf %a : tensor<256xbf16> to tensor<256xf32>
  %g = arith.subf %zero, %f : tensor<256xf32>
  %h = math.exp %g : tensor<256xf32>
  %i = arith.addf %h, %one : tensor<256xf32>
  %j = arith.divf %one, %i : tensor<256xf32>
  %k = arith.truncf %j : tensor<256xf32> to tensor<256xbf16>
  %l = arith.mulf %k, %a : tensor<256xbf16>
  dl.store %l, %o strides[%c1] lo[%c0] hi[%c256] : tensor<256xbf16>, !tt.ptr<bf16>
  tt.return
}

// A loop-carried sum lives in one buffer, updated in place.
// CHECK-LABEL: func.func @sum
// CHECK: %[[ACC:.*]] = npu.alloc : memref<512xf32, #npu.space<ub>>
// CHECK: npu.vdup %[[ACC]]
// CHECK: scf.for
// CHECK: npu.vbinary add %[[ACC]], %[[ACC]], %{{.*}}
// CHECK-NOT: npu.vunary copy
// CHECK: npu.copy_out %[[ACC]]
tt.func public @sum(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c512 = arith.constant 512 : i64
  %i0 = arith.constant 0 : i32
  %i512 = arith.constant 512 : i32
  %zeros = arith.constant dense<0.0> : tensor<512xf32>
  %r = scf.for %k = %i0 to %n step %i512 iter_args(%acc = %zeros) -> tensor<512xf32> : i32 {
    %p = tt.addptr %x, %k : !tt.ptr<f32>, i32
    %a = dl.load %p strides[%c1] lo[%c0] hi[%c512] : !tt.ptr<f32> -> tensor<512xf32>
    %s = arith.addf %acc, %a : tensor<512xf32>
    scf.yield %s : tensor<512xf32>
  }
  dl.store %r, %o strides[%c1] lo[%c0] hi[%c512] : tensor<512xf32>, !tt.ptr<f32>
  tt.return
}

// Carried tensors that change places go through a copy of what would be overwritten.
// CHECK-LABEL: func.func @swap
// CHECK: scf.for
// CHECK: npu.vunary copy %[[SAVED:.*]], %[[A:.*]] :
// CHECK-NEXT: npu.vunary copy %[[A]], %[[B:.*]] :
// CHECK-NEXT: npu.vunary copy %[[B]], %[[SAVED]]
// CHECK-NEXT: }
tt.func public @swap(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %a = dl.load %x strides[%c1] lo[%c0] hi[%c64] : !tt.ptr<f32> -> tensor<64xf32>
  %b = math.exp %a : tensor<64xf32>
  %r:2 = scf.for %k = %i0 to %n step %i1 iter_args(%p = %a, %q = %b) -> (tensor<64xf32>, tensor<64xf32>) : i32 {
    scf.yield %q, %p : tensor<64xf32>, tensor<64xf32>
  }
  dl.store %r#0, %o strides[%c1] lo[%c0] hi[%c64] : tensor<64xf32>, !tt.ptr<f32>
  tt.return
}

// Carried tensors that move up one place each: the one whose old value nobody needs goes first, nothing is saved.
// CHECK-LABEL: func.func @move_up
// CHECK: scf.for
// CHECK-NEXT: npu.vunary copy %[[P:.*]], %[[Q:.*]] :
// CHECK-NEXT: npu.vunary copy %[[Q]], %{{.*}} :
// CHECK-NEXT: }
tt.func public @move_up(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %a = dl.load %x strides[%c1] lo[%c0] hi[%c64] : !tt.ptr<f32> -> tensor<64xf32>
  %b = math.exp %a : tensor<64xf32>
  %c = math.exp %b : tensor<64xf32>
  %r:3 = scf.for %k = %i0 to %n step %i1 iter_args(%s = %c, %q = %b, %p = %a) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) : i32 {
    scf.yield %s, %s, %q : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
  }
  dl.store %r#2, %o strides[%c1] lo[%c0] hi[%c64] : tensor<64xf32>, !tt.ptr<f32>
  tt.return
}

// Integers are compared through max, min and equality; a mask as data is a comparison of indices.
// CHECK-LABEL: func.func @compare
// CHECK: npu.viota %[[I:.*]], %c0_i32, %c1_i32
// CHECK: npu.vscalar maxs %[[M:.*]], %[[I]], %{{.*}}
// CHECK: npu.vcmp eq %[[LT:.*]], %[[M]], %[[I]]
// CHECK: npu.vunary not %[[LT]], %[[LT]]
// CHECK: npu.viota %[[F:.*]], %{{.*}}, %{{.*}} : memref<64xf32
// CHECK: npu.vcmps lt %[[RANGE:.*]], %[[F]], %{{.*}}
// CHECK: npu.vbinary and %[[BOTH:.*]], %[[LT]], %[[RANGE]]
// CHECK: npu.vsels %[[SEL:.*]], %[[BOTH]], %{{.*}}, %{{.*}}
// CHECK: npu.copy_out %[[SEL]]
tt.func public @compare(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %n64 = arith.extsi %n : i32 to i64
  %zeros = arith.constant dense<0.0> : tensor<64xf32>
  %a = dl.load %x strides[%c1] lo[%c0] hi[%c64] : !tt.ptr<f32> -> tensor<64xf32>
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %lt = arith.cmpi slt, %i, %ns : tensor<64xi32>
  %range = dl.range_mask lo[%c0] hi[%n64] : tensor<64xi1>
  %both = arith.andi %lt, %range : tensor<64xi1>
  %sel = arith.select %both, %a, %zeros : tensor<64xi1>, tensor<64xf32>
  dl.store %sel, %o strides[%c1] lo[%c0] hi[%c64] : tensor<64xf32>, !tt.ptr<f32>
  tt.return
}

// Rank 2: rows by a stride, reduction along rows; the column is a rank-1 tile, spread over blocks where it is an operand.
// CHECK-LABEL: func.func @rows
// CHECK: npu.copy_in %[[X:.*]][%c0_i64, %c0_i64], %{{.*}} rows %c8_i64 cols %c128_i64 stride %{{.*}} {arg = 0 : i64} : memref<8x128xf32
// CHECK: npu.vreduce add %[[S:.*]], %[[X]] tmp(%{{.*}} : memref<192xf32, #npu.space<ub>>) axis 1 : memref<8xf32, {{.*}}, memref<8x128xf32
// CHECK: npu.vblocks %[[B:.*]], %[[S]] : memref<64xf32
// CHECK: npu.vcolumn div %[[R:.*]], %[[X]], %[[B]] : memref<8x128xf32
// CHECK: npu.copy_out %[[R]]
tt.func public @rows(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c8 = arith.constant 8 : i64
  %c128 = arith.constant 128 : i64
  %a = dl.load %x strides[%c128, %c1] lo[%c0, %c0] hi[%c8, %c128] : !tt.ptr<f32> -> tensor<8x128xf32>
  %sum = "tt.reduce"(%a) <{axis = 1 : i32}> ({
    ^bb0(%p: f32, %q: f32):
      %r = arith.addf %p, %q : f32
      tt.reduce.return %r : f32
    }) : (tensor<8x128xf32>) -> tensor<8xf32>
  %col = tt.expand_dims %sum {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  %wide = tt.broadcast %col : tensor<8x1xf32> -> tensor<8x128xf32>
  %y = arith.divf %a, %wide : tensor<8x128xf32>
  dl.store %y, %o strides[%c128, %c1] lo[%c0, %c0] hi[%c8, %c128] : tensor<8x128xf32>, !tt.ptr<f32>
  tt.return
}

// Scalars stay scalars; exp of one goes through a one-element tile.
// CHECK-LABEL: func.func @scalars
// CHECK: %[[V:.*]] = npu.gm_load %{{.*}} {arg = 0 : i64} : f32
// CHECK: npu.store_scalar %[[V]], %[[T:.*]][%c0_i64]
// CHECK: npu.vunary exp %[[T]], %[[T]]
// CHECK: %[[E:.*]] = npu.load_scalar %[[T]][%c0_i64]
// CHECK: %[[Q:.*]] = math.sqrt %[[E]]
// CHECK: %[[R:.*]] = arith.divf %{{.*}}, %[[Q]]
// CHECK: npu.gm_store %[[R]], %{{.*}} {arg = 1 : i64}
tt.func public @scalars(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %i: i32) {
  %p = tt.addptr %x, %i : !tt.ptr<f32>, i32
  %v = dl.load_scalar %p : !tt.ptr<f32> -> f32
  %e = math.exp %v : f32
  %r = math.rsqrt %e : f32
  dl.store_scalar %r, %o : f32, !tt.ptr<f32>
  tt.return
}

// A while loop with a tensor and a scalar.
// CHECK-LABEL: func.func @while
// CHECK: scf.while (%[[I:.*]] = %c0_i32) : (i32) -> i32 {
// CHECK: scf.condition(%{{.*}}) %[[I]] : i32
// CHECK: npu.vscalar adds
// CHECK: npu.vunary copy
// CHECK: scf.yield %{{.*}} : i32
tt.func public @while(%x: !tt.ptr<f32>, %n: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %a = dl.load %x strides[%c1] lo[%c0] hi[%c64] : !tt.ptr<f32> -> tensor<64xf32>
  %r:2 = scf.while (%i = %i0, %t = %a) : (i32, tensor<64xf32>) -> (i32, tensor<64xf32>) {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i, %t : i32, tensor<64xf32>
  } do {
  ^bb0(%i: i32, %t: tensor<64xf32>):
    %next = arith.addi %i, %i1 : i32
    %t2 = arith.addf %t, %one : tensor<64xf32>
    scf.yield %next, %t2 : i32, tensor<64xf32>
  }
  dl.store %r#1, %x strides[%c1] lo[%c0] hi[%c64] : tensor<64xf32>, !tt.ptr<f32>
  tt.return
}

// A tile whose rows end early and whose last rows are masked off: padding behind each row, and copies of nothing but
// padding for the rows that are not there. The vector unit has no part in it.
// CHECK-LABEL: func.func @masked_tile
// CHECK: %[[TILE:.*]] = npu.alloc : memref<8x96xf16, #npu.space<ub>>
// CHECK-NOT: npu.vdup
// CHECK: %[[RIGHT:.*]] = arith.subi %c96_i64, %[[COLS:.*]] : i64
// CHECK: npu.copy_in %[[TILE]][%c0_i64, %c0_i64], %{{.*}} rows %[[ROWS:.*]] cols %[[COLS]] stride %{{.*}} right %[[RIGHT]] pad(%[[OTHER:.*]] : f16)
// CHECK: %[[SOME:.*]] = arith.cmpi slt, %[[ROWS]], %c8_i64
// CHECK: scf.if %[[SOME]] {
// CHECK: %[[REST:.*]] = arith.subi %c8_i64, %[[ROWS]]
// CHECK: npu.copy_in %[[TILE]][%[[ROWS]], %c0_i64], %c0_i64 rows %[[REST]] cols %c0_i64 stride %c0_i64 right %c96_i64 pad(%[[OTHER]] : f16)
// CHECK-NEXT: }
// CHECK-NOT: npu.copy_in
tt.func public @masked_tile(%x: !tt.ptr<f16>, %o: !tt.ptr<f16>, %rows: i64, %cols: i64, %stride: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %other = arith.constant 0xFC00 : f16
  %a = dl.load %x strides[%stride, %c1] lo[%c0, %c0] hi[%rows, %cols] other(%other : f16) : !tt.ptr<f16> -> tensor<8x96xf16>
  dl.store %a, %o strides[%stride, %c1] lo[%c0, %c0] hi[%rows, %cols] : tensor<8x96xf16>, !tt.ptr<f16>
  tt.return
}

// A column that only arithmetic reads is spread over blocks, not over a tile; one that a loop reads again and again is.
// CHECK-LABEL: func.func @columns
// CHECK: npu.vblocks %[[BLOCKS:.*]], %{{.*}} : memref<64xf32, #npu.space<ub>>, memref<8xf32
// CHECK-NOT: npu.vbrc
// CHECK: npu.vcolumn sub %{{.*}}, %[[A:.*]], %[[BLOCKS]] tmp(%{{.*}} : memref<512xf32, #npu.space<ub>>) : memref<8x512xf32
// CHECK: npu.vcolumn div %{{.*}}, %{{.*}}, %[[BLOCKS]] swapped
// CHECK: npu.vbrc %[[WIDE:.*]], %{{.*}} axis 1
// CHECK: scf.for
// CHECK: npu.vbinary mul %{{.*}}, %{{.*}}, %[[WIDE]]
tt.func public @columns(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c8 = arith.constant 8 : i64
  %c512 = arith.constant 512 : i64
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %a = dl.load %x strides[%c512, %c1] lo[%c0, %c0] hi[%c8, %c512] : !tt.ptr<f32> -> tensor<8x512xf32>
  %v = dl.load %x strides[%c1] lo[%c0] hi[%c8] : !tt.ptr<f32> -> tensor<8xf32>
  %w = tt.expand_dims %v {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  %b = tt.broadcast %w : tensor<8x1xf32> -> tensor<8x512xf32>
  %d = arith.subf %a, %b : tensor<8x512xf32>
  %e = arith.divf %b, %d : tensor<8x512xf32>
  %f = tt.broadcast %w : tensor<8x1xf32> -> tensor<8x512xf32>
  %r = scf.for %k = %i0 to %n step %i1 iter_args(%acc = %e) -> tensor<8x512xf32> : i32 {
    %p = arith.mulf %acc, %f : tensor<8x512xf32>
    scf.yield %p : tensor<8x512xf32>
  }
  dl.store %r, %o strides[%c512, %c1] lo[%c0, %c0] hi[%c8, %c512] : tensor<8x512xf32>, !tt.ptr<f32>
  tt.return
}

// A running sum that is scaled first: both steps where the old one was.
// CHECK-LABEL: func.func @scaled_sum
// CHECK: npu.vdup %[[ACC:[^,]*]],
// CHECK: scf.for
// CHECK: npu.vunary exp
// CHECK: npu.vcolumn mul %[[ACC]], %[[ACC]],
// CHECK: npu.vbinary add %[[ACC]], %{{.*}}, %[[ACC]]
tt.func public @scaled_sum(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %c128 = arith.constant 128 : i64
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x128xf32>
  %r = scf.for %i = %i0 to %n step %i1 iter_args(%acc = %zeros) -> (tensor<64x128xf32>) : i32 {
    %a = dl.load %x strides[%c128, %c1] lo[%c0, %c0] hi[%c64, %c128] : !tt.ptr<f32> -> tensor<64x128xf32>
    %l = dl.load %x strides[%c1] lo[%c0] hi[%c64] : !tt.ptr<f32> -> tensor<64xf32>
    %f = math.exp %l : tensor<64xf32>
    %e = tt.expand_dims %f {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %b = tt.broadcast %e : tensor<64x1xf32> -> tensor<64x128xf32>
    %s = arith.mulf %acc, %b : tensor<64x128xf32>
    %t = arith.addf %a, %s : tensor<64x128xf32>
    scf.yield %t : tensor<64x128xf32>
  }
  dl.store %r, %o strides[%c128, %c1] lo[%c0, %c0] hi[%c64, %c128] : tensor<64x128xf32>, !tt.ptr<f32>
  tt.return
}
