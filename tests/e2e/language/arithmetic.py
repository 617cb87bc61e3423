"""Float arithmetic, element by element."""

import numpy as np

from tests.e2e.language.builder import BF16, Probe, bf16
from tests.e2e.language.inputs import bits, f16, f32, floats, i32, kind, type_of


def probes():
    x, y = floats(200, special=True), floats(200, special=True)[::-1].copy()
    T = type_of(x)
    with np.errstate(all="ignore"):
        pairs = {"maxnumf": np.fmax, "minnumf": np.fmin, "maximumf": np.maximum, "minimumf": np.minimum}
        for op, fn in pairs.items():
            for dtype in (f32, f16):
                a, b = x.astype(dtype), y.astype(dtype)
                yield Probe(f"{op} {kind(a)}", f"%r = arith.{op} %a, %b : {type_of(a)}", {"a": a, "b": b}, [fn(a, b)])
        a, b = bf16(x), bf16(y)
        B = "tensor<200xbf16>"
        yield Probe("mulf bf16", f"%r = arith.mulf %a, %b : {B}", {"a": a, "b": b}, [bf16(a.floats() * b.floats())])
        yield Probe("maximumf bf16", f"%r = arith.maximumf %a, %b : {B}", {"a": a, "b": b}, [bf16(np.maximum(a.floats(), b.floats()))])
        yield Probe("negf", f"%r = arith.negf %x : {T}", {"x": x}, [-x])
        num, den = floats(100), np.abs(floats(100)) + f32(0.5)
        yield Probe("remf", f"%r = arith.remf %x, %y : {type_of(num)}", {"x": num, "y": den}, [np.fmod(num, den)], absolute=2e-6)
        yield Probe("precise_divf", f"%r = tt.precise_divf %x, %y : {T}", {"x": x, "y": y}, [x / y])
        p = np.abs(x)
        yield Probe("precise_sqrt", f"%r = tt.precise_sqrt %x : {T}", {"x": p}, [np.sqrt(p)])
        low, high = np.full_like(x, -1), np.full_like(x, 2)
        clamp = np.fmin(np.fmax(x, low), high)
        yield Probe("clampf none", f"%r = tt.clampf %x, %l, %h, propagateNan = none : {T}", {"x": x, "l": low, "h": high}, [clamp])
        yield Probe("clampf all", f"%r = tt.clampf %x, %l, %h, propagateNan = all : {T}", {"x": x, "l": low, "h": high},
                    [np.where(np.isnan(x), x, clamp)])
        h = x.astype(f16)
        yield Probe("clampf f16", f"""%l = arith.constant dense<-1.0> : tensor<200xf16>
%u = arith.constant dense<2.0> : tensor<200xf16>
%r = tt.clampf %x, %l, %u, propagateNan = none : tensor<200xf16>""", {"x": h}, [np.fmin(np.fmax(h, f16(-1)), f16(2))])
        m = bits(200)
        yield Probe("select bf16", f"%r = arith.select %m, %a, %b : tensor<200xi1>, {B}", {"m": m, "a": a, "b": b},
                    [BF16(np.where(m, a.bits, b.bits))])
        yield Probe("cmpf f16", "%m = arith.cmpf ult, %a, %b : tensor<200xf16>\n%r = arith.extui %m : tensor<200xi1> to tensor<200xi32>",
                    {"a": h, "b": y.astype(f16)}, [(~(h >= y.astype(f16))).astype(i32)])
    z = floats(8, 16, 24)
    yield Probe("addf of three dimensions", f"%r = arith.addf %z, %z : {type_of(z)}", {"z": z}, [z + z])
    w = floats(3, 5, 7)
    yield Probe("mulf of three odd dimensions", f"%r = arith.mulf %z, %z : {type_of(w)}", {"z": w}, [w * w])
    v = floats(2, 3, 4, 5)
    yield Probe("subf of four dimensions", f"%two = arith.constant dense<2.0> : {type_of(v)}\n%r = arith.subf %two, %z : {type_of(v)}",
                {"z": v}, [f32(2) - v])
