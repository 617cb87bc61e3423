"""tt.dot_scaled: operands of 4, 8 and 16 bits, each with scales along K or without."""

import numpy as np

from tests.e2e.language.builder import BF16, Probe, bf16
from tests.e2e.language.inputs import f16, f32, floats, rng

FOURS = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6], f32)
M, N, K = 16, 32, 64


def eights(kind):
    """All numbers of a float of eight bits; nan where it has none."""
    code = np.arange(256)
    exponents, mantissa = ((code >> 3) & 15, 3) if kind == "e4m3" else ((code >> 2) & 31, 2)
    bias = 7 if kind == "e4m3" else 15
    part = (code & (2 ** mantissa - 1)) / 2 ** mantissa
    size = np.where(exponents == 0, part * 2.0 ** (1 - bias), (1 + part) * 2.0 ** (exponents - bias))
    none = (code & 127) == 127 if kind == "e4m3" else exponents == 31
    return np.where(none, np.nan, np.where(code > 127, -size, size)).astype(f32)


def operand(kind, rows):
    """What the kernel loads, [rows, K], and its numbers."""
    if kind == "e2m1":
        packed = rng.integers(0, 256, (rows, K // 2)).astype(np.uint8)
        return packed, np.stack([FOURS[packed & 15], FOURS[packed >> 4]], -1).reshape(rows, K)
    if kind in ("e4m3", "e5m2"):
        code = rng.integers(0, 256, (rows, K)).astype(np.uint8)
        code = np.where(np.abs(eights(kind)[code]) < 100, code, 0).astype(np.uint8)  # a nan is no number either
        return code, eights(kind)[code]
    values = floats(rows, K, scale=1)
    stored = values.astype(f16) if kind == "fp16" else bf16(values)
    return stored, (stored.floats() if isinstance(stored, BF16) else stored.astype(f32))


def probe(a, b, scaled, nan=False):
    x, left = operand(a, M)
    y, right = operand(b, N)
    inputs, types, marks = {"x": x, "y": y}, {}, {}
    lines = []
    for name, kind, rows in (("x", a, M), ("y", b, N)):
        length = K // 2 if kind == "e2m1" else K
        element = {"e2m1": "i8", "e4m3": "f8E4M3FN", "e5m2": "f8E5M2", "bf16": "bf16", "fp16": "f16"}[kind]
        value = f"%{name}"
        if kind in ("e4m3", "e5m2"):
            lines.append(f"%{name}c = tt.bitcast {value} : tensor<{rows}x{length}xi8> -> tensor<{rows}x{length}x{element}>")
            value += "c"
        if name == "y":
            lines.append(f"%yt = tt.trans {value} {{order = array<i32: 1, 0>}} : tensor<{N}x{length}x{element}> -> tensor<{length}x{N}x{element}>")
        types[name] = f"tensor<{rows}x{length}x{element}>" if name == "x" else f"tensor<{length}x{N}x{element}>"
        marks[name] = value if name == "x" else "%yt"
    for name, rows in (("s", M), ("t", N)):
        if name in scaled:
            scale = rng.integers(120, 130, (rows, K // 32)).astype(np.uint8)
            if nan and name == "s":
                scale[3, 1] = 255
            inputs[name] = scale
            factor = np.where(scale == 255, np.nan, 2.0 ** (np.minimum(scale, 254).astype(f32) - 127)).repeat(32, 1)
            left, right = (left * factor, right) if name == "s" else (left, right * factor)
    mark = {name: (f" scale %{name}", f", tensor<{rows}x{K // 32}xi8>") if name in scaled else ("", "") for name, rows in (("s", M), ("t", N))}
    lines += [f"%zero = arith.constant dense<0.0> : tensor<{M}x{N}xf32>",
              f"%r = tt.dot_scaled {marks['x']}{mark['s'][0]}, {marks['y']}{mark['t'][0]}, %zero lhs = {a} rhs = {b} {{fastMath = false}} : "
              f"{types['x']}{mark['s'][1]} * {types['y']}{mark['t'][1]} -> tensor<{M}x{N}xf32>"]
    exact = (left.astype(np.float64) @ right.T.astype(np.float64)).astype(f32)
    name = f"dot_scaled {a} {b} {scaled}" + (" nan" if nan else "")
    return Probe(name, "\n".join(lines), inputs, [exact], relative=2e-3, absolute=2e-3 * float(np.nanmax(np.abs(exact))))


def probes():
    yield probe("e4m3", "e4m3", "st")
    yield probe("e5m2", "e2m1", "st")
    yield probe("e2m1", "e2m1", "st")
    yield probe("bf16", "e2m1", "t")
    yield probe("fp16", "e5m2", "t")
    yield probe("bf16", "bf16", "s")
    yield probe("e4m3", "e2m1", "st", nan=True)
