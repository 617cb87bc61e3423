// One file for cube and vector cores: compiled once for each, a text and an entry of each in the binary.
// RUN: dlc %s --kind=mix -o %t.dlk
// RUN: llvm-readelf -S -p .dlnpu.meta -W %t.dlk | FileCheck %s --check-prefix=DLK
// RUN: dlc %s --kind=mix --emit=asm -o - | FileCheck %s --check-prefix=ASM
// RUN: dlc %s --kind=aiv --emit=asm -o - | FileCheck %s --check-prefix=AIV
// RUN: not dlc %s --kind=mix --emit=obj -o %t.o 2>&1 | FileCheck %s --check-prefix=OBJ
// RUN: echo > %t.s
// RUN: not dlc %t.s --kind=mix -o %t.dlk 2>&1 | FileCheck %s --check-prefix=KIND
// DLK: .text.aic PROGBITS 0000000010000000
// DLK: .text.aiv PROGBITS 000000001000{{[1-9]}}000
// DLK: "args":[{"dtype":"f32","kind":"tensor","name":"x"}]
// DLK-SAME: "entries":{"aic":0,"aiv":0}
// DLK-SAME: "kernel":"meet","kind":"mix"
// ASM-LABEL: meet:
// ASM: sreg r{{[0-9]+}}, 6
// ASM: fix.copy.gm
// ASM: xset.fix 33
// ASM-LABEL: meet:
// ASM: xwait.mte2 33
// ASM: mte2.copy.ub
// AIV-LABEL: meet:
// AIV-NOT: fix.copy.gm
// AIV: mte2.copy.ub
// OBJ: a mixed kernel has two objects; emit asm or dlk
// KIND: --kind=mix is for .c files
#include <dlnpu.h>
__dl_kernel __dl_arg(x, tensor, f32) void meet(void) {
  const long x = __dl_arg_i64(0) + __dl_group() * 1024;
#ifdef __DLNPU_AIC__
  __dl_fix_copy_gm(x, 0, __dl_cfg32(16, 16), 64, 1024, 0, __dl_f32);
  __dl_xset_fix(2 << 4 | 1);
#endif
#ifdef __DLNPU_AIV__
  __dl_xwait_mte2(2 << 4 | 1);
  __dl_mte2_copy_ub(0, x, __dl_cfg32(1, 1024), 1024, __dl_cfg32(1024, 0), 0, 0);
#endif
}
