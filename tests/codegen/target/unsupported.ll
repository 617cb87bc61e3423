; What LLVM IR may say and the scalar unit cannot do.
; RUN: not dlc %s --kind=aiv --entry=wide --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=WIDE
; RUN: not dlc %s --kind=aiv --entry=varargs --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=VARARGS
; RUN: not dlc %s --kind=aiv --entry=list --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=LIST
; RUN: not dlc %s --kind=aiv --entry=remainder --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=REMAINDER
; RUN: echo 'declare void @f()' > %t.ll
; RUN: not dlc %t.ll --kind=aiv --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=NONE
; NONE: defines no function that could be a kernel

declare void @llvm.va_start.p0(ptr)
; WIDE: error: in 'wide': integers of more than 128 bits are not supported
define void @wide() {
  %p = inttoptr i64 64 to ptr
  %a = load i256, ptr %p
  %b = add i256 %a, 1
  store i256 %b, ptr %p
  ret void
}
; VARARGS: error: in 'varargs': calls with a variable number of arguments are not supported
define void @varargs() {
  %p = inttoptr i64 64 to ptr
  %f = load volatile ptr, ptr %p
  call void (i64, ...) %f(i64 1, i64 2)
  ret void
}
; LIST: error: in 'list': functions with a variable number of arguments are not supported
define void @list(...) {
  %p = alloca ptr
  call void @llvm.va_start.p0(ptr %p)
  %v = load volatile ptr, ptr %p
  ret void
}
; REMAINDER: error: in 'remainder': the scalar unit has no floating-point remainder
define void @remainder() {
  %p = inttoptr i64 64 to ptr
  %a = load volatile float, ptr %p
  %b = load volatile float, ptr %p
  %c = frem float %a, %b
  store volatile float %c, ptr %p
  ret void
}
