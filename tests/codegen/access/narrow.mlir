// RUN: dl-opt --dl-access-stage --split-input-file %s | FileCheck %s
// An unsigned byte is no signed one: 164 is at least 0. Comparisons of such values are no ranges of lanes.

// CHECK-LABEL: @bytes
// CHECK: %[[WIDE:.*]] = arith.extui %{{.*}} : tensor<64xi8> to tensor<64xi32>
// CHECK: arith.cmpi uge, %[[WIDE]]
func.func @bytes(%out: !tt.ptr<i32>, %byte: i8) {
  %zero = arith.constant dense<0> : tensor<64xi32>
  %lanes = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %bytes = tt.splat %byte : i8 -> tensor<64xi8>
  %wide = arith.extui %bytes : tensor<64xi8> to tensor<64xi32>
  %mask = arith.cmpi uge, %wide, %zero : tensor<64xi32>
  %value = arith.extui %mask : tensor<64xi1> to tensor<64xi32>
  %base = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %at = tt.addptr %base, %lanes : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %at, %value : tensor<64x!tt.ptr<i32>>
  return
}

// -----
// 100 + 100 is -56 in eight bits.
// CHECK-LABEL: @wraps
// CHECK: %[[SUM:.*]] = arith.addi %{{.*}}, %{{.*}} : tensor<64xi8>
// CHECK: arith.cmpi slt, %[[SUM]]
func.func @wraps(%out: !tt.ptr<i32>, %a: i8, %b: i8) {
  %zero = arith.constant dense<0> : tensor<64xi8>
  %lanes = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %x = tt.splat %a : i8 -> tensor<64xi8>
  %y = tt.splat %b : i8 -> tensor<64xi8>
  %sum = arith.addi %x, %y : tensor<64xi8>
  %mask = arith.cmpi slt, %sum, %zero : tensor<64xi8>
  %value = arith.extui %mask : tensor<64xi1> to tensor<64xi32>
  %base = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %at = tt.addptr %base, %lanes : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %at, %value : tensor<64x!tt.ptr<i32>>
  return
}
