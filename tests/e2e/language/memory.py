"""Access to memory beyond plain tiles: atomics, descriptors, pointers as integers, the grid."""

import numpy as np

from tests.e2e.language.builder import Probe
from tests.e2e.language.inputs import bits, f16, f32, floats, i32, i64, ints, kind


def probes():
    yield Probe("programs of three axes", """%x = tt.get_program_id x : i32
%y = tt.get_program_id y : i32
%z = tt.get_program_id z : i32
%nx = tt.get_num_programs x : i32
%ny = tt.get_num_programs y : i32
%nz = tt.get_num_programs z : i32
%a = arith.muli %z, %ny : i32
%b = arith.addi %a, %y : i32
%c = arith.muli %b, %nx : i32
%d = arith.addi %c, %x : i32
%p = tt.addptr %o0_ptr, %d : !tt.ptr<i32>, i32
%e = arith.muli %d, %nz : i32
tt.store %p, %e : !tt.ptr<i32>""", {}, [np.arange(24, dtype=i32) * 2], grid=(4, 3, 2), pointers=True)
    yield Probe("int_to_ptr", """%i = tt.ptr_to_int %x_ptr : !tt.ptr<f32> -> i64
%c = arith.constant 40 : i64
%j = arith.addi %i, %c : i64
%p = tt.int_to_ptr %j : i64 -> !tt.ptr<f32>
%v = tt.load %p : !tt.ptr<f32>
tt.store %o0_ptr, %v : !tt.ptr<f32>""", {"x": np.arange(64, dtype=f32)}, [np.full(1, 10, f32)], pointers=True)
    table = floats(64)
    yield Probe("a pointer out of memory", """%n = tt.ptr_to_int %x_ptr : !tt.ptr<f32> -> i64
tt.store %t_ptr, %n : !tt.ptr<i64>
%tp = tt.bitcast %t_ptr : !tt.ptr<i64> -> !tt.ptr<!tt.ptr<f32>>
%p = tt.load %tp : !tt.ptr<!tt.ptr<f32>>
%i = arith.constant 3 : i32
%q = tt.addptr %p, %i : !tt.ptr<f32>, i32
%g = tt.load %q : !tt.ptr<f32>
%s = tt.splat %g : f32 -> tensor<64xf32>
%r = arith.addf %x, %s : tensor<64xf32>""", {"x": table, "t": np.zeros(1, i64)}, [table + table[3]])
    yield Probe("values that nobody chooses", """%p = ub.poison : tensor<64xf32>
%big = arith.constant dense<1.0e30> : tensor<64xf32>
%c = arith.cmpf ogt, %x, %big : tensor<64xf32>
%q = ub.poison : f32
%z = arith.constant 0 : i32
%m = arith.cmpi slt, %k, %z : i32
%g = arith.select %m, %q, %f : f32
%s = tt.splat %g : f32 -> tensor<64xf32>
%t = arith.select %c, %p, %x : tensor<64xi1>, tensor<64xf32>
%r = arith.addf %t, %s : tensor<64xf32>""", {"x": table}, [table + f32(2)], scalars={"k": ("i32", 1), "f": ("f32", 2)})
    yield Probe("bitcast of a pointer", """%q = tt.bitcast %x_ptr : !tt.ptr<f32> -> !tt.ptr<i32>
%r0 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
%s = tt.splat %q : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
%p = tt.addptr %s, %r0 : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
%v = tt.load %p : tensor<32x!tt.ptr<i32>>
%t = tt.splat %o0_ptr : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
%u = tt.addptr %t, %r0 : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
tt.store %u, %v : tensor<32x!tt.ptr<i32>>""", {"x": np.arange(32, dtype=f32)}, [np.arange(32, dtype=f32).view(i32)], pointers=True)
    a, b = ints(40, dtype=i64), ints(40, dtype=i64, low=1, high=1000)
    yield Probe("quotients of i64 under a mask", """%i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
%n = arith.constant dense<40> : tensor<64xi32>
%on = arith.cmpi slt, %i, %n : tensor<64xi32>
%as = tt.splat %a_ptr : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>>
%ap = tt.addptr %as, %i : tensor<64x!tt.ptr<i64>>, tensor<64xi32>
%bs = tt.splat %b_ptr : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>>
%bp = tt.addptr %bs, %i : tensor<64x!tt.ptr<i64>>, tensor<64xi32>
%a = tt.load %ap, %on : tensor<64x!tt.ptr<i64>>
%b = tt.load %bp, %on : tensor<64x!tt.ptr<i64>>
%r = arith.divsi %a, %b : tensor<64xi64>
%os = tt.splat %o0_ptr : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>>
%op = tt.addptr %os, %i : tensor<64x!tt.ptr<i64>>, tensor<64xi32>
tt.store %op, %r, %on : tensor<64x!tt.ptr<i64>>""", {"a": a, "b": b}, [np.array([-(-x // y) if x < 0 else x // y
                                                                                    for x, y in zip(a.tolist(), b.tolist())], i64)], pointers=True)
    yield from wrapped()
    yield from descriptors()
    yield from atomics()
    yield from scalar_memory()


def descriptors():
    x = floats(20, 32)
    partial = np.zeros((16, 32), f32)
    partial[:8] = x[12:20]
    text = """%c1 = arith.constant 1 : i64
%c32 = arith.constant 32 : i64
%c20 = arith.constant 20 : i32
%cols = arith.constant 32 : i32
%c12 = arith.constant 12 : i32
%c0 = arith.constant 0 : i32
%d = tt.make_tensor_descriptor %x_ptr, [%c20, %cols], [%c32, %c1] : !tt.ptr<f32>, !tt.tensordesc<tensor<16x32xf32>>
%v = tt.descriptor_load %d[%c12, %c0] : !tt.tensordesc<tensor<16x32xf32>> -> tensor<16x32xf32>
%c16 = arith.constant 16 : i32
%e = tt.make_tensor_descriptor %o0_ptr, [%c16, %cols], [%c32, %c1] : !tt.ptr<f32>, !tt.tensordesc<tensor<16x32xf32>>
tt.descriptor_store %e[%c0, %c0], %v : !tt.tensordesc<tensor<16x32xf32>>, tensor<16x32xf32>"""
    yield Probe("descriptor load and store", text, {"x": x}, [partial], pointers=True)
    reduced = text.replace("tt.descriptor_store %e[%c0, %c0], %v : !tt.tensordesc<tensor<16x32xf32>>, tensor<16x32xf32>",
                           "tt.descriptor_reduce add, %e[%c0, %c0], %v : !tt.tensordesc<tensor<16x32xf32>>, tensor<16x32xf32>\n" * 2)
    yield Probe("descriptor reduce", reduced, {"x": x}, [partial * f32(2)], pointers=True)
    y = floats(3, 6, 20)
    shifted = np.zeros((3, 4, 32), f32)
    shifted[:2, :3, :18] = 2 * y[1:, 3:, 2:]
    yield Probe("descriptor of three dimensions", """%c1 = arith.constant 1 : i64
%c20 = arith.constant 20 : i64
%c120 = arith.constant 120 : i64
%a = arith.constant 3 : i32
%b = arith.constant 6 : i32
%c = arith.constant 20 : i32
%i1 = arith.constant 1 : i32
%i2 = arith.constant 2 : i32
%i3 = arith.constant 3 : i32
%zero = arith.constant 0 : i32
%d = tt.make_tensor_descriptor %y_ptr, [%a, %b, %c], [%c120, %c20, %c1] : <f32>, <tensor<1x4x32xf32>>
%n4 = arith.constant 4 : i32
%n32 = arith.constant 32 : i32
%s32 = arith.constant 32 : i64
%s128 = arith.constant 128 : i64
%e = tt.make_tensor_descriptor %o0_ptr, [%a, %n4, %n32], [%s128, %s32, %c1] : <f32>, <tensor<1x4x32xf32>>
scf.for %i = %zero to %a step %i1  : i32 {
  %j = arith.addi %i, %i1 : i32
  %v = tt.descriptor_load %d[%j, %i3, %i2] : !tt.tensordesc<tensor<1x4x32xf32>> -> tensor<4x32xf32>
  %w = arith.addf %v, %v : tensor<4x32xf32>
  tt.descriptor_store %e[%i, %zero, %zero], %w : !tt.tensordesc<tensor<1x4x32xf32>>, tensor<4x32xf32>
}""", {"y": y}, [shifted], pointers=True)
    rows = np.array([3, 0, 19, 7, 7, 1, 15, 2], i32)
    text = """%c1 = arith.constant 1 : i64
%c32 = arith.constant 32 : i64
%c20 = arith.constant 20 : i32
%cols = arith.constant 32 : i32
%c8 = arith.constant 8 : i32
%c0 = arith.constant 0 : i32
%range = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
%is = tt.splat %i_ptr : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
%ip = tt.addptr %is, %range : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
%i = tt.load %ip : tensor<8x!tt.ptr<i32>>
%d = tt.make_tensor_descriptor %x_ptr, [%c20, %cols], [%c32, %c1] : !tt.ptr<f32>, !tt.tensordesc<tensor<1x16xf32>>
%v = tt.descriptor_gather %d[%i, %c8] : (!tt.tensordesc<tensor<1x16xf32>>, tensor<8xi32>, i32) -> tensor<8x16xf32>
%c16 = arith.constant 16 : i64
%n8 = arith.constant 8 : i32
%n16 = arith.constant 16 : i32
%e = tt.make_tensor_descriptor %o0_ptr, [%n8, %n16], [%c16, %c1] : !tt.ptr<f32>, !tt.tensordesc<tensor<8x16xf32>>
tt.descriptor_store %e[%c0, %c0], %v : !tt.tensordesc<tensor<8x16xf32>>, tensor<8x16xf32>"""
    yield Probe("descriptor gather", text, {"x": x, "i": rows}, [x[rows, 8:24].copy()], pointers=True)


def pointer_lines(element, n):
    return f"""%range = tt.make_range {{start = 0 : i32, end = {n} : i32}} : tensor<{n}xi32>
%os = tt.splat %o0_ptr : !tt.ptr<{element}> -> tensor<{n}x!tt.ptr<{element}>>
%op = tt.addptr %os, %range : tensor<{n}x!tt.ptr<{element}>>, tensor<{n}xi32>
%xs = tt.splat %x_ptr : !tt.ptr<{element}> -> tensor<{n}x!tt.ptr<{element}>>
%xp = tt.addptr %xs, %range : tensor<{n}x!tt.ptr<{element}>>, tensor<{n}xi32>
%x = tt.load %xp : tensor<{n}x!tt.ptr<{element}>>
"""


def atomics():
    n = 32
    x, a = floats(n), ints(n, low=-1000, high=1000)
    P = f"tensor<{n}x!tt.ptr<f32>>"
    zero = np.zeros(n, i32)
    m = bits(n)
    for op, values, result in (("fadd", x, x + x), ("add", a, a + a), ("max", a, np.maximum(a, 0)), ("min", a, np.minimum(a, 0)), ("umax", a, a), ("umin", a, zero),
                               ("or", a, a), ("xor", a, zero), ("and", a, zero), ("exch", a, a), ("fadd", floats(n, dtype=f16), None)):
        element = {"f": {4: "f32", 2: "f16"}, "i": {4: "i32"}}[values.dtype.kind][values.dtype.itemsize]
        if result is None:
            result = values + values
        P = f"tensor<{n}x!tt.ptr<{element}>>"
        V = f"tensor<{n}x{element}>"
        once = f"%u1 = tt.atomic_rmw {op}, acq_rel, gpu, %op, %x : ({P}, {V}) -> {V}\n"
        yield Probe(f"atomic {op} {element}", pointer_lines(element, n) + once + once.replace("%u1", "%u2"), {"x": values}, [result], pointers=True)
    for op, first, second in (("add", zero, a), ("exch", zero, a), ("max", zero, np.maximum(a, 0)), ("fadd", np.zeros(n, f32), x)):
        values = x if op == "fadd" else a
        element = "f32" if op == "fadd" else "i32"
        P, V = f"tensor<{n}x!tt.ptr<{element}>>", f"tensor<{n}x{element}>"
        add = "addf" if op == "fadd" else "addi"
        text = pointer_lines(element, n) + f"""%u1 = tt.atomic_rmw {op}, relaxed, gpu, %op, %x : ({P}, {V}) -> {V}
%u2 = tt.atomic_rmw {op}, relaxed, gpu, %op, %x : ({P}, {V}) -> {V}
%qs = tt.splat %o1_ptr : !tt.ptr<{element}> -> {P}
%qp = tt.addptr %qs, %range : {P}, tensor<{n}xi32>
%both = arith.{add} %u1, %u2 : {V}
tt.store %qp, %both : {P}"""
        final = {"add": a + a, "exch": a, "max": np.maximum(a, 0), "fadd": x + x}[op]
        yield Probe(f"atomic {op} with its result", text, {"x": values}, [final, first + second], pointers=True)
    for op, array in (("umax", a), ("umin", a), ("or", a), ("and", a), ("xor", a), ("min", ints(n, low=-1000, high=1000, dtype=i64)),
                      ("add", ints(n, low=-2**40, high=2**40, dtype=i64)), ("fadd", floats(n, dtype=f16)), ("exch", floats(n))):
        element = kind(array)
        P, V, m20 = f"tensor<{n}x!tt.ptr<{element}>>", f"tensor<{n}x{element}>", np.arange(n) < 20
        before = np.zeros_like(array)
        steps = {"umax": lambda p, v: np.maximum(p.view("u4"), v.view("u4")).view(i32), "umin": lambda p, v: np.minimum(p.view("u4"), v.view("u4")).view(i32),
                 "or": np.bitwise_or, "and": np.bitwise_and, "xor": np.bitwise_xor, "min": np.minimum, "add": np.add, "fadd": np.add, "exch": lambda p, v: v}
        after = np.where(m20, steps[op](before, array), before).astype(array.dtype)
        text = pointer_lines(element, n) + f"""%limit = arith.constant dense<20> : tensor<{n}xi32>
%m = arith.cmpi slt, %range, %limit : tensor<{n}xi32>
%u1 = tt.atomic_rmw {op}, acq_rel, gpu, %op, %x, %m : ({P}, {V}, tensor<{n}xi1>) -> {V}
%u2 = tt.atomic_rmw {op}, acq_rel, gpu, %op, %x, %m : ({P}, {V}, tensor<{n}xi1>) -> {V}
%qs = tt.splat %o1_ptr : !tt.ptr<{element}> -> {P}
%qp = tt.addptr %qs, %range : {P}, tensor<{n}xi32>
tt.store %qp, %u2, %m : {P}"""
        final = np.where(m20, steps[op](after, array), before).astype(array.dtype)
        yield Probe(f"masked atomic {op} {element} with its result", text, {"x": array}, [final, np.where(m20, after, before).astype(array.dtype)], pointers=True)
    x3 = ints(n, low=0, high=3)
    yield Probe("atomic cas of a tile", pointer_lines("i32", n) + f"""%zero = arith.constant dense<0> : tensor<{n}xi32>
%u0 = tt.atomic_cas acq_rel, gpu, %op, %zero, %x : (tensor<{n}x!tt.ptr<i32>>, tensor<{n}xi32>, tensor<{n}xi32>) -> tensor<{n}xi32>
%seven = arith.constant dense<7> : tensor<{n}xi32>
%one = arith.constant dense<1> : tensor<{n}xi32>
%u1 = tt.atomic_cas acq_rel, gpu, %op, %one, %seven : (tensor<{n}x!tt.ptr<i32>>, tensor<{n}xi32>, tensor<{n}xi32>) -> tensor<{n}xi32>
%qs = tt.splat %o1_ptr : !tt.ptr<i32> -> tensor<{n}x!tt.ptr<i32>>
%qp = tt.addptr %qs, %range : tensor<{n}x!tt.ptr<i32>>, tensor<{n}xi32>
tt.store %qp, %u1 : tensor<{n}x!tt.ptr<i32>>""", {"x": x3}, [np.where(x3 == 1, 7, x3).astype(i32), x3], pointers=True)
    yield Probe("atomic add with its result to one place by a tile", f"""%pid = tt.get_program_id x : i32
%range = tt.make_range {{start = 0 : i32, end = 16 : i32}} : tensor<16xi32>
%ps = tt.splat %o0_ptr : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
%one = arith.constant dense<1> : tensor<16xi32>
%old = tt.atomic_rmw add, relaxed, gpu, %ps, %one : (tensor<16x!tt.ptr<i32>>, tensor<16xi32>) -> tensor<16xi32>
%qs = tt.splat %o1_ptr : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
%qp = tt.addptr %qs, %old : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
tt.store %qp, %one : tensor<16x!tt.ptr<i32>>""", {}, [np.full(1, 160, i32), np.ones(160, i32)], grid=(10, 1, 1), pointers=True)
    yield Probe("data behind a flag", """%pid = tt.get_program_id x : i32
%zero = arith.constant 0 : i32
%one = arith.constant 1 : i32
%true = arith.constant true
%range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
%os = tt.splat %o0_ptr : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
%op = tt.addptr %os, %range : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
%first = arith.cmpi eq, %pid, %zero : i32
scf.if %first {
  tt.store %op, %range : tensor<64x!tt.ptr<i32>>
  %set = tt.atomic_rmw exch, release, gpu, %o1_ptr, %one, %true : (!tt.ptr<i32>, i32, i1) -> i32
} else {
  scf.while : () -> () {
    %seen = tt.load %o1_ptr {isVolatile = true} : !tt.ptr<i32>
    %wait = arith.cmpi eq, %seen, %zero : i32
    scf.condition(%wait)
  } do {
    scf.yield
  }
  %v = tt.load %op : tensor<64x!tt.ptr<i32>>
  %w = arith.addi %v, %range : tensor<64xi32>
  %qs = tt.splat %o2_ptr : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %qp = tt.addptr %qs, %range : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %qp, %w : tensor<64x!tt.ptr<i32>>
}""", {}, [np.arange(64, dtype=i32), np.ones(1, i32), 2 * np.arange(64, dtype=i32)], grid=(2, 1, 1), pointers=True)
    yield Probe("atomic add to one place", """%pid = tt.get_program_id x : i32
%true = arith.constant true
%old = tt.atomic_rmw add, acq_rel, gpu, %o0_ptr, %pid, %true : (!tt.ptr<i32>, i32, i1) -> i32""", {}, [np.full(1, sum(range(50)), i32)], grid=(50, 1, 1), pointers=True)
    yield Probe("atomic tickets", """%one = arith.constant 1 : i32
%true = arith.constant true
%old = tt.atomic_rmw add, acq_rel, gpu, %o0_ptr, %one, %true : (!tt.ptr<i32>, i32, i1) -> i32
%p = tt.addptr %o1_ptr, %old : !tt.ptr<i32>, i32
tt.store %p, %one : !tt.ptr<i32>""", {}, [np.full(1, 60, i32), np.ones(60, i32)], grid=(60, 1, 1), pointers=True)
    yield Probe("lock of cas and exch", """%zero = arith.constant 0 : i32
%one = arith.constant 1 : i32
scf.while : () -> () {
  %seen = tt.atomic_cas acq_rel, gpu, %o0_ptr, %zero, %one : (!tt.ptr<i32>, i32, i32) -> i32
  %busy = arith.cmpi eq, %seen, %one : i32
  scf.condition(%busy)
} do {
  scf.yield
}
%v = tt.load %o1_ptr : !tt.ptr<i32>
%w = arith.addi %v, %one : i32
tt.store %o1_ptr, %w : !tt.ptr<i32>
%true = arith.constant true
%gone = tt.atomic_rmw exch, acq_rel, gpu, %o0_ptr, %zero, %true : (!tt.ptr<i32>, i32, i1) -> i32""", {}, [np.zeros(1, i32), np.full(1, 30, i32)], grid=(30, 1, 1), pointers=True)
    yield Probe("atomic add with a mask", pointer_lines("f32", n) + f"""%half = arith.constant dense<20> : tensor<{n}xi32>
%m = arith.cmpi slt, %range, %half : tensor<{n}xi32>
%u = tt.atomic_rmw fadd, acq_rel, gpu, %op, %x, %m : (tensor<{n}x!tt.ptr<f32>>, tensor<{n}xf32>, tensor<{n}xi1>) -> tensor<{n}xf32>""", {"x": x},
                [np.where(np.arange(n) < 20, x, f32(0))], pointers=True)
    idx = ints(n, low=0, high=7)
    counts = np.zeros(n, f32)
    np.add.at(counts, idx, np.ones(n, f32))
    yield Probe("atomic scatter add", f"""%range = tt.make_range {{start = 0 : i32, end = {n} : i32}} : tensor<{n}xi32>
%xs = tt.splat %x_ptr : !tt.ptr<i32> -> tensor<{n}x!tt.ptr<i32>>
%xp = tt.addptr %xs, %range : tensor<{n}x!tt.ptr<i32>>, tensor<{n}xi32>
%i = tt.load %xp : tensor<{n}x!tt.ptr<i32>>
%os = tt.splat %o0_ptr : !tt.ptr<f32> -> tensor<{n}x!tt.ptr<f32>>
%op = tt.addptr %os, %i : tensor<{n}x!tt.ptr<f32>>, tensor<{n}xi32>
%one = arith.constant dense<1.0> : tensor<{n}xf32>
%u = tt.atomic_rmw fadd, acq_rel, gpu, %op, %one : (tensor<{n}x!tt.ptr<f32>>, tensor<{n}xf32>) -> tensor<{n}xf32>""", {"x": idx}, [counts], pointers=True)


def scalar_memory():
    for element, values in (("f16", floats(8, dtype=f16)), ("i8", ints(8, dtype=np.int8)), ("i16", ints(8, dtype=np.int16)), ("i64", ints(8, dtype=i64))):
        add = "addf" if element == "f16" else "addi"
        yield Probe(f"scalar load and store {element}", f"""%c3 = arith.constant 3 : i32
%p = tt.addptr %x_ptr, %c3 : !tt.ptr<{element}>, i32
%v = tt.load %p : !tt.ptr<{element}>
%w = arith.{add} %v, %v : {element}
tt.store %o0_ptr, %w : !tt.ptr<{element}>""", {"x": values}, [np.array([values[3] + values[3]])], pointers=True)


def wrapped():
    """Indices modulo something, in tiles whose rows are not contiguous."""
    x = floats(2000)
    ranges = """%i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
%j = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
"""
    def index(name, size, start, modulus):
        return f"""%{name}s = arith.constant dense<{start}> : tensor<{size}xi32>
%{name}m = arith.constant dense<{modulus}> : tensor<{size}xi32>
%{name}a = arith.addi %{name}, %{name}s : tensor<{size}xi32>
%{name}w = arith.remsi %{name}a, %{name}m : tensor<{size}xi32>
"""
    def tile(rows, columns, row_stride, column_stride):
        lines = ""
        for name, axis, shape, stride in ((rows, 1, "16x1", row_stride), (columns, 0, "1x32", column_stride)):
            size = 32 if name[0] == "j" else 16
            lines += f"""%{name}e = tt.expand_dims %{name} {{axis = {axis} : i32}} : tensor<{size}xi32> -> tensor<{shape}xi32>
%{name}c = tt.splat {stride} : i32 -> tensor<{shape}xi32>
%{name}p = arith.muli %{name}e, %{name}c : tensor<{shape}xi32>
%{name}b = tt.broadcast %{name}p : tensor<{shape}xi32> -> tensor<16x32xi32>
"""
        return lines + f"""%at = arith.addi %{rows}b, %{columns}b : tensor<16x32xi32>
%ps = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
%p = tt.addptr %ps, %at : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
%r = tt.load %p : tensor<16x32x!tt.ptr<f32>>
"""
    i, j = np.arange(16)[:, None], np.arange(32)[None, :]
    one = "%one = arith.constant 1 : i32\n"
    yield Probe("columns that wrap around, rows across", ranges + one + index("j", 32, 5, 23) + tile("i", "jw", "%one", "%s") + store("r"), {"x": x},
                [x[i + (j + 5) % 23 * 40]], scalars={"s": ("i32", 40)}, pointers=True)
    yield Probe("rows that wrap around, rows across", ranges + one + index("i", 16, 3, 9) + tile("iw", "j", "%one", "%s") + store("r"), {"x": x},
                [x[(i + 3) % 9 + j * 40]], scalars={"s": ("i32", 40)}, pointers=True)
    for stride in (3, 1):
        yield Probe(f"columns that wrap around with stride {stride} of the launch", ranges + index("j", 32, 5, 23) + tile("i", "jw", "%t", "%s") + store("r"),
                    {"x": x}, [x[i * 100 + (j + 5) % 23 * stride]], scalars={"s": ("i32", stride), "t": ("i32", 100)}, pointers=True)


def store(name):
    """Of a tile of 16 x 32, from the ranges %i and %j."""
    return f"""%oi = tt.expand_dims %i {{axis = 1 : i32}} : tensor<16xi32> -> tensor<16x1xi32>
%ow = arith.constant dense<32> : tensor<16x1xi32>
%om = arith.muli %oi, %ow : tensor<16x1xi32>
%ob = tt.broadcast %om : tensor<16x1xi32> -> tensor<16x32xi32>
%oj = tt.expand_dims %j {{axis = 0 : i32}} : tensor<32xi32> -> tensor<1x32xi32>
%oc = tt.broadcast %oj : tensor<1x32xi32> -> tensor<16x32xi32>
%oa = arith.addi %ob, %oc : tensor<16x32xi32>
%os = tt.splat %o0_ptr : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
%op = tt.addptr %os, %oa : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
tt.store %op, %{name} : tensor<16x32x!tt.ptr<f32>>"""
