"""Reductions and scans: any region, several operands, every axis."""

import numpy as np

from tests.e2e.language.builder import Probe
from tests.e2e.language.inputs import bits, f16, f32, floats, i8, i16, i32, i64, ints, kind, type_of


def combine(lines, element):
    """The region of two elements; `lines` computes %w."""
    return f"({{\n^bb0(%l: {element}, %u: {element}):\n{lines}\ntt.{{op}}.return %w : {element}\n}})"


def reduce(x, axis, lines):
    """Text of the reduction of %x."""
    element, result = kind(x), type_of(x.sum(axis=axis).astype(x.dtype)) if x.ndim > 1 else kind(x)
    region = combine(lines, element).replace("{op}", "reduce")
    return f'"tt.reduce"(%x) <{{axis = {axis} : i32}}> {region} : ({type_of(x)}) -> {result}', result


def scalar_out(text, element):
    return f"%s = {text}\n%r = tt.splat %s : {element} -> tensor<16x{element}>"


def probes():
    yield from single()
    yield from scans()
    yield from with_index()
    yield from pairs()


def reduction(name, x, axis, op, expected, **more):
    text, result = reduce(x, axis, f"%w = arith.{op} %l, %u : {kind(x)}")
    if x.ndim == 1:
        return Probe(name, scalar_out(text, result), {"x": x}, [np.full(16, expected, x.dtype)], **more)
    return Probe(name, f"%r = {text}", {"x": x}, [expected.astype(x.dtype)], **more)


def single():
    floating = {"addf": np.sum, "maxnumf": np.fmax.reduce, "minnumf": np.fmin.reduce, "maximumf": np.maximum.reduce, "minimumf": np.minimum.reduce,
                "mulf": np.prod}
    for op, fn in floating.items():
        for shape, axis in (((200,), 0), ((256,), 0), ((16, 48), 0), ((16, 48), 1), ((9, 130), 1), ((5, 7), 0)):
            x = floats(*shape, scale=0.2 if op == "mulf" else 1.0)
            if op == "mulf":
                x = (x + f32(1)).astype(f32)
            yield reduction(f"reduce {op} {shape} axis {axis}", x, axis, op, fn(x.astype(np.float64), axis=axis), relative=2e-5, absolute=1e-5)
    x = floats(4, 40)
    x[1, 3], x[2, 0], x[2, 5] = np.nan, np.nan, np.inf
    yield reduction("reduce maximumf nan", x, 1, "maximumf", np.maximum.reduce(x, axis=1))
    yield reduction("reduce maxnumf nan", x, 1, "maxnumf", np.fmax.reduce(x, axis=1))
    integer = {"addi": np.add, "maxsi": np.maximum, "minsi": np.minimum, "andi": np.bitwise_and, "ori": np.bitwise_or, "xori": np.bitwise_xor, "muli": np.multiply}
    for op, fn in integer.items():
        for dtype in (i32, i16, i8, i64) if op == "addi" else (i32, i16, i8, i64) if op == "maxsi" else (i32,):
            for shape, axis in (((100,), 0), ((256,), 0), ((8, 40), 1), ((4, 64), 1), ((6, 20), 0), ((64, 6), 0)):
                a = ints(*shape, dtype=dtype)
                with np.errstate(all="ignore"):
                    yield reduction(f"reduce {op} {kind(a)} {shape} axis {axis}", a, axis, op, fn.reduce(a, axis=axis, dtype=dtype))
    u = ints(6, 30)
    for op, fn in {"maxui": np.maximum, "minui": np.minimum}.items():
        yield reduction(f"reduce {op}", u, 1, op, fn.reduce(u.view(np.uint32), axis=1).view(i32))
    for shape, axis in (((5, 33), 1), ((4, 512), 1), ((512, 4), 0)):
        m = bits(*shape)
        m[2] = True
        m[3] = False
        yield reduction(f"reduce andi i1 {shape}", m, axis, "andi", m.all(axis=axis))
        yield reduction(f"reduce ori i1 {shape}", m, axis, "ori", m.any(axis=axis))
    for axis in (0, 1):
        h = floats(32, 64, dtype=f16)
        yield reduction(f"reduce minimumf f16 axis {axis}", h, axis, "minimumf", h.min(axis=axis))
    h = floats(6, 50, dtype=f16, scale=0.5)
    yield reduction("reduce addf f16", h, 1, "addf", h.astype(np.float64).sum(axis=1), relative=4e-3, absolute=4e-3)
    for axis in (0, 1, 2):
        z = floats(4, 6, 20)
        yield reduction(f"reduce three dimensions axis {axis}", z, axis, "addf", z.astype(np.float64).sum(axis=axis), relative=1e-5, absolute=1e-5)
        z = floats(3, 5, 7)
        yield reduction(f"reduce three odd dimensions axis {axis}", z, axis, "maxnumf", z.max(axis=axis))
    x = floats(8, 32)
    first, _ = reduce(x, 1, "%w = arith.addf %l, %u : f32")
    text = f'%t = {first}\n%s = "tt.reduce"(%t) <{{axis = 0 : i32}}> ({{\n^bb0(%l: f32, %u: f32):\n%w = arith.addf %l, %u : f32\ntt.reduce.return %w : f32\n}}) : (tensor<8xf32>) -> f32\n'
    yield Probe("reduce both axes", text + "%r = tt.splat %s : f32 -> tensor<16xf32>", {"x": x}, [np.full(16, x.astype(np.float64).sum(), f32)], relative=1e-5)
    p = np.abs(floats(7, 33)) + f32(0.1)
    text, _ = reduce(p, 1, "%a = arith.mulf %l, %u : f32\n%b = arith.addf %l, %u : f32\n%w = arith.divf %a, %b : f32")
    yield Probe("reduce harmonic", f"%r = {text}", {"x": p}, [(1 / (1 / p.astype(np.float64)).sum(axis=1)).astype(f32)], relative=1e-5)
    one = floats(5, 1)
    yield reduction("reduce of one column", one, 1, "addf", one[:, 0])


def scan(x, axis, lines, reverse=False):
    region = combine(lines, kind(x)).replace("{op}", "scan")
    return f'"tt.scan"(%x) <{{axis = {axis} : i32, reverse = {str(reverse).lower()}}}> {region} : ({type_of(x)}) -> {type_of(x)}'


def scans():
    for op, fn, make in (("addf", np.add, floats), ("maxnumf", np.maximum, floats), ("minnumf", np.minimum, floats), ("addi", np.add, ints), ("maxsi", np.maximum, ints),
                         ("xori", np.bitwise_xor, ints)):
        for shape, axis in (((100,), 0), ((6, 40), 1), ((9, 20), 0)):
            x = make(*shape)
            expected = fn.accumulate(x.astype(np.float64) if op == "addf" else x, axis=axis, dtype=None if op == "addf" else x.dtype).astype(x.dtype)
            yield Probe(f"scan {op} {shape} axis {axis}", f"%r = " + scan(x, axis, f"%w = arith.{op} %l, %u : {kind(x)}"), {"x": x}, [expected], relative=1e-5,
                        absolute=3e-5 if op == "addf" else 0)
    x = (floats(5, 30, scale=0.1) + f32(1)).astype(f32)
    yield Probe("scan mulf reverse", "%r = " + scan(x, 1, "%w = arith.mulf %l, %u : f32", True), {"x": x},
                [np.multiply.accumulate(x[:, ::-1].astype(np.float64), axis=1)[:, ::-1].astype(f32)], relative=1e-5)
    a = ints(8, 10, low=-100, high=100)
    yield Probe("scan addi reverse axis 0", "%r = " + scan(a, 0, "%w = arith.addi %l, %u : i32", True), {"x": a}, [np.cumsum(a[::-1], axis=0, dtype=i32)[::-1]])
    for axis in (0, 1, 2):
        z = ints(3, 4, 6, low=-50, high=50)
        yield Probe(f"scan three dimensions axis {axis}", "%r = " + scan(z, axis, "%w = arith.addi %l, %u : i32"), {"x": z}, [np.cumsum(z, axis=axis, dtype=i32)])
    d = ints(70, dtype=i64, low=-(2**40), high=2**40)
    yield Probe("scan addi i64", "%r = " + scan(d, 0, "%w = arith.addi %l, %u : i64"), {"x": d}, [np.cumsum(d)])
    h = (np.abs(floats(60, dtype=f16, scale=0.1)) + f16(0.01)).astype(f16)
    steps, total = [], h[0]
    for v in h[1:]:
        steps.append(total)
        total = f16(total + v)
    yield Probe("scan addf f16", "%r = " + scan(h, 0, "%w = arith.addf %l, %u : f16"), {"x": h}, [np.array([*steps, total])], relative=1e-2)
    # A linear recurrence: two operands, not commutative.
    g, v = np.abs(floats(4, 24, scale=0.3)).clip(0, 0.9).astype(f32), floats(4, 24)
    state, out = np.zeros(4), []
    for t in range(24):
        state = state * g[:, t] + v[:, t]
        out.append(state)
    T = type_of(g)
    yield Probe("scan recurrence", f"""%r0, %r1 = "tt.scan"(%g, %v) <{{axis = 1 : i32, reverse = false}}> ({{
^bb0(%ga: f32, %va: f32, %gb: f32, %vb: f32):
  %p = arith.mulf %ga, %gb : f32
  %q = arith.mulf %va, %gb : f32
  %w = arith.addf %q, %vb : f32
  tt.scan.return %p, %w : f32, f32
}}) : ({T}, {T}) -> ({T}, {T})""".replace("%r0, %r1 = ", "%q:2 = ") + f"\n%zero = arith.constant dense<0.0> : {T}\n%r0 = arith.addf %q#0, %zero : {T}\n%r1 = arith.addf %q#1, %zero : {T}",
                {"g": g, "v": v}, [np.multiply.accumulate(g, axis=1), np.stack(out, axis=1).astype(f32)], relative=1e-5, absolute=1e-5)


def index_region(op, element, left=True):
    """tl.argmax's and tl.argmin's region: of equal values the left index."""
    compare = f"arith.cmpf o{op}" if element.startswith("f") else f"arith.cmpi s{op}"
    equal = "arith.cmpf oeq" if element.startswith("f") else "arith.cmpi eq"
    tie = f"""  %same = {equal}, %va, %vb : {element}
  %less = arith.cmpi slt, %ia, %ib : i32
  %t = arith.andi %same, %less : i1
  %g = {compare}, %va, %vb : {element}
  %k = arith.ori %g, %t : i1
""" if left else f"  %k = {compare}, %va, %vb : {element}\n"
    return f"""({{
^bb0(%va: {element}, %ia: i32, %vb: {element}, %ib: i32):
{tie}  %v = arith.select %k, %va, %vb : {element}
  %i = arith.select %k, %ia, %ib : i32
  tt.reduce.return %v, %i : {element}, i32
}})"""


def with_index():
    for op, fn in (("gt", np.argmax), ("lt", np.argmin)):
        for shape, axis in (((300,), 0), ((512,), 0), ((8, 64), 1), ((7, 33), 1), ((12, 20), 0), ((64, 6), 0)):
            for x in (floats(*shape).round().astype(f32), ints(*shape, low=-20, high=20)):
                T, element = type_of(x), kind(x)
                I = type_of(x.astype(i32))
                n = shape[axis]
                line = f"%range = tt.make_range {{start = 0 : i32, end = {n} : i32}} : tensor<{n}xi32>\n"
                if len(shape) == 1:
                    index = line.replace("%range", "%index")
                else:
                    kept = f"1x{n}" if axis == 1 else f"{n}x1"
                    index = line + f"%e = tt.expand_dims %range {{axis = {1 - axis} : i32}} : tensor<{n}xi32> -> tensor<{kept}xi32>\n%index = tt.broadcast %e : tensor<{kept}xi32> -> {I}\n"
                which = fn(x, axis=axis)
                best = np.take_along_axis(x, np.expand_dims(which, axis), axis=axis).squeeze(axis)
                results = f"({element}, i32)" if len(shape) == 1 else f"(tensor<{shape[1 - axis]}x{element}>, tensor<{shape[1 - axis]}xi32>)"
                text = index + f'%q:2 = "tt.reduce"(%x, %index) <{{axis = {axis} : i32}}> {index_region(op, element)} : ({T}, {I}) -> {results}\n'
                if len(shape) == 1:
                    text += f"%r0 = tt.splat %q#0 : {element} -> tensor<16x{element}>\n%r1 = tt.splat %q#1 : i32 -> tensor<16xi32>"
                    outputs = [np.full(16, best, x.dtype), np.full(16, which, i32)]
                else:
                    V, J = f"tensor<{shape[1 - axis]}x{element}>", f"tensor<{shape[1 - axis]}xi32>"
                    zero = "0.0" if element == "f32" else "0"
                    add = "addf" if element == "f32" else "addi"
                    text += f"%z = arith.constant dense<{zero}> : {V}\n%r0 = arith.{add} %q#0, %z : {V}\n%zi = arith.constant dense<0> : {J}\n%r1 = arith.addi %q#1, %zi : {J}"
                    outputs = [best, which.astype(i32)]
                yield Probe(f"reduce arg{'max' if op == 'gt' else 'min'} {element} {shape} axis {axis}", text, {"x": x}, outputs)


def pairs():
    """Welford's mean and variance: three operands, with a division and selects in the region."""
    x = floats(6, 32)
    T = type_of(x)
    text = f"""%m2 = arith.constant dense<0.0> : {T}
%n = arith.constant dense<1.0> : {T}
%q:3 = "tt.reduce"(%x, %m2, %n) <{{axis = 1 : i32}}> ({{
^bb0(%ma: f32, %sa: f32, %na: f32, %mb: f32, %sb: f32, %nb: f32):
  %d = arith.subf %mb, %ma : f32
  %w = arith.addf %na, %nb : f32
  %zero = arith.constant 0.0 : f32
  %none = arith.cmpf oeq, %w, %zero : f32
  %ratio = arith.divf %nb, %w : f32
  %share = arith.select %none, %zero, %ratio : f32
  %dm = arith.mulf %d, %share : f32
  %mean = arith.addf %ma, %dm : f32
  %s = arith.addf %sa, %sb : f32
  %dd = arith.mulf %d, %d : f32
  %ddn = arith.mulf %dd, %na : f32
  %ddr = arith.mulf %ddn, %share : f32
  %var = arith.addf %s, %ddr : f32
  tt.reduce.return %mean, %var, %w : f32, f32, f32
}}) : ({T}, {T}, {T}) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>)
%z = arith.constant dense<0.0> : tensor<6xf32>
%r0 = arith.addf %q#0, %z : tensor<6xf32>
%r1 = arith.addf %q#1, %z : tensor<6xf32>"""
    wide = x.astype(np.float64)
    yield Probe("reduce welford", text, {"x": x}, [wide.mean(axis=1).astype(f32), (wide.var(axis=1) * 32).astype(f32)], relative=1e-5, absolute=1e-6)
