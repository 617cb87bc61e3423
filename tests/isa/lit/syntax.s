// Operands, fields by name, omitted immediates, symbols set to numbers, expressions.
// RUN: isa-mc %s | FileCheck %s --strict-whitespace --match-full-lines

  .set stride, 64
//      CHECK:	addi	r1, r2, 64
  addi r1, r2, stride
// CHECK-NEXT:	addi	r1, r2, -7
  addi r1, r2, 1 - 2 * 4
// CHECK-NEXT:	li	r9, -2147483648
  li r9, -0x80000000
// CHECK-NEXT:	lih	r9, 4294967295
  lih r9, 0xffffffff
// CHECK-NEXT:	v.cast	r1, r2, r3, 800
  v.cast r1, r2, r3, from=f16, to=f32, round=3
// CHECK-NEXT:	v.cast	r1, r2, r3, 16
  v.cast r1, r2, r3, to=bf16
// CHECK-NEXT:	v.mask	r1, r2, 0
  v.mask r1, r2
// CHECK-NEXT:	xwait.mte2	33
  xwait.mte2 mode=2, id=1
// CHECK-NEXT:	wait_flagr.fix	r4, m, 7
  wait_flagr.fix r4, m, 7
// CHECK-NEXT:	barrier.all
  barrier.all
// CHECK-NEXT:	st.w	r1, [r30, 16]
  ST.W R1, [r30, 16]
// CHECK-NEXT:	nop
// CHECK-NEXT:	jmp	-1
back:
  nop ; jmp back
