; Commands that differ in an immediate stay two commands.
; RUN: dlc %s --kind=aiv --emit=asm -o - -verify-machineinstrs | FileCheck %s
; CHECK-DAG: v.add {{.*}}, 2
; CHECK-DAG: v.add {{.*}}, 0
declare void @dlnpu.v.add(i64, i64, i64, i64, i64)
declare i64 @dlnpu.sreg(i64)
define void @k() {
  %c = call i64 @dlnpu.sreg(i64 0)
  %t = icmp eq i64 %c, 0
  br i1 %t, label %x, label %y
x:
  call void @dlnpu.v.add(i64 0, i64 256, i64 512, i64 7, i64 2)
  br label %z
y:
  call void @dlnpu.v.add(i64 0, i64 256, i64 512, i64 7, i64 0)
  br label %z
z:
  ret void
}
