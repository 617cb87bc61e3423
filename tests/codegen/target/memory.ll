; Loads and stores of global memory and of the unified buffer (address space 6).
; RUN: dlc %s --keep-all --pack=off --emit=asm -o - -verify-machineinstrs | FileCheck %s
; CHECK-LABEL: gm:
; CHECK-DAG: ld.b r{{[0-9]+}}, [r0, 1]
; CHECK-DAG: ld.hu r{{[0-9]+}}, [r0, 2]
; CHECK-DAG: ld.w r{{[0-9]+}}, [r0, 4]
; CHECK-DAG: ld.d r{{[0-9]+}}, [r0, -8]
; CHECK: st.d
define void @gm(ptr %p) {
  %p1 = getelementptr i8, ptr %p, i64 1
  %p2 = getelementptr i8, ptr %p, i64 2
  %p4 = getelementptr i8, ptr %p, i64 4
  %m8 = getelementptr i8, ptr %p, i64 -8
  %a = load i8, ptr %p1
  %b = load i16, ptr %p2
  %c = load i32, ptr %p4
  %d = load i64, ptr %m8
  %ax = sext i8 %a to i64
  %bx = zext i16 %b to i64
  %cx = sext i32 %c to i64
  %s = mul i64 %ax, %bx
  %t = mul i64 %cx, %d
  %u = mul i64 %s, %t
  store i64 %u, ptr %p
  ret void
}
; CHECK-LABEL: ub:
; CHECK-DAG: ldub.bu
; CHECK-DAG: ldub.h {{.*}}, 64]
; CHECK-DAG: ldub.w
; CHECK-DAG: ldub.d
; CHECK-DAG: stub.b
; CHECK-DAG: stub.h
; CHECK-DAG: stub.w
; CHECK-DAG: stub.d
; CHECK-NOT: {{[[:space:]](ld|st)\.}}
define void @ub(ptr addrspace(6) %p, ptr addrspace(6) %q) {
  %q64 = getelementptr i8, ptr addrspace(6) %q, i64 64
  %a = load volatile i8, ptr addrspace(6) %p
  %b = load volatile i16, ptr addrspace(6) %q64
  %c = load volatile i32, ptr addrspace(6) %p
  %d = load volatile i64, ptr addrspace(6) %p
  %f = load volatile float, ptr addrspace(6) %p
  %ax = zext i8 %a to i64
  %bx = sext i16 %b to i64
  %cx = sext i32 %c to i64
  %s = add i64 %ax, %bx
  %t = add i64 %cx, %d
  %u = add i64 %s, %t
  %v = trunc i64 %u to i32
  %w = trunc i64 %u to i16
  %x = trunc i64 %u to i8
  store volatile i64 %u, ptr addrspace(6) %q
  store volatile i32 %v, ptr addrspace(6) %q
  store volatile i16 %w, ptr addrspace(6) %q
  store volatile i8 %x, ptr addrspace(6) %q
  store volatile float %f, ptr addrspace(6) %q
  ret void
}
; CHECK-LABEL: copy:
; CHECK-NOT: call
; CHECK: ld.d
; CHECK: st.d
define void @copy(ptr %d, ptr %s, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %d, ptr align 8 %s, i64 %n, i1 false)
  ret void
}
; A loop that looks like memset stays a loop.
; CHECK-LABEL: clear:
; CHECK-NOT: call
; CHECK: st.b
define void @clear(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%j, %loop]
  %q = getelementptr i8, ptr %p, i64 %i
  store i8 0, ptr %q
  %j = add nuw i64 %i, 1
  %c = icmp ult i64 %j, %n
  br i1 %c, label %loop, label %done
done:
  ret void
}
; Large copies and fills of constant size are loops too.
; CHECK-LABEL: large:
; CHECK-NOT: call
; CHECK: ret
define void @large(ptr %d, ptr %s) {
  call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 4096, i1 false)
  call void @llvm.memset.p0.i64(ptr %s, i8 7, i64 500, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %d, ptr %s, i64 300, i1 false)
  call void @llvm.memset.p0.i64(ptr %s, i8 7, i64 63, i1 false)
  ret void
}
