"""Kernels in TTIR that apply one tensor operation after another, with what numpy says the results are."""

from dataclasses import dataclass

import numpy as np

BLOCK, SIZE = 256, 200  # a tile and its valid part: masks are always at work
f32, f16, i16, i32, u32 = np.float32, np.float16, np.int16, np.int32, np.uint32
F, H, B, I, S, M = (f"tensor<{BLOCK}x{t}>" for t in ("f32", "f16", "bf16", "i32", "i16", "i1"))


@dataclass
class Op:
    name: str
    text: str  # computes %r
    expected: np.ndarray


def inputs():
    rng = np.random.default_rng(2)
    x, y = ((rng.standard_normal(SIZE) * 3).astype(f32) for _ in range(2))
    x[5], y[7], y[11], x[9] = np.nan, np.nan, np.inf, y[9]
    a, b = (rng.integers(-50, 50, SIZE).astype(i32) for _ in range(2))
    a[3], a[4], b[4] = b[3], -(2**31), 2**31 - 1
    return {"x_ptr": x, "y_ptr": y, "a_ptr": a, "b_ptr": b}


def to_bf16(v):
    """Rounded to bf16, as f32."""
    bits = v.astype(f32).view(u32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16).astype(u32).view(f32)
    return np.where(np.isnan(v), v, rounded)


def comparisons(x, y, a, b):
    half, five = f32(0.5), np.full(SIZE, 5, i32)
    unordered = lambda p, q: np.isnan(p) | np.isnan(q)
    floats = {
        "oeq": lambda p, q: p == q, "ogt": lambda p, q: p > q, "oge": lambda p, q: p >= q, "olt": lambda p, q: p < q,
        "ole": lambda p, q: p <= q, "une": lambda p, q: p != q, "one": lambda p, q: (p < q) | (p > q),
        "ueq": lambda p, q: ~((p < q) | (p > q)), "ult": lambda p, q: ~(p >= q), "uge": lambda p, q: ~(p < q),
        "ugt": lambda p, q: ~(p <= q), "ule": lambda p, q: ~(p > q), "ord": lambda p, q: ~unordered(p, q), "uno": unordered}
    signed = {"eq": np.equal, "ne": np.not_equal, "slt": np.less, "sle": np.less_equal, "sgt": np.greater, "sge": np.greater_equal}
    unsigned = {f"u{k}": lambda p, q, fn=fn: fn(p.view(u32), q.view(u32)) for k, fn in
                {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}.items()}
    choose = f"%r = arith.select %m, %ones, %zeros : {M}, {F}"
    for p, fn in floats.items():
        for left, right, l, r in (("x", "y", x, y), ("x", "half", x, half), ("half", "x", half, x)):
            yield Op(f"cmpf {p} {left} {right}", f"%m = arith.cmpf {p}, %{left}, %{right} : {F}\n{choose}", fn(l, r).astype(f32))
    for p, fn in {**signed, **unsigned}.items():
        for left, right, l, r in (("a", "b", a, b), ("a", "five", a, five), ("five", "a", five, a)):
            yield Op(f"cmpi {p} {left} {right}", f"%m = arith.cmpi {p}, %{left}, %{right} : {I}\n{choose}", fn(l, r).astype(f32))
    for p, fn in signed.items():
        yield Op(f"cmpi {p} i16", f"%p = arith.trunci %a : {I} to {S}\n%q = arith.trunci %b : {I} to {S}\n"
                 f"%m = arith.cmpi {p}, %p, %q : {S}\n{choose}", fn(a.astype(i16), b.astype(i16)).astype(f32))


def arithmetic(x, y, a, b):
    half = f32(0.5)
    pairs = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide, "maxnumf": np.fmax,
             "minnumf": np.fmin, "maximumf": np.maximum, "minimumf": np.minimum}
    for op, fn in pairs.items():
        for left, right, l, r in (("x", "y", x, y), ("x", "half", x, half), ("half", "x", half, x)):
            yield Op(f"{op} {left} {right}", f"%r = arith.{op} %{left}, %{right} : {F}", fn(l, r))
    yield Op("rec", f"%r = arith.divf %ones, %x : {F}", f32(1) / x)
    yield Op("negf", f"%r = arith.negf %x : {F}", -x)
    wide = np.abs(x).astype(np.float64)
    unary = {"exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "sqrt": np.sqrt, "rsqrt": lambda v: 1 / np.sqrt(v)}
    for op, fn in unary.items():
        yield Op(op, f"%p = math.absf %x : {F}\n%r = math.{op} %p : {F}", fn(wide).astype(f32))
    yield Op("fma", f"%r = math.fma %x, %y, %half : {F}", x * y + half)
    yield Op("f16", f"%p = arith.truncf %x : {F} to {H}\n%q = arith.truncf %y : {F} to {H}\n%s = arith.mulf %p, %q : {H}\n"
             f"%r = arith.extf %s : {H} to {F}", (x.astype(f16) * y.astype(f16)).astype(f32))
    yield Op("bf16", f"%p = arith.truncf %x : {F} to {B}\n%q = arith.truncf %y : {F} to {B}\n%s = arith.addf %p, %q : {B}\n"
             f"%r = arith.extf %s : {B} to {F}", to_bf16(to_bf16(x) + to_bf16(y)))
    yield Op("sitofp", f"%r = arith.sitofp %a : {I} to {F}", a.astype(f32))
    choose = f"%m = arith.cmpf ogt, %x, %y : {F}\n"
    yield Op("select", choose + f"%r = arith.select %m, %x, %y : {M}, {F}", np.where(x > y, x, y))
    yield Op("select scalar", choose + f"%r = arith.select %m, %half, %y : {M}, {F}", np.where(x > y, half, y))
    yield Op("select all", f"%r = arith.select %true, %x, %y : {F}", x)
    masks = (f"%m = arith.cmpf ogt, %x, %half : {F}\n%k = arith.cmpf olt, %y, %half : {F}\n%p = arith.andi %m, %k : {M}\n"
             f"%q = arith.xori %p, %k : {M}\n%w = arith.ori %q, %m : {M}\n%r = arith.select %w, %ones, %zeros : {M}, {F}")
    yield Op("masks", masks, ((((x > half) & (y < half)) ^ (y < half)) | (x > half)).astype(f32))


def integers(x, y, a, b):
    five, pairs = np.full(SIZE, 5, i32), {
        "addi": np.add, "subi": np.subtract, "muli": np.multiply, "andi": np.bitwise_and, "ori": np.bitwise_or,
        "xori": np.bitwise_xor, "maxsi": np.maximum, "minsi": np.minimum}
    for op, fn in pairs.items():
        for left, right, l, r in (("a", "b", a, b), ("a", "five", a, five), ("five", "a", five, a)):
            yield Op(f"{op} {left} {right}", f"%r = arith.{op} %{left}, %{right} : {I}", fn(l, r))
    yield Op("not", f"%r = arith.xori %a, %minus : {I}", ~a)
    yield Op("shli", f"%r = arith.shli %a, %five : {I}", a << 5)
    yield Op("shrsi", f"%r = arith.shrsi %a, %five : {I}", a >> 5)
    yield Op("shrui", f"%r = arith.shrui %a, %five : {I}", (a.view(u32) >> 5).view(i32))
    yield Op("extsi", f"%p = arith.trunci %a : {I} to {S}\n%r = arith.extsi %p : {S} to {I}", a.astype(i16).astype(i32))
    yield Op("extui", f"%m = arith.cmpf ogt, %x, %y : {F}\n%r = arith.extui %m : {M} to {I}", (x > y).astype(i32))
    yield Op("fptosi", f"%p = arith.sitofp %a : {I} to {F}\n%q = arith.mulf %p, %half : {F}\n%r = arith.fptosi %q : {F} to {I}",
             (a.astype(f32) * f32(0.5)).astype(np.int64).clip(-(2**31), 2**31 - 1).astype(i32))
    yield Op("range", f"%p = tt.make_range {{start = 3 : i32, end = {BLOCK + 3} : i32}} : {I}\n%r = arith.addi %p, %a : {I}",
             (np.arange(SIZE) + 3 + a).astype(i32))


def control(x, y, a, b):
    """Tensors carried by loops and branches, in place and not."""
    t = x
    for i in range(4):
        t = (t + f32(i)) * t
    yield Op("for", f"""%q = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %x) -> {F} : i32 {{
  %s = arith.sitofp %i : i32 to f32
  %v = tt.splat %s : f32 -> {F}
  %t2 = arith.addf %t, %v : {F}
  %t3 = arith.mulf %t2, %t : {F}
  scf.yield %t3 : {F}
}}
%r = arith.addf %q, %x : {F}""", t + x)
    t, v = x, y
    for _ in range(4):
        t, v = v, t + v
    yield Op("for, places change", f"""%q:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %x, %v = %y) -> ({F}, {F}) : i32 {{
  %t2 = arith.addf %t, %v : {F}
  scf.yield %v, %t2 : {F}, {F}
}}
%r = arith.subf %q#0, %q#1 : {F}""", t - v)
    for condition, chosen in (("true", np.abs(x)), ("false", y)):
        yield Op(f"if {condition}", f"""%q = scf.if %{condition} -> {F} {{
  %e = math.absf %x : {F}
  scf.yield %e : {F}
}} else {{
  scf.yield %y : {F}
}}
%r = arith.mulf %q, %y : {F}""", chosen * y)
    yield Op("while", f"""%q:2 = scf.while (%i = %c0, %t = %x) : (i32, {F}) -> (i32, {F}) {{
  %go = arith.cmpi slt, %i, %c4 : i32
  scf.condition(%go) %i, %t : i32, {F}
}} do {{
^bb0(%i: i32, %t: {F}):
  %j = arith.addi %i, %c1 : i32
  %t2 = arith.addf %t, %y : {F}
  scf.yield %j, %t2 : i32, {F}
}}
%r = arith.addf %q#1, %half : {F}""", x + y + y + y + y + f32(0.5))
    clean = np.where(np.isnan(x), f32(2), x)
    for op, fn in {"addf": np.sum, "maxnumf": np.max, "minnumf": np.min}.items():
        neutral = {"addf": "0.0", "maxnumf": "-1.0e30", "minnumf": "1.0e30"}[op]
        yield Op(f"reduce {op}", f"""%k = arith.cmpf ord, %x, %x : {F}
%two = arith.constant dense<2.0> : {F}
%p = arith.select %k, %x, %two : {M}, {F}
%n0 = arith.constant dense<{neutral}> : {F}
%p2 = arith.select %inside, %p, %n0 : {M}, {F}
%s = "tt.reduce"(%p2) <{{axis = 0 : i32}}> ({{
^bb0(%l: f32, %u: f32):
  %w = arith.{op} %l, %u : f32
  tt.reduce.return %w : f32
}}) : ({F}) -> f32
%r = tt.splat %s : f32 -> {F}""", np.full(SIZE, fn(clean.astype(np.float64))).astype(f32))
    start = np.float64(x[0])
    yield Op("scalar functions", f"""%v = tt.load %x_ptr : !tt.ptr<f32>
%e = math.exp %v : f32
%l = math.log %e : f32
%q = math.rsqrt %e : f32
%w = arith.addf %l, %q : f32
%r = tt.splat %w : f32 -> {F}""", np.full(SIZE, start + 1 / np.sqrt(np.exp(start))).astype(f32))


PROLOGUE = f"""  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %true = arith.cmpi sgt, %n, %c4 : i32
  %false = arith.cmpi slt, %n, %c4 : i32
  %ones = arith.constant dense<1.0> : {F}
  %zeros = arith.constant dense<0.0> : {F}
  %half = arith.constant dense<0.5> : {F}
  %izeros = arith.constant dense<0> : {I}
  %five = arith.constant dense<5> : {I}
  %minus = arith.constant dense<-1> : {I}
  %offsets = tt.make_range {{start = 0 : i32, end = {BLOCK} : i32}} : {I}
  %ns = tt.splat %n : i32 -> {I}
  %inside = arith.cmpi slt, %offsets, %ns : {I}
"""


def pointers(name, pointer, element):
    vector = f"tensor<{BLOCK}x!tt.ptr<{element}>>"
    return (f"  %{name}_s = tt.splat %{pointer} : !tt.ptr<{element}> -> {vector}\n"
            f"  %{name}_p = tt.addptr %{name}_s, %offsets : {vector}, {I}\n", vector)


def kernel(name, ops, element):
    """The module's text; result i of the kernel is at elements [i * SIZE, (i + 1) * SIZE) of the output."""
    text = [f"tt.func public @{name}(%x_ptr: !tt.ptr<f32>, %y_ptr: !tt.ptr<f32>, %a_ptr: !tt.ptr<i32>, %b_ptr: !tt.ptr<i32>, "
            f"%o_ptr: !tt.ptr<{element}>, %n: i32) {{\n", PROLOGUE]
    for value, kind, other in (("x", "f32", "%ones"), ("y", "f32", "%ones"), ("a", "i32", "%izeros"), ("b", "i32", "%izeros")):
        lines, vector = pointers(value, f"{value}_ptr", kind)
        text.append(lines + f"  %{value} = tt.load %{value}_p, %inside, {other} : {vector}\n")
    for i, op in enumerate(ops):  # a region each, so that names can be used again
        body = "".join(f"    {line}\n" for line in op.text.splitlines())
        lines, vector = pointers("o", "place", element)
        text.append(f"  scf.if %true {{ // {op.name}\n{body}    %shift = arith.constant {i * SIZE} : i32\n"
                    f"    %place = tt.addptr %o_ptr, %shift : !tt.ptr<{element}>, i32\n{lines}"
                    f"    tt.store %o_p, %r, %inside : {vector}\n  }}\n")
    return "".join(text) + "  tt.return\n}\n"


GROUPS = {"comparisons": (comparisons, "f32"), "arithmetic": (arithmetic, "f32"), "integers": (integers, "i32"),
          "control": (control, "f32")}


def suite(group):
    """The group's operations and the element type of their results."""
    operations, element = GROUPS[group]
    with np.errstate(all="ignore"):
        return list(operations(*inputs().values())), element
