// A vector instruction for a cube core is an error, by processor and by section.
// RUN: not isa-mc --mcpu=aic %s 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not isa-mc %s 2>&1 | FileCheck %s --check-prefix=SECTION
// CPU: error: 'v.exp' needs a vector core (aiv)
// SECTION: error: 'v.exp' needs a vector core, .text.aic runs on a cube core
  .section .text.aic,"ax",@progbits
  v.exp r1, r2, r3
