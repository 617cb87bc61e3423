"""Mathematical functions: the math dialect and libdevice's names."""

import math

import numpy as np

from tests.e2e.language.builder import Probe
from tests.e2e.language.inputs import f16, f32, floats, i32, ints, type_of

erf = np.vectorize(math.erf)


def sample(low, high, n=300):
    return np.linspace(low, high, n).astype(f32)


def probes():
    wide, unit, positive = sample(-20, 20), sample(-0.999, 0.999), np.geomspace(1e-6, 1e6, 300).astype(f32)
    far = floats(300, scale=1000.0)
    cases = {
        "sin": (np.sin, wide), "cos": (np.cos, wide), "exp": (np.exp, wide), "exp2": (np.exp2, wide), "expm1": (np.expm1, sample(-5, 5)),
        "log": (np.log, positive), "log2": (np.log2, positive), "log10": (np.log10, positive), "log1p": (np.log1p, sample(-0.9, 30)),
        "erf": (erf, sample(-5, 5)), "tanh": (np.tanh, sample(-12, 12)), "floor": (np.floor, wide), "ceil": (np.ceil, wide),
        "trunc": (np.trunc, wide), "round": (lambda v: np.trunc(v + np.copysign(0.5, v)), sample(-3, 3, 25)), "roundeven": (np.rint, sample(-3, 3, 25)),
        "absf": (np.abs, wide), "sqrt": (np.sqrt, positive), "rsqrt": (lambda v: 1 / np.sqrt(v), positive), "tan": (np.tan, sample(-1.4, 1.4)),
        "atan": (np.arctan, wide), "cbrt": (np.cbrt, wide), "sinh": (np.sinh, sample(-5, 5)), "cosh": (np.cosh, sample(-5, 5)),
        "asin": (np.arcsin, unit), "acos": (np.arccos, unit), "asinh": (np.arcsinh, wide), "acosh": (np.arccosh, sample(1, 30)),
        "atanh": (np.arctanh, unit)}
    for op, (fn, x) in cases.items():
        yield Probe(f"math.{op}", f"%r = math.{op} %x : {type_of(x)}", {"x": x}, [fn(x.astype(np.float64)).astype(f32)], relative=1e-6, absolute=1e-6)
    yield Probe("math.sin of large", f"%r = math.sin %x : {type_of(far)}", {"x": far}, [np.sin(far.astype(np.float64)).astype(f32)], absolute=1e-6)
    h = floats(100, dtype=f16)
    for op, fn in {"exp": np.exp, "sin": np.sin, "tanh": np.tanh, "floor": np.floor, "erf": erf}.items():
        yield Probe(f"math.{op} f16", f"%r = math.{op} %x : {type_of(h)}", {"x": h}, [fn(h.astype(np.float64)).astype(f16)], relative=2e-3, absolute=1e-4)
    x, y, z = floats(200), floats(200), floats(200)
    T = type_of(x)
    fused = (x.astype(np.float64) * y + z).astype(f32)
    yield Probe("math.fma", f"%r = math.fma %x, %y, %z : {T}", {"x": x, "y": y, "z": z}, [fused], relative=1e-6, absolute=2e-6)
    yield Probe("math.copysign", f"%r = math.copysign %x, %y : {T}", {"x": x, "y": y}, [np.copysign(x, y)])
    base, power = np.abs(x) + f32(0.1), y
    exact = np.power(base.astype(np.float64), power.astype(np.float64)).astype(f32)
    yield Probe("math.powf", f"%r = math.powf %x, %y : {T}", {"x": base, "y": power}, [exact], relative=1e-5)
    yield Probe("math.atan2", f"%r = math.atan2 %x, %y : {T}", {"x": x, "y": y}, [np.arctan2(x.astype(np.float64), y).astype(f32)], absolute=1e-6)
    yield from libdevice(wide, positive, unit, x, y)
    for op, fn in {"sin": math.sin, "tanh": math.tanh, "exp": math.exp, "log2": math.log2, "floor": math.floor, "erf": math.erf, "rsqrt": lambda v: v ** -0.5}.items():
        yield Probe(f"scalar math.{op}", f"%s = math.{op} %v : f32\n%r = tt.splat %s : f32 -> tensor<16xf32>", {}, [np.full(16, fn(1.75), f32)],
                    scalars={"v": ("f32", 1.75)}, relative=1e-6)


def libdevice(wide, positive, unit, x, y):
    unary = {"__nv_tanhf": (np.tanh, sample(-4, 4)), "__nv_sinf": (np.sin, wide), "__nv_cosf": (np.cos, wide), "__nv_expf": (np.exp, wide), "__nv_logf": (np.log, positive),
             "__nv_log1pf": (np.log1p, positive), "__nv_erff": (erf, sample(-3, 3)), "__nv_rsqrtf": (lambda v: 1 / np.sqrt(v), positive),
             "__nv_floorf": (np.floor, wide), "__nv_ceilf": (np.ceil, wide), "__nv_truncf": (np.trunc, wide), "__nv_rintf": (np.rint, wide),
             "__nv_fabsf": (np.abs, wide), "__nv_asinf": (np.arcsin, unit), "__nv_sqrtf": (np.sqrt, positive), "__nv_exp2f": (np.exp2, wide),
             "__nv_expm1f": (np.expm1, sample(-3, 3)), "__nv_fast_expf": (np.exp, wide), "__nv_log2f": (np.log2, positive),
             "__nv_log10f": (np.log10, positive), "__nv_exp10f": (lambda v: 10.0 ** v, sample(-5, 5)), "__nv_frcp_rn": (lambda v: 1 / v, positive)}
    for symbol, (fn, v) in unary.items():
        T = type_of(v)
        yield Probe(f"libdevice {symbol}", f'%r = tt.extern_elementwise %x {{libname = "libdevice", libpath = "", pure = true, symbol = "{symbol}"}} : ({T}) -> {T}',
                    {"x": v}, [fn(v.astype(np.float64)).astype(f32)], relative=2e-6, absolute=1e-6)
    T = type_of(x)
    base = np.abs(x) + f32(0.1)
    binary = {"__nv_powf": (np.power, base, y), "__nv_fmaxf": (np.fmax, x, y), "__nv_fminf": (np.fmin, x, y), "__nv_fmodf": (np.fmod, x, base),
              "__nv_atan2f": (np.arctan2, x, y), "__nv_copysignf": (np.copysign, x, y), "__nv_fdiv_rn": (np.divide, x, y), "__nv_fdividef": (np.divide, x, y)}
    for symbol, (fn, a, b) in binary.items():
        yield Probe(f"libdevice {symbol}", f'%r = tt.extern_elementwise %a, %b {{libname = "", libpath = "", pure = true, symbol = "{symbol}"}} : ({T}, {T}) -> {T}',
                    {"a": a, "b": b}, [fn(a.astype(np.float64), b.astype(np.float64)).astype(f32)], relative=1e-5, absolute=2e-6)
    v = np.array([1.0, np.nan, np.inf, -np.inf, 0.0, -3.0] * 8, f32)
    for symbol, fn in {"__nv_isnanf": np.isnan, "__nv_isinff": np.isinf}.items():
        yield Probe(f"libdevice {symbol}", f'%r = tt.extern_elementwise %x {{libname = "", libpath = "", pure = true, symbol = "{symbol}"}} : (tensor<48xf32>) -> tensor<48xi32>',
                    {"x": v}, [fn(v).astype(i32)])
    a = ints(64)
    pops = np.array([bin(v & 0xFFFFFFFF).count("1") for v in a.tolist()], i32)
    zeros = np.array([32 - (v & 0xFFFFFFFF).bit_length() for v in a.tolist()], i32)
    for symbol, result in {"__nv_popc": pops, "__nv_clz": zeros, "__nv_abs": np.abs(a)}.items():
        yield Probe(f"libdevice {symbol}", f'%r = tt.extern_elementwise %x {{libname = "", libpath = "", pure = true, symbol = "{symbol}"}} : (tensor<64xi32>) -> tensor<64xi32>',
                    {"x": a}, [result])
