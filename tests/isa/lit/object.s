// Objects: machine number, relocations (also of symbols used only in bundles), line table.
// RUN: isa-mc %s -o %t.o
// RUN: llvm-readelf --file-headers -r %t.o | FileCheck %s --check-prefix=ELF
// RUN: llvm-dwarfdump --debug-line %t.o | FileCheck %s --check-prefix=LINES
// RUN: dl-objdump %t.o | FileCheck %s --check-prefix=DUMP
// RUN: not isa-mc %s 2>&1 | FileCheck %s --check-prefix=WORDS
// ELF: Machine: d1a0
// ELF: '.rela.text.aic' at offset {{.*}} contains 4 entries
// ELF: 0000000000000000 {{.*}} table + 0
// ELF: 0000000000000008 {{.*}} table + 8
// ELF: 0000000000000010 {{.*}} helper + 0
// ELF: 0000000000000020 {{.*}} other + 0
// LINES: 0x{{0+}}8 {{ *}}[[#]]
// WORDS: refers to a symbol that is not defined
// DUMP: .section .text.aic,"ax",@progbits
// DUMP-NEXT: start:
// DUMP-NEXT: li r1, 0 // 0x00000000 R_DLNPU_LO32 table
// DUMP-NEXT: lih r1, 0 // 0x00000008 R_DLNPU_HI32 table+8
// DUMP-NEXT: { call 0 // 0x00000010 R_DLNPU_PC24W helper
// DUMP-NEXT: add r1, r2, r3 } // 0x00000018
// DUMP-NEXT: bnz r1, 0 // 0x00000020 R_DLNPU_PC24W other
  .section .text.aic,"ax",@progbits
  .globl start
start:
  li r1, table
  lih r1, table + 8
  { call helper
    add r1, r2, r3 }
  bnz r1, other
  exit
  .section .rodata,"a",@progbits
pointer:
  .quad start
