; Calling convention: r0-r7, then the stack; r16-r28 and the return address are saved.
; RUN: dlc %s --keep-all -O1 --pack=off --emit=asm -o - -verify-machineinstrs | FileCheck %s
; RUN: dlc %s --keep-all -O0 --emit=asm -o %t -verify-machineinstrs
; CHECK-LABEL: callee:
; CHECK: ld.d r{{[0-9]+}}, [r30, 0]
; CHECK: ld.d r{{[0-9]+}}, [r30, 8]
; CHECK: ret
define i64 @callee(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h, i64 %i, i32 signext %j) noinline {
  %x = sext i32 %j to i64
  %r = mul i64 %i, %x
  %s = add i64 %a, %r
  ret i64 %s
}
; CHECK-LABEL: caller:
; CHECK: addi r30, r30, -[[SIZE:[0-9]+]]
; CHECK: st.d r31, [r30, [[RA:[0-9]+]]]
; CHECK: st.d r16, [r30, [[S:[0-9]+]]]
; CHECK-DAG: mov r16, r0
; CHECK-DAG: st.d r{{[0-9]+}}, [r{{[0-9]+}}, 8]
; CHECK: call callee
; CHECK: add r0, r0, r16
; CHECK: ld.d r16, [r30, [[S]]]
; CHECK: ld.d r31, [r30, [[RA]]]
; CHECK: addi r30, r30, [[SIZE]]
; CHECK: ret
define i64 @caller(i64 %a) noinline {
  %r = call i64 @callee(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 %a, i32 signext -3)
  %q = add i64 %r, %a
  ret i64 %q
}
; CHECK-LABEL: indirect:
; CHECK: callr r
define float @indirect(ptr %f, float %a) {
  %r = call float %f(float %a)
  ret float %r
}
; Results that do not fit eight registers go through memory.
; CHECK-LABEL: many:
; CHECK: st.d r1, [r0, 64]
define {i64, i64, i64, i64, i64, i64, i64, i64, i64} @many(i64 %a) {
  %r = insertvalue {i64, i64, i64, i64, i64, i64, i64, i64, i64} undef, i64 %a, 8
  ret {i64, i64, i64, i64, i64, i64, i64, i64, i64} %r
}
; The frame pointer carries what an alloca of run-time size moves.
; CHECK-LABEL: dynamic:
; CHECK: addi r30, r30, -[[F:[0-9]+]]
; CHECK: st.d r29, [r30, 
; CHECK: addi r29, r30, [[F]]
; CHECK: addi r30, r29, -[[F]]
; CHECK: ld.d r29, [r30,
; CHECK: addi r30, r30, [[F]]
; CHECK: ret
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define i64 @dynamic(i64 %n) {
  %p = alloca i8, i64 %n
  store volatile i8 1, ptr %p
  %v = load volatile i8, ptr %p
  %r = zext i8 %v to i64
  ret i64 %r
}
; CHECK-LABEL: aligned:
; CHECK: andi r30, r30, -64
define i64 @aligned(i64 %n) {
  %p = alloca i64, align 64
  store volatile i64 %n, ptr %p
  %v = load volatile i64, ptr %p
  ret i64 %v
}
; A kernel saves nothing and ends in exit, also when it calls.
; CHECK-LABEL: kernel:
; CHECK-NOT: st.d r31
; CHECK-NOT: st.d r16
; CHECK: call caller
; CHECK: exit
; CHECK-NOT: ret
declare i64 @dlnpu.sreg(i64)
define void @kernel() "dlnpu-kernel" {
  %b = call i64 @dlnpu.sreg(i64 3)
  %p = inttoptr i64 %b to ptr
  %a = load i64, ptr %p
  %r = call i64 @caller(i64 %a)
  %s = add i64 %r, %a
  store i64 %s, ptr %p
  ret void
}
