; Bundles: commands of different units share one, order of one unit is kept, the branch is last.
; RUN: dlc %s --kind=aic --emit=asm -o - -verify-machineinstrs | FileCheck %s
; RUN: dlc %s --kind=aic --pack=off --emit=asm -o - -verify-machineinstrs | FileCheck %s --check-prefix=OFF
; RUN: dlc %s --kind=aic --report -o %t.dlk 2>&1 | FileCheck %s --check-prefix=REPORT
; RUN: dlc %s --kind=aic --report --pack=off -o %t.dlk 2>&1 | FileCheck %s --check-prefix=REPORTOFF
; OFF-NOT: {
; REPORT: k, loop of depth 1: {{[2-6]}} bundles, {{[0-9]+}} words (8 commands), {{1.[6-9]|[2-9].}}{{[0-9]+}} words a bundle
; REPORTOFF: k, loop of depth 1: {{.*}} 1.00 words a bundle
declare void @dlnpu.mte2.nd2nz.l1(i64, i64, i64, i64, i64, i64)
declare void @dlnpu.mte1.load.l0a(i64, i64, i64, i64, i64)
declare void @dlnpu.m.mmad(i64, i64, i64, i64, i64, i64, i64)
declare void @dlnpu.set_flag.mte2(i64, i64)
declare void @dlnpu.wait_flag.mte1(i64, i64)
declare void @dlnpu.set_flag.mte1(i64, i64)
declare void @dlnpu.wait_flag.m(i64, i64)
declare void @dlnpu.set_flag.m(i64, i64)
declare void @dlnpu.wait_flag.s(i64, i64)
declare void @dlnpu.barrier.all()
declare i64 @dlnpu.sreg(i64)
define void @k() {
entry:
  %n = call i64 @dlnpu.sreg(i64 1)
  %b = call i64 @dlnpu.sreg(i64 3)
  %p = inttoptr i64 %b to ptr
  br label %loop
loop:
; CHECK: .LBB0_1:
; CHECK: mte2.nd2nz.l1
; CHECK: {
; CHECK-DAG: set_flag.mte2 mte1, 0
; CHECK-DAG: wait_flag.mte1 mte2, 0
; CHECK: }
; CHECK: mte1.load.l0a
; CHECK: {
; CHECK-DAG: set_flag.mte1 m, 0
; CHECK-DAG: wait_flag.m mte1, 0
; CHECK: }
; CHECK: m.mmad
; CHECK: set_flag.m mte2, 0
; CHECK: bnz r{{[0-9]+}}, .LBB0_1
; CHECK-NEXT: }
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %off = mul i64 %i, 512
  %src = add i64 %b, %off
  call void @dlnpu.mte2.nd2nz.l1(i64 0, i64 %src, i64 17, i64 256, i64 512, i64 0)
  call void @dlnpu.set_flag.mte2(i64 1, i64 0)
  call void @dlnpu.wait_flag.mte1(i64 2, i64 0)
  call void @dlnpu.mte1.load.l0a(i64 0, i64 0, i64 65537, i64 512, i64 0)
  call void @dlnpu.set_flag.mte1(i64 5, i64 0)
  call void @dlnpu.wait_flag.m(i64 1, i64 0)
  call void @dlnpu.m.mmad(i64 0, i64 0, i64 0, i64 4295032832, i64 0, i64 0, i64 0)
  call void @dlnpu.set_flag.m(i64 2, i64 0)
  %j = add i64 %i, 1
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %done
done:
; What waits for the sequencer shares a bundle with nothing that is ordered with it.
; CHECK: barrier.all
; CHECK: wait_flag.s m, 1
; CHECK: st.d
; CHECK: exit
  call void @dlnpu.barrier.all()
  call void @dlnpu.wait_flag.s(i64 5, i64 1)
  store i64 %n, ptr %p
  ret void
}
