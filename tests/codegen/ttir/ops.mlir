// Every operation survives a round trip in Triton's own format.
// RUN: dl-opt %s | dl-opt | FileCheck %s

// CHECK-LABEL: tt.func public @memory
tt.func public @memory(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %l: !tt.ptr<f32, 3>, %n: i32, %s: i64) attributes {noinline = false} {
  // CHECK: tt.get_program_id y : i32
  %pid = tt.get_program_id y : i32
  // CHECK: tt.get_num_programs z : i32
  %np = tt.get_num_programs z : i32
  // CHECK: tt.make_range {end = 96 : i32, start = 0 : i32} : tensor<96xi32>
  %r = tt.make_range {end = 96 : i32, start = 0 : i32} : tensor<96xi32>
  %nn = tt.splat %n : i32 -> tensor<96xi32>
  %m = arith.cmpi slt, %r, %nn : tensor<96xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<96x!tt.ptr<f32>>
  // CHECK: tt.addptr %{{.*}}, %{{.*}} : tensor<96x!tt.ptr<f32>>, tensor<96xi32>
  %q = tt.addptr %ps, %r : tensor<96x!tt.ptr<f32>>, tensor<96xi32>
  // CHECK: tt.load %{{[0-9]+}} : tensor<96x!tt.ptr<f32>>
  %a = tt.load %q : tensor<96x!tt.ptr<f32>>
  // CHECK: tt.load %{{[0-9]+}}, %{{[0-9]+}} cacheModifier = ca evictionPolicy = evict_last : tensor
  %b = tt.load %q, %m cacheModifier = ca evictionPolicy = evict_last : tensor<96x!tt.ptr<f32>>
  // CHECK: tt.load %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} : tensor
  %c = tt.load %q, %m, %a {cache = 1 : i32, evict = 1 : i32, isVolatile = false} : tensor<96x!tt.ptr<f32>>
  // CHECK: tt.store %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} evictionPolicy = evict_first : tensor
  tt.store %q, %b, %m evictionPolicy = evict_first : tensor<96x!tt.ptr<f32>>
  // CHECK: tt.load %{{.*}} : !tt.ptr<f32, 3>
  %d = tt.load %l : !tt.ptr<f32, 3>
  // CHECK: tt.atomic_rmw fadd, acq_rel, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<96x!tt.ptr<f32>>, tensor<96xf32>, tensor<96xi1>) -> tensor<96xf32>
  %e = tt.atomic_rmw fadd, acq_rel, gpu, %q, %a, %m : (tensor<96x!tt.ptr<f32>>, tensor<96xf32>, tensor<96xi1>) -> tensor<96xf32>
  // CHECK: tt.make_tensor_ptr %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {order = array<i32: 1, 0>} : <tensor<8x16xf32>>
  %t = tt.make_tensor_ptr %p, [%s, %s], [%s, %s], [%n, %n] {order = array<i32: 1, 0>} : <tensor<8x16xf32>>
  // CHECK: tt.load %{{.*}} {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<8x16xf32>>
  %u = tt.load %t {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<8x16xf32>>
  // CHECK: tt.advance %{{.*}}, [%{{.*}}, %{{.*}}] : <tensor<8x16xf32>>
  %v = tt.advance %t, [%n, %n] : <tensor<8x16xf32>>
  // CHECK: tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<8x16xf32> -> tensor<16x8xf32>
  %w = tt.trans %u {order = array<i32: 1, 0>} : tensor<8x16xf32> -> tensor<16x8xf32>
  tt.store %v, %u {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<8x16xf32>>
  %i = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  %ip = tt.int_to_ptr %i : i64 -> !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: tt.func private @compute
tt.func private @compute(%a: tensor<32x64xf16>, %b: tensor<64x48xf16>, %c: tensor<32x48xf32>, %x: f32) -> (f32, tensor<32xi32>) {
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32 : tensor<32x64xf16> * tensor<64x48xf16> -> tensor<32x48xf32>
  %d = tt.dot %a, %b, %c, inputPrecision = tf32 {maxNumImpreciseAcc = 0 : i32} : tensor<32x64xf16> * tensor<64x48xf16> -> tensor<32x48xf32>
  // CHECK: "tt.reduce"(%{{.*}}) <{axis = 1 : i32}> ({
  %r = "tt.reduce"(%d) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %m: f32):
    %n = arith.maxnumf %l, %m : f32
    tt.reduce.return %n : f32
  }) : (tensor<32x48xf32>) -> tensor<32xf32>
  // Attributes in the older place.
  %s = "tt.reduce"(%r) ({
  ^bb0(%l: f32, %m: f32):
    %n = arith.addf %l, %m : f32
    tt.reduce.return %n : f32
  }) {axis = 0 : i32} : (tensor<32xf32>) -> f32
  // CHECK: tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = none : f32
  %cl = tt.clampf %x, %s, %s, propagateNan = none : f32
  // CHECK: tt.fp_to_fp %{{.*}}, rounding = rtne : tensor<32xf32> -> tensor<32xf16>
  %f = tt.fp_to_fp %r, rounding = rtne : tensor<32xf32> -> tensor<32xf16>
  // CHECK: tt.precise_divf %{{.*}}, %{{.*}} : tensor<32xf32>
  %pd = tt.precise_divf %r, %r : tensor<32xf32>
  // CHECK: tt.precise_sqrt %{{.*}} : tensor<32xf32>
  %ps = tt.precise_sqrt %pd : tensor<32xf32>
  // CHECK: tt.extern_elementwise %{{.*}} {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} : (tensor<32xf32>) -> tensor<32xf32>
  %ee = tt.extern_elementwise %ps {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} : (tensor<32xf32>) -> tensor<32xf32>
  // CHECK: tt.bitcast %{{.*}} : tensor<32xf32> -> tensor<32xi32>
  %bc = tt.bitcast %ee : tensor<32xf32> -> tensor<32xi32>
  // CHECK: tt.reshape %{{.*}} allow_reorder : tensor<32xi32> -> tensor<4x8xi32>
  %rs = tt.reshape %bc allow_reorder : tensor<32xi32> -> tensor<4x8xi32>
  // CHECK: tt.join %{{.*}}, %{{.*}} : tensor<32xi32> -> tensor<32x2xi32>
  %j = tt.join %bc, %bc : tensor<32xi32> -> tensor<32x2xi32>
  // CHECK: tt.split %{{.*}} : tensor<32x2xi32> -> tensor<32xi32>
  %k0, %k1 = tt.split %j : tensor<32x2xi32> -> tensor<32xi32>
  // CHECK: tt.gather %{{.*}}[%{{.*}}] {axis = 0 : i32} : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi32>
  %g = tt.gather %k0[%k1] {axis = 0 : i32} : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi32>
  // CHECK: tt.call @helper(%{{.*}}) : (f32) -> f32
  %h = tt.call @helper(%s) : (f32) -> f32
  tt.return %h, %g : f32, tensor<32xi32>
}
tt.func private @helper(%x: f32) -> f32 {
  tt.return %x : f32
}
