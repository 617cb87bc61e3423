; RUN: dlc %s --keep-all --pack=off --emit=asm -o - -verify-machineinstrs | FileCheck %s
; CHECK-LABEL: small:
; CHECK: li r0, -5
define i64 @small() { ret i64 -5 }
; CHECK-LABEL: word:
; CHECK: li r0, 2147483647
; CHECK-NEXT: ret
define i64 @word() { ret i64 2147483647 }
; CHECK-LABEL: above:
; CHECK: li r0, -2147483648
; CHECK-NEXT: lih r0, 0
define i64 @above() { ret i64 2147483648 }
; CHECK-LABEL: below:
; CHECK: li r0, 2147483647
; CHECK-NEXT: lih r0, 4294967295
define i64 @below() { ret i64 -2147483649 }
; CHECK-LABEL: wide:
; CHECK: li r0, -1985229329
; CHECK-NEXT: lih r0, 19088743
define i64 @wide() { ret i64 81985529216486895 }
; CHECK-LABEL: fone:
; CHECK: li r0, 1065353216
define float @fone() { ret float 1.0 }
; CHECK-LABEL: fminus:
; CHECK: li r0, -1065353216
define float @fminus() { ret float -4.0 }
; CHECK-LABEL: addlarge:
; CHECK: addi r0, r0, 8388607
define i64 @addlarge(i64 %a) {
  %r = add i64 %a, 8388607
  ret i64 %r
}
; CHECK-LABEL: addlarger:
; CHECK: li r1, 8388608
; CHECK: add r0, r0, r1
define i64 @addlarger(i64 %a) {
  %r = add i64 %a, 8388608
  ret i64 %r
}
