; RUN: dlc %s --keep-all --pack=off --emit=asm -o - -verify-machineinstrs | FileCheck %s
; CHECK-LABEL: arith:
; CHECK: fadd
; CHECK: fmul
; CHECK: fsub
; CHECK: fdiv
; CHECK: fsqrt
define float @arith(float %a, float %b) {
  %s = fadd float %a, %b
  %m = fmul float %s, %b
  %d = fsub float %m, %a
  %q = fdiv float %d, %b
  %r = call float @llvm.sqrt.f32(float %q)
  ret float %r
}
; CHECK-LABEL: nocontract:
; CHECK: fmul
; CHECK: fadd
define float @nocontract(float %a, float %b, float %c) {
  %r = call float @llvm.fmuladd.f32(float %a, float %b, float %c)
  ret float %r
}
; CHECK-LABEL: uno:
; CHECK: funo r0, r0, r1
define i1 @uno(float %a, float %b) {
  %r = fcmp uno float %a, %b
  ret i1 %r
}
; CHECK-LABEL: uge:
; CHECK: flt r0, r0, r1
; CHECK: xori r0, r0, 1
define i1 @uge(float %a, float %b) {
  %r = fcmp uge float %a, %b
  ret i1 %r
}
; CHECK-LABEL: ogt:
; CHECK: flt r0, r1, r0
define i1 @ogt(float %a, float %b) {
  %r = fcmp ogt float %a, %b
  ret i1 %r
}
; CHECK-LABEL: one:
; CHECK-DAG: flt r{{[0-9]+}}, r1, r0
; CHECK-DAG: flt r{{[0-9]+}}, r0, r1
; CHECK: or r0,
define i1 @one(float %a, float %b) {
  %r = fcmp one float %a, %b
  ret i1 %r
}
; A negated comparison costs a branch nothing.
; CHECK-LABEL: branch:
; CHECK: flt r[[C:[0-9]+]], r0, r1
; CHECK-NOT: xori
; CHECK: b{{ez|nz}} r[[C]]
define void @branch(float %a, float %b, ptr %p) {
  %c = fcmp uge float %a, %b
  br i1 %c, label %x, label %y
x:
  store volatile float %a, ptr %p
  ret void
y:
  ret void
}
; CHECK-LABEL: convert:
; CHECK: sxt.w r0, r0
; CHECK: cvt.f32.i64
; CHECK: cvt.i64.f32
define i32 @convert(i32 %a, float %b) {
  %f = sitofp i32 %a to float
  %m = fmul float %f, %b
  %r = fptosi float %m to i32
  ret i32 %r
}
; CHECK-LABEL: unsigned:
; CHECK: cvt.f32.u64
; CHECK: cvt.u64.f32
define i64 @unsigned(i64 %a, float %b) {
  %f = uitofp i64 %a to float
  %m = fmul float %f, %b
  %r = fptoui float %m to i64
  ret i64 %r
}
; An f32 and its bits share a register.
; CHECK-LABEL: bits:
; CHECK-NEXT: sxt.w r0, r0
; CHECK-NEXT: ret
define i64 @bits(float %a) {
  %i = bitcast float %a to i32
  %r = sext i32 %i to i64
  ret i64 %r
}
; CHECK-LABEL: back:
; CHECK-NEXT: ret
define float @back(i32 %a) {
  %r = bitcast i32 %a to float
  ret float %r
}
; CHECK-LABEL: half:
; CHECK: cvt.f32.f16
; CHECK: cvt.f32.f16
; CHECK: fadd
; CHECK: cvt.f16.f32 r0
define half @half(half %a, half %b) {
  %r = fadd half %a, %b
  ret half %r
}
; CHECK-LABEL: brain:
; CHECK: ld.hu
; CHECK: cvt.f32.bf16
; CHECK: cvt.bf16.f32
; CHECK: st.h
define void @brain(ptr %p, float %s) {
  %a = load bfloat, ptr %p
  %f = fpext bfloat %a to float
  %m = fmul float %f, %s
  %t = fptrunc float %m to bfloat
  store bfloat %t, ptr %p
  ret void
}
; CHECK-LABEL: minmax:
; CHECK: fmin
; CHECK: fmax
; CHECK: fabs
; CHECK: fneg
define float @minmax(float %a, float %b) {
  %m = call float @llvm.minnum.f32(float %a, float %b)
  %n = call float @llvm.maxnum.f32(float %m, float 0.5)
  %n2 = fsub float %n, %b
  %o = call float @llvm.fabs.f32(float %n2)
  %r = fneg float %o
  ret float %r
}
