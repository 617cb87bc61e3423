// RUN: dl-opt %s --npu-plan-memory --split-input-file | FileCheck %s

// All buffers fit side by side: no reuse, every unit runs ahead freely.
// CHECK-LABEL: func.func @fits
// CHECK: npu.alloc {name = "a", offset = 0 : i64}
// CHECK: npu.alloc {name = "b", offset = 4096 : i64}
func.func @fits(%v: f32) {
  %a = npu.alloc {name = "a"} : memref<1024xf32, #npu.space<ub>>
  %b = npu.alloc {name = "b"} : memref<1024xf32, #npu.space<ub>>
  npu.vdup %a, %v : memref<1024xf32, #npu.space<ub>>, f32
  npu.vunary exp %b, %a : memref<1024xf32, #npu.space<ub>>, memref<1024xf32, #npu.space<ub>>
  return
}

// -----

// 3 x 96 KiB in 192 KiB: the buffer whose life is over gives its place away.
// CHECK-LABEL: func.func @reuse
// CHECK: npu.alloc {name = "a", offset = [[FIRST:[0-9]+]] : i64}
// CHECK: npu.alloc {name = "b", offset = {{[0-9]+}} : i64}
// CHECK: npu.alloc {name = "c", offset = [[FIRST]] : i64}
!t = memref<24576xf32, #npu.space<ub>>
func.func @reuse(%v: f32) {
  %a = npu.alloc {name = "a"} : !t
  %b = npu.alloc {name = "b"} : !t
  %c = npu.alloc {name = "c"} : !t
  npu.vdup %a, %v : !t, f32
  npu.vunary exp %b, %a : !t, !t
  npu.vunary exp %c, %b : !t, !t
  return
}

// -----

// What a loop carries around lives through all of it.
// CHECK-LABEL: func.func @carried
// CHECK: npu.alloc {name = "sum", offset = 0 : i64}
// CHECK: npu.alloc {name = "x", offset = 98304 : i64}
!u = memref<24576xf32, #npu.space<ub>>
func.func @carried(%v: f32, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %sum = npu.alloc {name = "sum"} : !u
  npu.vdup %sum, %v : !u, f32
  scf.for %i = %c0 to %n step %c1 : i64 {
    npu.vbinary add %sum, %sum, %sum : !u, !u, !u
    %x = npu.alloc {name = "x"} : !u
    npu.vdup %x, %v : !u, f32
    npu.vunary exp %x, %x : !u, !u
  }
  return
}

// -----

// Sources of one command lie on different halves of the bank groups (256 bytes mod 512 apart).
// CHECK-LABEL: func.func @sources
// CHECK: npu.alloc {name = "a", offset = 0 : i64}
// CHECK: npu.alloc {name = "b", offset = 4352 : i64}
!v = memref<1024xf32, #npu.space<ub>>
func.func @sources(%v: f32) {
  %a = npu.alloc {name = "a"} : !v
  %b = npu.alloc {name = "b"} : !v
  npu.vdup %a, %v : !v, f32
  npu.vdup %b, %v : !v, f32
  npu.vbinary add %a, %a, %b : !v, !v, !v
  return
}

// -----

// A cast reads and writes at different paces: its buffers lie in different banks (64 KiB), as long as there is room.
// CHECK-LABEL: func.func @paces
// CHECK: npu.alloc {name = "wide", offset = 0 : i64}
// CHECK: npu.alloc {name = "narrow", offset = 65536 : i64}
!w = memref<1024xf32, #npu.space<ub>>
!h = memref<1024xf16, #npu.space<ub>>
func.func @paces(%v: f32) {
  %w = npu.alloc {name = "wide"} : !w
  %n = npu.alloc {name = "narrow"} : !h
  npu.vdup %w, %v : !w, f32
  npu.vcast rint %n, %w : !h, !w
  return
}

// -----

// Where they do not fit so, they lie where they fit first.
// CHECK-LABEL: func.func @tight
// CHECK: npu.alloc {name = "a", offset = 0 : i64}
// CHECK: npu.alloc {name = "b", offset = 98304 : i64}
!f = memref<24576xf32, #npu.space<ub>>
func.func @tight(%v: f32) {
  %a = npu.alloc {name = "a"} : !f
  %b = npu.alloc {name = "b"} : !f
  npu.vdup %a, %v : !f, f32
  npu.vdup %b, %v : !f, f32
  npu.vbinary add %a, %a, %b : !f, !f, !f
  return
}

// -----

// What units hand to each other keeps apart within an inner loop, as far as there is room, and shares with other loops.
// CHECK-LABEL: func.func @turns
// CHECK: npu.alloc {name = "a", offset = 0 : i64}
// CHECK: npu.alloc {name = "b", offset = 65536 : i64}
// CHECK: npu.alloc {name = "c", offset = 0 : i64}
!acc = memref<128x128xf32, #npu.space<l0c>>
func.func @turns(%n: i64, %p: i64) attributes {npu.kind = "aic"} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %s = arith.constant 128 : i64
  scf.for %t = %c0 to %n step %c1 : i64 {
    scf.for %i = %c0 to %n step %c1 : i64 {
      %a = npu.alloc {name = "a"} : !acc
      npu.clear_acc %a size(%s, %s) : !acc
      npu.fixpipe %a[%c0, %c0], %p rows %s cols %s stride %s m %s as f32 : !acc
      %b = npu.alloc {name = "b"} : !acc
      npu.clear_acc %b size(%s, %s) : !acc
      npu.fixpipe %b[%c0, %c0], %p rows %s cols %s stride %s m %s as f32 : !acc
    }
    scf.for %i = %c0 to %n step %c1 : i64 {
      %c = npu.alloc {name = "c"} : !acc
      npu.clear_acc %c size(%s, %s) : !acc
      npu.fixpipe %c[%c0, %c0], %p rows %s cols %s stride %s m %s as f32 : !acc
    }
  }
  return
}

// -----

// Four pieces in half of the room that they would need: each lies apart from the next.
// CHECK-LABEL: func.func @pieces
// CHECK: npu.alloc {name = "a", offset = 0 : i64}
// CHECK: npu.alloc {name = "b", offset = 65536 : i64}
// CHECK: npu.alloc {name = "c", offset = 0 : i64}
// CHECK: npu.alloc {name = "d", offset = 65536 : i64}
!piece = memref<128x128xf32, #npu.space<l0c>>
func.func @pieces(%n: i64, %p: i64) attributes {npu.kind = "aic"} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %s = arith.constant 128 : i64
  scf.for %t = %c0 to %n step %c1 : i64 {
    %a = npu.alloc {name = "a"} : !piece
    npu.clear_acc %a size(%s, %s) : !piece
    npu.fixpipe %a[%c0, %c0], %p rows %s cols %s stride %s m %s as f32 : !piece
    %b = npu.alloc {name = "b"} : !piece
    npu.clear_acc %b size(%s, %s) : !piece
    npu.fixpipe %b[%c0, %c0], %p rows %s cols %s stride %s m %s as f32 : !piece
    %c = npu.alloc {name = "c"} : !piece
    npu.clear_acc %c size(%s, %s) : !piece
    npu.fixpipe %c[%c0, %c0], %p rows %s cols %s stride %s m %s as f32 : !piece
    %d = npu.alloc {name = "d"} : !piece
    npu.clear_acc %d size(%s, %s) : !piece
    npu.fixpipe %d[%c0, %c0], %p rows %s cols %s stride %s m %s as f32 : !piece
  }
  return
}
