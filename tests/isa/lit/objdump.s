// The listing of a kernel: plan, source lines, labels, fields; it assembles to the same words.
// RUN: isa-mc %s --dlk %S/Inputs/cube.json -o %t.dlk
// RUN: dl-objdump %t.dlk -I %S/Inputs > %t.lst
// RUN: FileCheck %s < %t.lst
// RUN: isa-mc %s > %t.1 && isa-mc %t.lst > %t.2 && diff %t.1 %t.2
// RUN: dl-objdump --plan-only %t.dlk | FileCheck %s --check-prefix=PLAN
// RUN: dl-objdump --no-plan --no-source --no-addresses --raw %t.dlk | FileCheck %s --check-prefix=BARE
// PLAN-NOT: .section
// CHECK: // {{.*}}.dlk: kernel 'tiny' (aic) for ascend910b1, by test 1
// CHECK: // grid: rank 2, order diagonal:4, policy loop, k offset
// CHECK: // per core: 64 bytes of workspace, 8192 of stack
// CHECK: // argument 0: a_ptr, tensor of f16
// CHECK: // argument 1: n, scalar i32
// CHECK: // l1 0x0 16384 2 a (kernel.py:2)
// CHECK: // l0c 0x400 65536 1 acc
// CHECK: // used up to: l0c 66560 bytes; l1 32768 bytes;
// CHECK: // options: {"multibuffer":2}
// CHECK: // hint used: preload
// CHECK: // hint ignored: num_warps
// CHECK: // .text.aic: 6 words in 5 bundles, 1 of them of more than one word
// CHECK: entry_aic:
// CHECK-NEXT: // kernel.py:1: first line
// CHECK-NEXT: li r1, 10 // 0x10000000
// CHECK-NEXT: .L1:
// CHECK-NEXT: { m.mmad r1, r2, r3, r4, r5, r6, 17 // 0x10000008 dtype=bf16, bias=1
// CHECK-NEXT: addi r1, r1, -1 } // 0x10000010
// CHECK-NEXT: // kernel.py:2: second line
// CHECK-NEXT: bnz r1, .L1 // 0x10000018
// CHECK-NEXT: // kernel.py:3: third line
// CHECK-NEXT: barrier.all
// CHECK-NEXT: exit
// BARE-NOT: kernel
// BARE: li r1, 10 // 0x004200000000000a
  .section .text.aic,"ax",@progbits
  li r1, 10
loop:
  { m.mmad r1, r2, r3, r4, r5, r6, dtype=bf16, bias=1
    addi r1, r1, -1 }
  bnz r1, loop
  barrier.all
  exit
