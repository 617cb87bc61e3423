// RUN: dl-opt %s --npu-lower --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// Arguments come from the argument block in order, then the grid; locations are the kernel's file and line.
// CHECK: dlnpu.meta = "{{.*}}\22args\22:[{\22dtype\22:\22f16\22,\22kind\22:\22tensor\22,\22name\22:\22x_ptr\22}
// CHECK: llvm.func @kernel()
// CHECK: llvm.call @dlnpu.sreg
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: llvm.trunc
// CHECK: llvm.call @dlnpu.mte2.copy.ub({{.*}} loc("kernel.py":12:8)
// CHECK: llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<6>
// CHECK: llvm.load %{{.*}} : !llvm.ptr<6> -> f32
// CHECK: di_subprogram<{{.*}}name = "kernel"
func.func @add(%x: i64 {npu.pointee = f16} loc("x_ptr"("kernel.py":3:0)), %n: i32 loc("n"("kernel.py":3:0)))
    attributes {npu.kind = "aiv"} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %g = npu.grid_size 0 : i64
  %wide = arith.extsi %n : i32 to i64
  %cols = arith.minsi %wide, %g : i64
  %a = npu.alloc {name = "a", offset = 0 : i64} : memref<64xf32, #npu.space<ub>>
  npu.copy_in %a[%c0, %c0], %x rows %c1 cols %cols stride %c0 : memref<64xf32, #npu.space<ub>> loc(callsite("lib.py":99:1 at "kernel.py":12:8))
  %v = npu.load_scalar %a[%c0] : memref<64xf32, #npu.space<ub>> -> f32
  npu.gm_store %v, %x : f32
  return
} loc("kernel.py":3:0)
