; Globals that have no place in a kernel are named, all of them at once.
; RUN: not dlc %s --kind=aiv --entry=k --emit=asm -o - 2>&1 | FileCheck %s
; CHECK: error: global 'elsewhere' is not defined
; CHECK: error: global 'onchip' lies in address space 6; on-chip memory has no static variables, use addresses
; CHECK: error: global 'local' is thread-local
; CHECK: error: global 'counter' is writable; a kernel has constants only, so make it const or pass memory as an argument
@elsewhere = external constant i64
@onchip = addrspace(6) constant i64 1
@local = thread_local constant i64 2
@counter = global i64 3
define void @k() {
  %a = load volatile i64, ptr @elsewhere
  %b = load volatile i64, ptr addrspace(6) @onchip
  %p = call ptr @llvm.threadlocal.address.p0(ptr @local)
  %c = load volatile i64, ptr %p
  store volatile i64 %c, ptr @counter
  ret void
}
declare ptr @llvm.threadlocal.address.p0(ptr)
