"""Conversions between all element types."""

import numpy as np

from tests.e2e.language.builder import Probe, bf16
from tests.e2e.language.inputs import bits, f16, f32, floats, i8, i16, i32, i64, ints, kind, type_of

INTEGERS = (i8, i16, i32, i64)


def to_integer(x, dtype):
    return np.trunc(x.astype(np.float64)).astype(dtype)


def typed(array, element):
    return "tensor<" + "".join(f"{n}x" for n in array.shape) + element + ">"


def probes():
    n = 90
    for wide in INTEGERS:
        for narrow in INTEGERS:
            if narrow().itemsize >= wide().itemsize:
                continue
            a, b = ints(n, dtype=narrow), ints(n, dtype=wide)
            A, B = type_of(a), type_of(b)
            unsigned = a.view(f"u{a.dtype.itemsize}").astype(wide)
            yield Probe(f"extsi {kind(a)} {kind(b)}", f"%r = arith.extsi %a : {A} to {B}", {"a": a}, [a.astype(wide)])
            yield Probe(f"extui {kind(a)} {kind(b)}", f"%r = arith.extui %a : {A} to {B}", {"a": a}, [unsigned])
            yield Probe(f"trunci {kind(b)} {kind(a)}", f"%r = arith.trunci %b : {B} to {A}", {"b": b}, [b.astype(narrow)])
    m = bits(n)
    M = type_of(m)
    for dtype in INTEGERS:
        a = ints(n, dtype=dtype)
        A = type_of(a)
        yield Probe(f"extui i1 {kind(a)}", f"%r = arith.extui %m : {M} to {A}", {"m": m}, [m.astype(dtype)])
        yield Probe(f"extsi i1 {kind(a)}", f"%r = arith.extsi %m : {M} to {A}", {"m": m}, [-m.astype(dtype)])
        yield Probe(f"trunci {kind(a)} i1", f"%r = arith.trunci %a : {A} to {M}", {"a": a}, [(a & 1).astype(bool)])
        yield from with_floats(dtype, n)
    yield Probe("uitofp i1 f32", f"%r = arith.uitofp %m : {M} to tensor<{n}xf32>", {"m": m}, [m.astype(f32)])
    yield Probe("uitofp i1 f16", f"%r = arith.uitofp %m : {M} to tensor<{n}xf16>", {"m": m}, [m.astype(f16)])
    yield from between_floats(n)
    x = floats(n)
    yield Probe("bitcast f32 i32", f"%r = tt.bitcast %x : {type_of(x)} -> tensor<{n}xi32>", {"x": x}, [x.view(i32)])
    yield Probe("bitcast i32 f32", f"%r = tt.bitcast %x : tensor<{n}xi32> -> {type_of(x)}", {"x": x.view(i32)}, [x])
    yield Probe("arith.bitcast f32 i32", f"%r = arith.bitcast %x : {type_of(x)} to tensor<{n}xi32>", {"x": x}, [x.view(i32)])
    h = floats(6, 15, dtype=f16)
    yield Probe("bitcast f16 i16", f"%r = tt.bitcast %x : {type_of(h)} -> tensor<6x15xi16>", {"x": h}, [h.view(i16)])
    yield Probe("bitcast bf16 i16", f"%r = tt.bitcast %x : tensor<{n}xbf16> -> tensor<{n}xi16>", {"x": bf16(x)}, [bf16(x).bits.view(i16)])


def with_floats(dtype, n):
    a = ints(n, dtype=dtype)
    A, unsigned = type_of(a), a.view(f"u{a.dtype.itemsize}")
    for element, convert in (("f32", lambda v: v.astype(f32)), ("f16", lambda v: v.astype(f32).astype(f16)), ("bf16", lambda v: bf16(v.astype(f32)))):
        small = ints(n, dtype=dtype, low=0 if dtype == i8 else -1000, high=100) if element == "f16" and dtype != i8 else a
        F = typed(a, element)
        yield Probe(f"sitofp {kind(a)} {element}", f"%r = arith.sitofp %a : {A} to {F}", {"a": small}, [convert(small)], relative=4e-3 if element == "bf16" else 1e-7)
        positive = np.abs(small) if element == "f16" and dtype != i8 else a
        yield Probe(f"uitofp {kind(a)} {element}", f"%r = arith.uitofp %a : {A} to {F}", {"a": positive},
                    [convert(positive.view(unsigned.dtype))], relative=4e-3 if element == "bf16" else 1e-7)
    limit = min(float(np.iinfo(dtype).max) * 0.9, 1e17)
    x = (floats(n, scale=0.3) * f32(limit)).clip(f32(-limit), f32(limit)).astype(f32)
    for element, values in (("f32", x), ("f16", (x % f32(100)).astype(f16)), ("bf16", bf16(x))):
        F = typed(a, element)
        plain = values.floats() if element == "bf16" else values
        yield Probe(f"fptosi {element} {kind(a)}", f"%r = arith.fptosi %x : {F} to {A}", {"x": values}, [to_integer(plain, dtype)])
        positive = bf16(np.abs(plain)) if element == "bf16" else np.abs(values) * values.dtype.type(1.9 if element == "f32" else 1)
        plain = positive.floats() if element == "bf16" else positive
        yield Probe(f"fptoui {element} {kind(a)}", f"%r = arith.fptoui %x : {F} to {A}", {"x": positive},
                    [to_integer(plain, unsigned.dtype).view(dtype)])


def between_floats(n):
    x = floats(n, special=True)
    h, b = x.astype(f16), bf16(x)
    F, H, B = (f"tensor<{n}x{t}>" for t in ("f32", "f16", "bf16"))
    yield Probe("truncf f16", f"%r = arith.truncf %x : {F} to {H}", {"x": x}, [h])
    yield Probe("truncf bf16", f"%r = arith.truncf %x : {F} to {B}", {"x": x}, [b])
    yield Probe("extf f16", f"%r = arith.extf %x : {H} to {F}", {"x": h}, [h.astype(f32)])
    yield Probe("extf bf16", f"%r = arith.extf %x : {B} to {F}", {"x": b}, [b.floats()])
    yield Probe("fp_to_fp f16 bf16", f"%r = tt.fp_to_fp %x, rounding = rtne : {H} -> {B}", {"x": h}, [bf16(h.astype(f32))])
    with np.errstate(all="ignore"):
        down = h.copy()
        away = np.abs(h.astype(f32)) > np.abs(x)
        down[away] = np.nextafter(h, f16(0))[away]
        yield Probe("fp_to_fp rtz", f"%r = tt.fp_to_fp %x, rounding = rtz : {F} -> {H}", {"x": x}, [down])
    yield Probe("fp_to_fp rtne", f"%r = tt.fp_to_fp %x, rounding = rtne : {F} -> {H}", {"x": x}, [h])
    yield Probe("fp_to_fp up", f"%r = tt.fp_to_fp %x : {H} -> {F}", {"x": h}, [h.astype(f32)])
