// Every message names the place, the thing and what to do.
// RUN: not isa-mc %s 2>&1 | FileCheck %s

// CHECK: errors.s:[[#@LINE+1]]:3: error: 'ld.d' and 'jmp' need the same slot (S0): put one of them into another bundle
  { ld.d r1, [r2, 0] ; jmp 1 }
// CHECK: errors.s:[[#@LINE+1]]:3: error: 'add' and 'sub' both write r1 in one bundle
  { add r1, r2, r3 ; sub r1, r2, r3 }
// CHECK: errors.s:[[#@LINE+1]]:3: error: 'or' and 'xor' need the same slot (S0 or S1)
  { add r1, r2, r3 ; or r2, r2, r3 ; xor r4, r4, r4 }
// CHECK: errors.s:[[#@LINE+1]]:3: error: 'mte2.copy.ub' and 'mte2.gather.ub' need the same slot (MTE2)
  { mte2.copy.ub r1, r2, r3, r4, r5, r6 ; mte2.gather.ub r1, r2, r3, r4, r5, r6 }
// CHECK: errors.s:[[#@LINE+1]]:3: error: 'fadd' and 'div' need the same slot (S1)
  { fadd r1, r2, r3 ; div r4, r5, r6 }
// CHECK: errors.s:[[#@LINE+1]]:3: error: a bundle holds at least one instruction
  { }
// CHECK: errors.s:[[#@LINE+1]]:5: error: bundles do not nest
  { { nop } }
// CHECK: errors.s:[[#@LINE+1]]:3: error: there is no instruction 'frob'
  frob r1, r2
// CHECK: errors.s:[[#@LINE+1]]:16: error: immediate 8388608 of 'addi' is outside -8388608..8388607
  addi r1, r2, 8388608
// CHECK: errors.s:[[#@LINE+1]]:26: error: immediate 16 of 'v.add' sets bits outside its fields (dtype[3:0])
  v.add r1, r2, r3, r4,  16
// CHECK: errors.s:[[#@LINE+1]]:21: error: 'v.exp' has no immediate field 'kind'; it has dtype
  v.exp r1, r2, r3, kind=1
// CHECK: errors.s:[[#@LINE+1]]:28: error: value 9 does not fit the 3-bit field 'round'
  v.cast r1, r2, r3, round=9
// CHECK: errors.s:[[#@LINE+1]]:14: error: 'mte9' is no unit; expected s, mte1, mte2, mte3, fix, m or v
  set_flag.v mte9, 0
// CHECK: errors.s:[[#@LINE+1]]:20: error: immediate 8 of 'set_flag.v' is outside 0..7
  set_flag.v mte2, 8
// CHECK: errors.s:[[#@LINE+1]]:3: error: too few operands for 'add'
  add r1, r2
// CHECK: errors.s:[[#@LINE+1]]:15: error: invalid operand of 'add': expected a register
  add r1, r2, 3
// CHECK: errors.s:[[#@LINE+2]]:3: error: directive inside a bundle
  {
  .p2align 3
  nop }
// CHECK: errors.s:[[#@LINE+2]]:1: error: label 'inside' inside a bundle
  { nop
inside:
  }
// CHECK: errors.s:[[#@LINE+1]]:3: error: this bundle is not closed
  { nop
