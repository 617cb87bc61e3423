; A call of dlnpu.<mnemonic> is that instruction, operands in assembly order.
; RUN: dlc %s --kind=aiv --entry=vector --pack=off --emit=asm -o - -verify-machineinstrs | FileCheck %s --check-prefix=AIV
; RUN: dlc %s --kind=aic --entry=cube --pack=off --emit=asm -o - -verify-machineinstrs | FileCheck %s --check-prefix=AIC
; RUN: dlc %s --kind=aic --entry=cube -O0 --emit=asm -o - -verify-machineinstrs | FileCheck %s --check-prefix=AIC
declare void @dlnpu.mte2.copy.ub(i64, ptr, i64, i64, i64, i64, i64)
declare void @dlnpu.v.add(i64, i64, i64, i64, i64)
declare void @dlnpu.v.count(i64, i64)
declare void @dlnpu.set_flag.mte2(i64, i64)
declare void @dlnpu.wait_flag.v(i64, i64)
declare void @dlnpu.set_flagr.v(i64, i64, i64)
declare void @dlnpu.barrier.all()
declare void @dlnpu.barrier.v()
declare void @dlnpu.xset.mte3(i64)
declare void @dlnpu.mte2.nd2nz.l1(i64, i64, i64, i64, i64, i64)
declare void @dlnpu.m.mmad(i64, i64, i64, i64, i64, i64, i64)
declare void @dlnpu.fix.copy.gm(i64, i64, i64, i64, i64, float, i64)
declare i64 @dlnpu.sreg(i64)
declare float @dlnpu.fsqrt(float)
define void @vector() {
; AIV-LABEL: vector:
; AIV: sreg r{{[0-9]+}}, 3
; AIV: mte2.copy.ub
; AIV: set_flag.mte2 v, 3
; AIV: wait_flag.v mte2, 3
; AIV: v.count
; AIV: v.add
; AIV: set_flagr.v r{{[0-9]+}}, mte3, 1
; AIV: barrier.v
; AIV: xset.mte3 33
; AIV: barrier.all
; AIV: exit
  %b = call i64 @dlnpu.sreg(i64 3)
  %p = inttoptr i64 %b to ptr
  %n = load i64, ptr %p
  call void @dlnpu.mte2.copy.ub(i64 0, ptr %p, i64 1, i64 2, i64 3, i64 4, i64 16)
  call void @dlnpu.set_flag.mte2(i64 6, i64 3)
  call void @dlnpu.wait_flag.v(i64 2, i64 3)
  call void @dlnpu.v.count(i64 %n, i64 0)
  call void @dlnpu.v.add(i64 64, i64 0, i64 0, i64 1, i64 2)
  call void @dlnpu.set_flagr.v(i64 %n, i64 3, i64 1)
  call void @dlnpu.barrier.v()
  call void @dlnpu.xset.mte3(i64 33)
  call void @dlnpu.barrier.all()
  ret void
}
define void @cube() {
; AIC-LABEL: cube:
; AIC: mte2.nd2nz.l1
; AIC: m.mmad {{.*}}, 0
; AIC: fsqrt
; AIC: fix.copy.gm {{.*}}, 258
  %b = call i64 @dlnpu.sreg(i64 3)
  %p = inttoptr i64 %b to ptr
  %f = load float, ptr %p
  call void @dlnpu.mte2.nd2nz.l1(i64 0, i64 %b, i64 1, i64 2, i64 3, i64 0)
  call void @dlnpu.m.mmad(i64 0, i64 0, i64 0, i64 %b, i64 1, i64 0, i64 0)
  %s = call float @dlnpu.fsqrt(float %f)
  call void @dlnpu.fix.copy.gm(i64 %b, i64 0, i64 1, i64 2, i64 3, float %s, i64 258)
  ret void
}
