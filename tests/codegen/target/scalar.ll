; One instruction an operation.
; RUN: dlc %s --keep-all --pack=off --emit=asm -o - -verify-machineinstrs | FileCheck %s
; CHECK-LABEL: muladd:
; CHECK: muli r1, r1, 24
; CHECK: add r0, r1, r0
define i64 @muladd(i64 %a, i64 %b) {
  %m = mul i64 %b, 24
  %r = add i64 %m, %a
  ret i64 %r
}
; CHECK-LABEL: high:
; CHECK: mulh r0, r{{[01]}}, r{{[01]}}
define i64 @high(i64 %a, i64 %b) {
  %x = sext i64 %a to i128
  %y = sext i64 %b to i128
  %m = mul i128 %x, %y
  %s = lshr i128 %m, 64
  %r = trunc i128 %s to i64
  ret i64 %r
}
; CHECK-LABEL: highu:
; CHECK: mulhu r0, r{{[01]}}, r{{[01]}}
define i64 @highu(i64 %a, i64 %b) {
  %x = zext i64 %a to i128
  %y = zext i64 %b to i128
  %m = mul i128 %x, %y
  %s = lshr i128 %m, 64
  %r = trunc i128 %s to i64
  ret i64 %r
}
; CHECK-LABEL: divs:
; CHECK-DAG: div r{{[0-9]+}}, r0, r1
; CHECK-DAG: remu r{{[0-9]+}}, r0, r1
define i64 @divs(i64 %a, i64 %b) {
  %q = sdiv i64 %a, %b
  %m = urem i64 %a, %b
  %r = xor i64 %q, %m
  ret i64 %r
}
; CHECK-LABEL: widen:
; CHECK-DAG: sxt.w
; CHECK-DAG: zxt.w
; CHECK-DAG: sxt.h
; CHECK-DAG: sxt.b
define i64 @widen(i32 %a, i32 %b, i16 %c, i8 %d) {
  %w = sext i32 %a to i64
  %x = zext i32 %b to i64
  %y = sext i16 %c to i64
  %z = sext i8 %d to i64
  %p = mul i64 %w, %x
  %q = mul i64 %y, %z
  %r = mul i64 %p, %q
  ret i64 %r
}
; CHECK-LABEL: mins:
; CHECK: min r0, r0, r1
; CHECK: maxu r0, r0, r2
define i64 @mins(i64 %a, i64 %b, i64 %c) {
  %m = call i64 @llvm.smin.i64(i64 %a, i64 %b)
  %r = call i64 @llvm.umax.i64(i64 %m, i64 %c)
  ret i64 %r
}
; CHECK-LABEL: choose:
; CHECK: slt r[[C:[0-9]+]], r0, r1
; CHECK: sel r0, r[[C]], r2, r3
define i64 @choose(i64 %a, i64 %b, i64 %c, i64 %d) {
  %t = icmp slt i64 %a, %b
  %r = select i1 %t, i64 %c, i64 %d
  ret i64 %r
}
; `sel` tests for non-zero by itself.
; CHECK-LABEL: nonzero:
; CHECK-NEXT: sel r0, r0, r1, r2
; CHECK-NEXT: ret
define i64 @nonzero(i64 %a, i64 %b, i64 %c) {
  %t = icmp eq i64 %a, 0
  %r = select i1 %t, i64 %c, i64 %b
  ret i64 %r
}
; CHECK-LABEL: overflow:
; CHECK: sltu
define i1 @overflow(i64 %a, i64 %b) {
  %p = call {i64, i1} @llvm.uadd.with.overflow.i64(i64 %a, i64 %b)
  %r = extractvalue {i64, i1} %p, 1
  ret i1 %r
}
; CHECK-LABEL: cycles:
; CHECK: sreg r0, 4
define i64 @cycles() {
  %r = call i64 @llvm.readcyclecounter()
  ret i64 %r
}
; No jump tables.
; CHECK-LABEL: switches:
; CHECK-NOT: jmpr
define void @switches(i64 %a, ptr %p) {
  switch i64 %a, label %d [i64 0, label %w
                           i64 1, label %x
                           i64 2, label %y
                           i64 3, label %z
                           i64 4, label %w]
w: store volatile i64 1, ptr %p
  ret void
x: store volatile i64 20, ptr %p
  ret void
y: store volatile i64 300, ptr %p
  ret void
z: store volatile i64 4000, ptr %p
  ret void
d: ret void
}
