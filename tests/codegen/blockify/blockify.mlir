// RUN: dl-opt --dl-blockify %s | FileCheck %s
// RUN: dl-opt --dl-blockify=order=columns %s | FileCheck %s --check-prefix=COLUMNS

// CHECK: func.func @k(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: i32)
// CHECK-SAME: dl.grid_rank = 3 : i64, dl.order = "rows"
// CHECK-DAG: %[[CORE:.*]] = dl.core_id : i64
// CHECK-DAG: %[[CORES:.*]] = dl.core_count : i64
// CHECK-DAG: %[[X:.*]] = dl.grid_size 0 : i64
// CHECK-DAG: %[[Y:.*]] = dl.grid_size 1 : i64
// CHECK-DAG: %[[Z:.*]] = dl.grid_size 2 : i64
// CHECK: %[[XY:.*]] = arith.muli %[[X]], %[[Y]]
// CHECK: %[[TOTAL:.*]] = arith.muli %[[XY]], %[[Z]]
// CHECK: scf.for %[[TASK:.*]] = %[[CORE]] to %[[TOTAL]] step %[[CORES]]
// CHECK: %[[LOCAL:.*]] = arith.remui %[[TASK]],
// CHECK: %[[M:.*]] = arith.divui %[[LOCAL]], %[[Y]]
// CHECK: %[[N:.*]] = arith.remui %[[LOCAL]], %[[Y]]
// CHECK: arith.trunci %[[M]] : i64 to i32
// CHECK: arith.trunci %[[N]] : i64 to i32
// CHECK: arith.trunci %[[X]] : i64 to i32
// CHECK: tt.store
// CHECK: } {dl.line = 1 : i64, dl.parallel}
// CHECK: return
// COLUMNS: dl.order = "columns"
// COLUMNS: %[[X:.*]] = dl.grid_size 0
// COLUMNS: arith.remui %{{.*}}, %[[X]]
// COLUMNS: arith.divui %{{.*}}, %[[X]]
// COLUMNS: } {dl.line = 0 : i64, dl.parallel}
tt.func public @k(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %v: i32) attributes {noinline = false} {
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %nx = tt.get_num_programs x : i32
  %a = arith.muli %x, %nx : i32
  %b = arith.addi %a, %y : i32
  %f = arith.sitofp %v : i32 to f32
  %q = tt.addptr %p, %b : !tt.ptr<f32>, i32
  tt.store %q, %f : !tt.ptr<f32>
  tt.return
}
