; Addresses of the line table are final; a bundle has the line of its command.
; RUN: dlc %s --kind=aiv -o %t.dlk
; RUN: llvm-dwarfdump --debug-line %t.dlk 2>/dev/null | FileCheck %s
; RUN: dlc %s --kind=aiv --no-debug-info -o %t.dlk
; RUN: llvm-readelf -S %t.dlk | FileCheck %s --check-prefix=NONE
; NONE-NOT: .debug_line
; CHECK: name: "k.py"
; CHECK: 0x00000000100000{{.*}} 12 5
; CHECK: 0x00000000100000{{.*}} 13 5
declare i64 @dlnpu.sreg(i64)
declare void @dlnpu.v.add(i64, i64, i64, i64, i64)
define void @k() !dbg !4 {
  %c = call i64 @dlnpu.sreg(i64 0), !dbg !10
  %d = mul i64 %c, %c, !dbg !11
  call void @dlnpu.v.add(i64 %d, i64 256, i64 512, i64 7, i64 2), !dbg !12
  call void @dlnpu.v.add(i64 %c, i64 256, i64 512, i64 7, i64 2), !dbg !13
  ret void, !dbg !14
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_Python, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.py", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 2, !"Dwarf Version", i32 4}
!4 = distinct !DISubprogram(name: "k", file: !1, line: 9, scopeLine: 9, unit: !0, type: !6)
!6 = !DISubroutineType(types: !7)
!7 = !{null}
!10 = !DILocation(line: 10, column: 5, scope: !4)
!11 = !DILocation(line: 11, column: 5, scope: !4)
!12 = !DILocation(line: 12, column: 5, scope: !4)
!13 = !DILocation(line: 13, column: 5, scope: !4)
!14 = !DILocation(line: 14, column: 5, scope: !4)
