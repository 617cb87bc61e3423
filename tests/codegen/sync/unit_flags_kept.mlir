// Sums that keep flags of whole commands, and why.
// RUN: dl-opt %s --split-input-file --npu-unit-flags -o /dev/null 2>&1 | FileCheck %s

!l0a = memref<128x64xf16, #npu.space<l0a>>
!l0b = memref<64x128xf16, #npu.space<l0b>>
!l0c = memref<128x128xf32, #npu.space<l0c>>
// CHECK: remark: unit flags: none for 'acc': nothing stores it
func.func @unstored(%n: i64) attributes {npu.kind = "aic"} {
  %k = arith.constant 64 : i64
  %m = arith.constant 128 : i64
  %true = arith.constant true
  %acc = npu.alloc {name = "acc"} : !l0c
  %a = npu.alloc {name = "a"} : !l0a
  %b = npu.alloc {name = "b"} : !l0b
  npu.mmad %acc, %a, %b size(%m, %k, %m) init %true : !l0c, !l0a, !l0b
  return
}

// -----

!l0a = memref<128x64xf16, #npu.space<l0a>>
!l0b = memref<64x128xf16, #npu.space<l0b>>
!l0c = memref<128x128xf32, #npu.space<l0c>>
// CHECK: remark: unit flags: none for 'acc': a product lies between its stores
func.func @between(%out: i64) attributes {npu.kind = "aic"} {
  %c0 = arith.constant 0 : i64
  %k = arith.constant 64 : i64
  %m = arith.constant 128 : i64
  %true = arith.constant true
  %acc = npu.alloc {name = "acc"} : !l0c
  %a = npu.alloc {name = "a"} : !l0a
  %b = npu.alloc {name = "b"} : !l0b
  npu.mmad %acc, %a, %b size(%m, %k, %m) init %true : !l0c, !l0a, !l0b
  npu.fixpipe %acc[%c0, %c0], %out rows %m cols %m stride %m m %m as f16 {arg = 0 : i64} : !l0c
  npu.mmad %acc, %a, %b size(%m, %k, %m) init %true : !l0c, !l0a, !l0b
  npu.fixpipe %acc[%c0, %c0], %out rows %m cols %m stride %m m %m as f16 {arg = 0 : i64} : !l0c
  return
}

// -----

!l0a = memref<128x64xf16, #npu.space<l0a>>
!l0b = memref<64x128xf16, #npu.space<l0b>>
!l0c = memref<128x128xf32, #npu.space<l0c>>
// CHECK: remark: unit flags: none for 'acc': its products differ in rows
func.func @rows(%out: i64) attributes {npu.kind = "aic"} {
  %c0 = arith.constant 0 : i64
  %k = arith.constant 64 : i64
  %m = arith.constant 128 : i64
  %true = arith.constant true
  %false = arith.constant false
  %acc = npu.alloc {name = "acc"} : !l0c
  %a = npu.alloc {name = "a"} : !l0a
  %b = npu.alloc {name = "b"} : !l0b
  npu.mmad %acc, %a, %b size(%m, %k, %m) init %true : !l0c, !l0a, !l0b
  npu.mmad %acc, %a, %b size(%k, %k, %m) init %false : !l0c, !l0a, !l0b
  npu.fixpipe %acc[%c0, %c0], %out rows %m cols %m stride %m m %m as f16 {arg = 0 : i64} : !l0c
  return
}
