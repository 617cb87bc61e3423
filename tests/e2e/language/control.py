"""Functions, loops and branches, with scalars, tensors and pointers."""

import numpy as np

from tests.e2e.language.builder import Probe
from tests.e2e.language.inputs import f16, f32, floats, i32, i64, ints, type_of


def probes():
    x = floats(64)
    T = type_of(x)
    helper = f"""  tt.func private @twice(%v: {T}, %s: f32) -> {T} attributes {{noinline = true}} {{
    %t = tt.splat %s : f32 -> {T}
    %w = arith.mulf %v, %t : {T}
    tt.return %w : {T}
  }}
"""
    yield Probe("call noinline", f"%s = arith.constant 2.0 : f32\n%r = tt.call @twice(%x, %s) : ({T}, f32) -> {T}", {"x": x}, [x * f32(2)], helpers=helper)
    early = """  tt.func private @choose(%v: i32) -> i32 {
    %c5 = arith.constant 5 : i32
    %c = arith.cmpi sgt, %v, %c5 : i32
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    %a = arith.muli %v, %c5 : i32
    tt.return %a : i32
  ^bb2:
    %b = arith.addi %v, %c5 : i32
    tt.return %b : i32
  }
"""
    for value, result in ((7, 35), (2, 7)):
        yield Probe(f"early return in a helper {value}", "%q = tt.call @choose(%n) : (i32) -> i32\n%r = tt.splat %q : i32 -> tensor<16xi32>", {}, [np.full(16, result, i32)],
                    scalars={"n": ("i32", value)}, helpers=early)
    yield Probe("for carries a tensor and a scalar", f"""%c0 = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%f0 = arith.constant 0.0 : f32
%half = arith.constant 0.5 : f32
%q:2 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x, %s = %f0) -> ({T}, f32) : i32 {{
  %v = tt.splat %s : f32 -> {T}
  %t2 = arith.addf %t, %v : {T}
  %s2 = arith.addf %s, %half : f32
  scf.yield %t2, %s2 : {T}, f32
}}
%w = tt.splat %q#1 : f32 -> {T}
%r = arith.mulf %q#0, %w : {T}""", {"x": x}, [((x + f32(0.5) * sum(range(5))) * f32(2.5))], scalars={"n": ("i32", 5)}, relative=1e-6)
    # What an inner loop makes of a carried value outlives the value that takes its place.
    y = floats(64)
    a, b = x, y
    for _ in range(2):
        a, b = b * b, 4 * a
    yield Probe("for exchanges what a loop and arithmetic make", f"""%c0 = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%c2 = arith.constant 2 : i32
%q:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x, %b = %y) -> ({T}, {T}) : i32 {{
  %l = scf.for %j = %c0 to %c2 step %c1 iter_args(%c = %a) -> ({T}) : i32 {{
    %d = arith.addf %c, %c : {T}
    scf.yield %d : {T}
  }}
  %e = arith.mulf %b, %b : {T}
  scf.yield %e, %l : {T}, {T}
}}
%r = arith.addf %q#0, %q#1 : {T}""", {"x": x, "y": y}, [a + b], relative=1e-6)
    yield Probe("while of gcd", """%q:2 = scf.while (%a = %n, %b = %m) : (i32, i32) -> (i32, i32) {
  %z = arith.constant 0 : i32
  %go = arith.cmpi ne, %b, %z : i32
  scf.condition(%go) %a, %b : i32, i32
} do {
^bb0(%a: i32, %b: i32):
  %t = arith.remsi %a, %b : i32
  scf.yield %b, %t : i32, i32
}
%r = tt.splat %q#0 : i32 -> tensor<16xi32>""", {}, [np.full(16, 12, i32)], scalars={"n": ("i32", 84), "m": ("i32", 36)})
    yield Probe("while with a tensor", f"""%c0 = arith.constant 0.0 : f32
%q:2 = scf.while (%t = %x, %k = %n) : ({T}, i32) -> ({T}, i32) {{
  %z = arith.constant 0 : i32
  %go = arith.cmpi sgt, %k, %z : i32
  scf.condition(%go) %t, %k : {T}, i32
}} do {{
^bb0(%t: {T}, %k: i32):
  %t2 = arith.addf %t, %x : {T}
  %one = arith.constant 1 : i32
  %k2 = arith.subi %k, %one : i32
  scf.yield %t2, %k2 : {T}, i32
}}
%r = arith.addf %q#0, %x : {T}""", {"x": x}, [x * f32(6)], scalars={"n": ("i32", 4)}, relative=1e-6)
    yield Probe("nested if with results", f"""%c3 = arith.constant 3 : i32
%c9 = arith.constant 9 : i32
%a = arith.cmpi sgt, %n, %c3 : i32
%b = arith.cmpi sgt, %n, %c9 : i32
%q:2 = scf.if %a -> ({T}, i32) {{
  %p = scf.if %b -> {T} {{
    %e = math.absf %x : {T}
    scf.yield %e : {T}
  }} else {{
    %e = arith.addf %x, %x : {T}
    scf.yield %e : {T}
  }}
  scf.yield %p, %c3 : {T}, i32
}} else {{
  scf.yield %x, %c9 : {T}, i32
}}
%k = arith.sitofp %q#1 : i32 to f32
%ks = tt.splat %k : f32 -> {T}
%r = arith.mulf %q#0, %ks : {T}""", {"x": x}, [(x + x) * f32(3)], scalars={"n": ("i32", 5)})
    for kind, value in (("i8", -7), ("i16", -300), ("i64", 1 << 40), ("i1", 1)):
        dtype = {"i8": np.int8, "i16": np.int16, "i64": i64, "i1": bool}[kind]
        yield Probe(f"scalar argument {kind}", f"%r = tt.splat %n : {kind} -> tensor<32x{kind}>", {}, [np.full(32, value, dtype)], scalars={"n": (kind, value)})
    yield Probe("scalar arithmetic", """%a = arith.remui %n, %m : i32
%b = arith.divui %n, %m : i32
%c = arith.ceildivsi %n, %m : i32
%d = arith.floordivsi %n, %m : i32
%e = arith.xori %a, %b : i32
%f = arith.maxui %c, %d : i32
%g = arith.shrui %n, %m : i32
%h = arith.addi %e, %f : i32
%i = arith.subi %h, %g : i32
%r = tt.splat %i : i32 -> tensor<16xi32>""", {}, [np.full(16, ((1003 % 7) ^ (1003 // 7)) + 144 - (1003 >> 7), i32)], scalars={"n": ("i32", 1003), "m": ("i32", 7)})
    yield Probe("scalar mulhiui", "%a = tt.mulhiui %n, %m : i32\n%r = tt.splat %a : i32 -> tensor<16xi32>", {}, [np.full(16, (0xF0000000 * 0x12345678) >> 32, np.uint32).view(i32)],
                scalars={"n": ("i32", 0xF0000000 - (1 << 32)), "m": ("i32", 0x12345678)})
    yield Probe("scalar select and float", """%h = arith.constant 2.5 : f32
%c = arith.cmpf ogt, %v, %h : f32
%s = arith.select %c, %v, %h : f32
%t = arith.maximumf %s, %h : f32
%u = arith.divf %t, %v : f32
%f = arith.truncf %u : f32 to f16
%g = arith.extf %f : f16 to f32
%i = arith.fptosi %t : f32 to i32
%j = arith.sitofp %i : i32 to f32
%k = arith.addf %g, %j : f32
%r = tt.splat %k : f32 -> tensor<16xf32>""", {}, [np.full(16, 4, f32)], scalars={"v": ("f32", 3.75)})
    yield Probe("scalar clampf", """%l = arith.constant -1.0 : f32
%h = arith.constant 2.0 : f32
%c = tt.clampf %v, %l, %h, propagateNan = none : f32
%r = tt.splat %c : f32 -> tensor<16xf32>""", {}, [np.full(16, 2, f32)], scalars={"v": ("f32", 3.75)})
    yield Probe("assume", """%z = arith.constant 0 : i32
%c = arith.cmpi sgt, %n, %z : i32
llvm.intr.assume %c : i1
%r = tt.splat %n : i32 -> tensor<16xi32>""", {}, [np.full(16, 9, i32)], scalars={"n": ("i32", 9)})
    yield Probe("poison", """%p = ub.poison : i32
%r = tt.splat %n : i32 -> tensor<16xi32>""", {}, [np.full(16, 9, i32)], scalars={"n": ("i32", 9)})
    yield Probe("i64 scalars", """%a = arith.extsi %n : i32 to i64
%b = arith.constant 4294967311 : i64
%c = arith.muli %a, %b : i64
%d = arith.remsi %c, %b : i64
%e = arith.addi %c, %d : i64
%r = tt.splat %e : i64 -> tensor<16xi64>""", {}, [np.full(16, 9 * 4294967311, i64)], scalars={"n": ("i32", 9)})
