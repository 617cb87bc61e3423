// RUN: dl-opt %s --npu-check-sync --verify-diagnostics --split-input-file

func.func @no_flag(%x: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 64 : i64
  %a = npu.alloc {name = "a", offset = 0 : i64} : memref<64xf32, #npu.space<ub>>
  %b = npu.alloc {name = "b", offset = 256 : i64} : memref<64xf32, #npu.space<ub>>
  npu.copy_in %a[%c0, %c0], %x rows %c1 cols %n stride %c0 : memref<64xf32, #npu.space<ub>>
  // expected-error @below {{v reads 'a' without waiting for the write of 'a' by mte2 at}}
  npu.vunary relu %b, %a : memref<64xf32, #npu.space<ub>>, memref<64xf32, #npu.space<ub>>
  return
}

// -----

// Two buffers on the same bytes.
func.func @reuse(%x: i64, %y: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 64 : i64
  %zero = arith.constant 0.0 : f32
  %a = npu.alloc {name = "a", offset = 0 : i64} : memref<64xf32, #npu.space<ub>>
  %b = npu.alloc {name = "b", offset = 128 : i64} : memref<64xf32, #npu.space<ub>>
  npu.vdup %a, %zero : memref<64xf32, #npu.space<ub>>, f32
  // expected-error @below {{mte2 writes 'b' without waiting for the write of 'a' by v}}
  npu.copy_in %b[%c0, %c0], %x rows %c1 cols %n stride %c0 : memref<64xf32, #npu.space<ub>>
  return
}

// -----

func.func @never_set() {
  // expected-error @below {{wait for flag mte2 -> v id 3 that nothing has set}}
  npu.wait_flag mte2 -> v id 3
  return
}

// -----

// expected-error @below {{flag mte2 -> v id 0 is left with 1 token(s) at the end}}
func.func @left_over() {
  npu.set_flag mte2 -> v id 0
  return
}

// -----

// One token for two slots would do; two tokens for one slot do not.
func.func @slots(%x: i64, %y: i64, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %a = npu.alloc {name = "a", offset = 0 : i64} : memref<64xf32, #npu.space<ub>>
  npu.set_flag mte3 -> mte2 id 0
  npu.set_flag mte3 -> mte2 id 0
  scf.for %i = %c0 to %n step %c1 : i64 {
    npu.wait_flag mte3 -> mte2 id 0
    // expected-error @below {{mte2 writes 'a' without waiting for the read of 'a' by mte3}}
    npu.copy_in %a[%c0, %c0], %x rows %c1 cols %m stride %c0 {arg = 0 : i64} : memref<64xf32, #npu.space<ub>>
    npu.set_flag mte2 -> mte3 id 0
    npu.wait_flag mte2 -> mte3 id 0
    npu.copy_out %a[%c0, %c0], %y rows %c1 cols %m stride %c0 {arg = 1 : i64} : memref<64xf32, #npu.space<ub>>
    npu.set_flag mte3 -> mte2 id 0
  }
  npu.wait_flag mte3 -> mte2 id 0
  npu.wait_flag mte3 -> mte2 id 0
  return
}

// -----

// Unit flags that no product sets.
func.func @unset(%x: i64) {
  %c0 = arith.constant 0 : i64
  %n = arith.constant 32 : i64
  %acc = npu.alloc {name = "acc", offset = 0 : i64} : memref<32x32xf32, #npu.space<l0c>>
  npu.clear_acc %acc size(%n, %n) {unit_flag = 2 : i32} : memref<32x32xf32, #npu.space<l0c>>
  // expected-error @below {{fix waits for unit flags of 'acc' that nothing has set}}
  npu.fixpipe %acc[%c0, %c0], %x rows %n cols %n stride %n m %n as f32 {arg = 0 : i64, unit_flag = 3 : i32} : memref<32x32xf32, #npu.space<l0c>>
  return
}

// -----

// The store leaves them set; another tile lies on the same bytes.
func.func @uncleared(%x: i64) {
  %c0 = arith.constant 0 : i64
  %n = arith.constant 32 : i64
  %acc = npu.alloc {name = "acc", offset = 0 : i64} : memref<32x32xf32, #npu.space<l0c>>
  %next = npu.alloc {name = "next", offset = 2048 : i64} : memref<32x32xf32, #npu.space<l0c>>
  npu.clear_acc %acc size(%n, %n) {unit_flag = 2 : i32} : memref<32x32xf32, #npu.space<l0c>>
  // expected-error @below {{the unit flags of 'acc' are left set at the end}}
  npu.hand_over %acc size(%n, %n) : memref<32x32xf32, #npu.space<l0c>>
  npu.fixpipe %acc[%c0, %c0], %x rows %n cols %n stride %n m %n as f32 {arg = 0 : i64, unit_flag = 2 : i32} : memref<32x32xf32, #npu.space<l0c>>
  // expected-error @below {{m writes 'next' without waiting for the read of 'acc' by fix}}
  // expected-error @below {{m waits for unit flags of 'acc' that nothing has cleared}}
  npu.clear_acc %next size(%n, %n) {unit_flag = 2 : i32} : memref<32x32xf32, #npu.space<l0c>>
  return
}

// -----

// Rows of another iteration are not the same blocks, although they have the same name.
func.func @other_rows(%x: i64, %rows: i64, %q: i1) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 32 : i64
  %acc = npu.alloc {name = "acc", offset = 0 : i64} : memref<32x32xf32, #npu.space<l0c>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%r = %rows) -> (i64) : i64 {
    %first = arith.cmpi eq, %i, %c0 : i64
    scf.if %first {
      npu.clear_acc %acc size(%r, %n) {unit_flag = 2 : i32} : memref<32x32xf32, #npu.space<l0c>>
      // expected-error @below {{the unit flags of 'acc' are left set at the end}}
      npu.hand_over %acc size(%r, %n) : memref<32x32xf32, #npu.space<l0c>>
    } else {
      scf.if %q {
        // expected-error @below {{fix takes other blocks of 'acc' than those whose unit flags are set}}
        npu.fixpipe %acc[%c0, %c0], %x rows %r cols %n stride %n m %r as f32 {arg = 0 : i64, unit_flag = 3 : i32} : memref<32x32xf32, #npu.space<l0c>>
      }
    }
    %next = arith.addi %r, %rows : i64
    scf.yield %next : i64
  }
  return
}

// -----

// Only both sides together need no flag of a whole command.
func.func @one_side(%x: i64) {
  %c0 = arith.constant 0 : i64
  %n = arith.constant 32 : i64
  %acc = npu.alloc {name = "acc", offset = 0 : i64} : memref<32x32xf32, #npu.space<l0c>>
  npu.clear_acc %acc size(%n, %n) {unit_flag = 2 : i32} : memref<32x32xf32, #npu.space<l0c>>
  // expected-error @below {{fix reads 'acc' without waiting for the write of 'acc' by m}}
  npu.fixpipe %acc[%c0, %c0], %x rows %n cols %n stride %n m %n as f32 {arg = 0 : i64} : memref<32x32xf32, #npu.space<l0c>>
  return
}
