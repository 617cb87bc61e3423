// Tensors of i64 as pairs of i32: comparisons of halves, of extensions as they were, a sum with its carry, few elements as they are.
// RUN: dl-opt %s --dl-expand --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func @equal
// CHECK-DAG: %[[HIGH:.*]] = dl.half high %[[X:.*]] : tensor
// CHECK-DAG: %[[LOW:.*]] = dl.half %[[X]] : tensor
// CHECK-DAG: arith.cmpi eq, %[[HIGH]], %{{.*}} : tensor<64xi32>
// CHECK-DAG: arith.cmpi eq, %[[LOW]], %{{.*}} : tensor<64xi32>
// CHECK: arith.andi %{{.*}} : tensor<64xi1>
func.func @equal(%p: !tt.ptr<i64>, %o: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %seven = arith.constant dense<7> : tensor<64xi64>
  %a = arith.constant dense<1.0> : tensor<64xf32>
  %b = arith.constant dense<2.0> : tensor<64xf32>
  %x = dl.load %p strides [%c1] lo [%c0] hi [%c64] : !tt.ptr<i64> -> tensor<64xi64>
  %m = arith.cmpi eq, %x, %seven : tensor<64xi64>
  %r = arith.select %m, %a, %b : tensor<64xi1>, tensor<64xf32>
  dl.store %r, %o strides [%c1] lo [%c0] hi [%c64] : tensor<64xf32>, !tt.ptr<f32>
  return
}

// CHECK-LABEL: func @extended
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<64xi32>
// CHECK-NOT: dl.half
// CHECK-LABEL: func @few
func.func @extended(%x: tensor<64xi32>) -> tensor<64xi1> {
  %limit = arith.constant dense<1000> : tensor<64xi64>
  %w = arith.extsi %x : tensor<64xi32> to tensor<64xi64>
  %m = arith.cmpi slt, %w, %limit : tensor<64xi64>
  return %m : tensor<64xi1>
}

// CHECK: arith.addi %{{.*}}, %{{.*}} : tensor<16xi64>
func.func @few(%x: tensor<16xi64>, %y: tensor<16xi64>) -> tensor<16xi64> {
  %r = arith.addi %x, %y : tensor<16xi64>
  return %r : tensor<16xi64>
}

// CHECK-LABEL: func @sum
// CHECK: %[[LOW:.*]] = arith.addi %{{.*}} : tensor<64xi32>
// CHECK: arith.cmpi ult, %[[LOW]]
// CHECK: dl.wide %[[LOW]]
func.func @sum(%x: tensor<64xi64>, %y: tensor<64xi64>) -> tensor<64xi64> {
  %r = arith.addi %x, %y : tensor<64xi64>
  return %r : tensor<64xi64>
}
