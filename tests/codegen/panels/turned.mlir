// RUN: dl-opt %s --dl-panels=steps=4 --mlir-print-debuginfo=false 2>/dev/null | FileCheck %s --check-prefixes=CHECK,AHEAD
// RUN: dl-opt %s --dl-panels="steps=4 ahead=false" --mlir-print-debuginfo=false 2>/dev/null | FileCheck %s --check-prefixes=CHECK,EVEN

// Each task begins as many panels earlier as there are slots. B, the larger operand, is loaded first and gets a slot more than A.
// CHECK-LABEL: tt.func public @tasks
// CHECK: scf.for %[[T:.*]] = %{{.*}} to %{{.*}} step %[[CORES:.*]] : i64
// CHECK: %[[PANELS:.*]] = arith.maxsi
// CHECK: %[[TURNS:.*]] = arith.divui %[[T]], %[[CORES]]
// AHEAD: %[[BACK:.*]] = arith.muli %[[TURNS]], %c3_i64
// EVEN: %[[BACK:.*]] = arith.muli %[[TURNS]], %c2_i64
// CHECK: %[[REST:.*]] = arith.subi %[[PANELS]], %{{.*}}
// CHECK: %[[FORWARD:.*]] = arith.muli %[[BACK]], %[[REST]]
// CHECK: %[[FROM:.*]] = arith.addi %{{.*}}, %[[FORWARD]]
// CHECK: arith.remui %[[FROM]], %[[PANELS]]
// AHEAD: dl.load {{.*}} {dl.slots = 3 : i64} {{.*}} -> tensor<256x256xf16>
// AHEAD: dl.load {{.*}} -> tensor<128x256xf16>
// EVEN: dl.load {{.*}} -> tensor<128x256xf16>
// EVEN-NOT: dl.slots
// EVEN: dl.load {{.*}} -> tensor<256x256xf16>
// CHECK: dl.turned
tt.func public @tasks(%pa: !tt.ptr<f16>, %pb: !tt.ptr<f16>, %pc: !tt.ptr<f32>, %k: i64, %n: i64, %tasks: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %c128 = arith.constant 128 : i64
  %c256 = arith.constant 256 : i64
  %false = arith.constant false
  %core = dl.core_id : i64
  %cores = dl.core_count : i64
  %steps = arith.divui %k, %c64 : i64
  %some = arith.maxsi %steps, %c1 : i64
  %offset = arith.remui %core, %some : i64
  scf.for %t = %core to %tasks step %cores : i64 {
    %start = dl.acc_init zero_if %false : tensor<128x256xf32>
    %acc = scf.for %i = %c0 to %steps step %c1 iter_args(%c = %start) -> tensor<128x256xf32> : i64 {
      %sum = arith.addi %i, %offset : i64
      %over = arith.cmpi sge, %sum, %steps : i64
      %less = arith.subi %sum, %steps : i64
      %step = arith.select %over, %less, %sum : i64
      %at = arith.muli %step, %c64 : i64
      %a = tt.addptr %pa, %at : !tt.ptr<f16>, i64
      %va = dl.load %a strides[%k, %c1] lo[%c0, %c0] hi[%c128, %c64] : !tt.ptr<f16> -> tensor<128x64xf16>
      %row = arith.muli %at, %n : i64
      %b = tt.addptr %pb, %row : !tt.ptr<f16>, i64
      %vb = dl.load %b strides[%n, %c1] lo[%c0, %c0] hi[%c64, %c256] : !tt.ptr<f16> -> tensor<64x256xf16>
      %first = arith.cmpi eq, %i, %c0 : i64
      %d = dl.dot %va, %vb, %c init %first {k_step = 64 : i64} : tensor<128x64xf16>, tensor<64x256xf16> -> tensor<128x256xf32>
      scf.yield %d : tensor<128x256xf32>
    }
    dl.fixpipe %acc, %pc strides[%n, %c1] lo[%c0, %c0] hi[%c128, %c256] as f32 : tensor<128x256xf32>, !tt.ptr<f32>
  } {dl.parallel}
  tt.return
}
