; Wrong commands are errors with the source line, all of them at once.
; RUN: not dlc %s --kind=aiv --entry=bad --emit=asm -o - 2>&1 | FileCheck %s
; RUN: not dlc %s --kind=aiv --entry=ir --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=IR
; RUN: not dlc %s --kind=aiv --entry=space --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=SPACE
; RUN: not dlc %s --kind=aic --entry=cubeub --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=CUBE
; RUN: not dlc %s --kind=aic --entry=vector --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=VECTOR
; RUN: not dlc %s --kind=aiv --entry=args --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=ARGS
; RUN: not dlc %s --kind=aiv --entry=state --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=STATE
; RUN: not dlc %s --kind=aiv --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=ENTRY
; RUN: not dlc %s --kind=aiv --entry=nosuch --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=NONE
; CHECK: k.c:11:3: error: in 'bad': 'v.add' takes 5 operands, not 4
; CHECK: k.c:12:3: error: in 'bad': 'v.adds': operand 5 must be a constant
; CHECK: k.c:13:3: error: in 'bad': there is no instruction 'v.addd'; did you mean 'v.add'?
; CHECK: k.c:14:3: error: in 'bad': 'm.mmad' exists on cube cores (aic) only
; CHECK: k.c:15:3: error: in 'bad': 'set_flag.v': operand 2 is 8, which does not fit 3 bits
; CHECK: k.c:16:3: error: in 'bad': 'v.sub': operand 5 is 0x100, but only bits 0xf have a meaning
; CHECK: k.c:17:3: error: in 'bad': 'v.count' operand 1 must be an i64, pointer or float
; CHECK: k.c:18:3: error: in 'bad': there is no instruction 'ret'
declare void @dlnpu.v.add(i64, i64, i64, i64)
declare void @dlnpu.v.adds(i64, i64, i64, i64, i64)
declare void @dlnpu.v.addd(i64, i64, i64, i64, i64)
declare void @dlnpu.v.sub(i64, i64, i64, i64, i64)
declare void @dlnpu.m.mmad(i64, i64, i64, i64, i64, i64, i64)
declare void @dlnpu.set_flag.v(i64, i64)
declare void @dlnpu.v.count(i32, i64)
declare void @dlnpu.ret()
declare i64 @dlnpu.sreg(i64)
declare void @missing(i64)
define void @bad() !dbg !4 {
  %c = call i64 @dlnpu.sreg(i64 0), !dbg !10
  call void @dlnpu.v.add(i64 1, i64 2, i64 3, i64 4), !dbg !11
  call void @dlnpu.v.adds(i64 1, i64 2, i64 3, i64 4, i64 %c), !dbg !12
  call void @dlnpu.v.addd(i64 1, i64 2, i64 3, i64 4, i64 0), !dbg !13
  call void @dlnpu.m.mmad(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 0), !dbg !14
  call void @dlnpu.set_flag.v(i64 3, i64 8), !dbg !15
  call void @dlnpu.v.sub(i64 1, i64 2, i64 3, i64 4, i64 256), !dbg !16
  call void @dlnpu.v.count(i32 1, i64 0), !dbg !17
  call void @dlnpu.ret(), !dbg !18
  ret void, !dbg !10
}
; IR: k.c:11:3: error: in 'ir': double-precision floating point does not exist
; IR: k.c:12:3: error: in 'ir': scalar atomics and fences do not exist
; IR: k.c:13:3: error: in 'ir': the scalar unit has no 'llvm.exp'
; IR: k.c:14:3: error: in 'ir': function 'missing' is not defined
define void @ir() !dbg !5 {
  %c = call i64 @dlnpu.sreg(i64 3), !dbg !20
  %p = inttoptr i64 %c to ptr, !dbg !20
  %d = load double, ptr %p, !dbg !21
  %d2 = fadd double %d, 1.0, !dbg !21
  store double %d2, ptr %p, !dbg !20
  %o = atomicrmw add ptr %p, i64 1 seq_cst, !dbg !22
  %f = load float, ptr %p, !dbg !20
  %e = call float @llvm.exp.f32(float %f), !dbg !23
  store float %e, ptr %p, !dbg !20
  call void @missing(i64 %o), !dbg !24
  ret void, !dbg !20
}
; SPACE: error: in 'space': address space 1 cannot be loaded or stored by the scalar unit
define void @space() {
  store volatile i64 1, ptr addrspace(1) null
  ret void
}
; CUBE: error: in 'cubeub': a cube core (aic) has no unified buffer
define void @cubeub() {
  store volatile i64 1, ptr addrspace(6) null
  ret void
}
; VECTOR: error: in 'vector': 'v.sub' exists on vector cores (aiv) only
define void @vector() {
  call void @dlnpu.v.sub(i64 1, i64 2, i64 3, i64 4, i64 0)
  ret void
}
; ARGS: error: in 'args': a kernel entry takes no arguments and returns nothing
define i64 @args(i64 %a) {
  ret i64 %a
}
; STATE: error: global 'counter' is writable
@counter = global i64 0
define void @state() {
  %c = load volatile i64, ptr @counter
  store volatile i64 %c, ptr @counter
  ret void
}
; ENTRY: possible kernels (bad, ir, space, cubeub, vector, args, state); name one with --entry
; NONE: there is no function 'nosuch'
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.c", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 2, !"Dwarf Version", i32 4}
!4 = distinct !DISubprogram(name: "bad", file: !1, line: 10, scopeLine: 10, unit: !0, type: !6)
!5 = distinct !DISubprogram(name: "ir", file: !1, line: 10, scopeLine: 10, unit: !0, type: !6)
!6 = !DISubroutineType(types: !7)
!7 = !{null}
!10 = !DILocation(line: 10, column: 3, scope: !4)
!11 = !DILocation(line: 11, column: 3, scope: !4)
!12 = !DILocation(line: 12, column: 3, scope: !4)
!13 = !DILocation(line: 13, column: 3, scope: !4)
!14 = !DILocation(line: 14, column: 3, scope: !4)
!15 = !DILocation(line: 15, column: 3, scope: !4)
!16 = !DILocation(line: 16, column: 3, scope: !4)
!17 = !DILocation(line: 17, column: 3, scope: !4)
!18 = !DILocation(line: 18, column: 3, scope: !4)
!20 = !DILocation(line: 10, column: 3, scope: !5)
!21 = !DILocation(line: 11, column: 3, scope: !5)
!22 = !DILocation(line: 12, column: 3, scope: !5)
!23 = !DILocation(line: 13, column: 3, scope: !5)
!24 = !DILocation(line: 14, column: 3, scope: !5)
