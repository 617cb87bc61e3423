; Constants are linked to 0x20000000 and addressed with one li.
; RUN: dlc %s --kind=aiv --emit=asm -o - -verify-machineinstrs | FileCheck %s
; RUN: dlc %s --kind=aiv -o %t.dlk
; RUN: llvm-readelf -S -s -x .rodata %t.dlk | FileCheck %s --check-prefix=ELF
; CHECK: li r{{[0-9]+}}, table
; CHECK: li r{{[0-9]+}}, pointers
; ELF: .text.aiv PROGBITS 0000000010000000
; ELF: .rodata PROGBITS 0000000020000000
; ELF: 00000000200000{{.*}} table
; ELF: Hex dump of section '.rodata'
; The pointer's value.
; ELF: {{[01]}}{{0|4|8|c}}000020
@table = constant [5 x i64] [i64 1, i64 2, i64 3, i64 4, i64 5]
@pointers = constant [2 x ptr] [ptr getelementptr (i8, ptr @table, i64 16), ptr @table]
declare i64 @dlnpu.sreg(i64)
define void @k() {
  %c = call i64 @dlnpu.sreg(i64 0)
  %p = getelementptr [5 x i64], ptr @table, i64 0, i64 %c
  %v = load i64, ptr %p
  %q = getelementptr [2 x ptr], ptr @pointers, i64 0, i64 %v
  %r = load ptr, ptr %q
  %b = call i64 @dlnpu.sreg(i64 3)
  %a = inttoptr i64 %b to ptr
  store ptr %r, ptr %a
  ret void
}
