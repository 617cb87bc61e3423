// Bundles in braces, on one line and on several; what stands alone is a bundle of one word.
// RUN: isa-mc %s | FileCheck %s
// RUN: isa-mc %s > %t.s && isa-mc %t.s | diff %t.s -

// CHECK: { add r1, r2, r3
// CHECK-NEXT: addi r4, r5, -1 }
  { add r1, r2, r3 ; addi r4, r5, -1 }
// CHECK-NEXT: { mte2.nd2nz.l1 r1, r2, r3, r4, r5, 16
// CHECK-NEXT: m.mmad r1, r2, r3, r4, r5, r6, 0
// CHECK-NEXT: set_flag.mte1 m, 3
// CHECK-NEXT: ld.d r7, [r30, -8]
// CHECK-NEXT: shli r8, r8, 3 }
  {
    mte2.nd2nz.l1 r1, r2, r3, r4, r5, bypass=1
    m.mmad r1, r2, r3, r4, r5, r6
    set_flag.mte1 m, 3
    ld.d r7, [r30, -8]        // comments may follow
    shli r8, r8, 3
  }
// CHECK-NEXT: exit
  exit
