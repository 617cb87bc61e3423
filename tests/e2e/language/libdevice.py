"""libdevice's special functions and those of integers and bits."""

import math
from statistics import NormalDist

import numpy as np

from tests.e2e.language.builder import Probe
from tests.e2e.language.inputs import f32, floats, i32, ints, type_of

normal = NormalDist()


def call(symbol, arrays, expected, **tolerance):
    names = "abc"[:len(arrays)]
    types = ", ".join(type_of(array) for array in arrays)
    text = (f'%r = tt.extern_elementwise {", ".join("%" + n for n in names)} {{libname = "", libpath = "", pure = true, '
            f'symbol = "__nv_{symbol}"}} : ({types}) -> {type_of(expected)}')
    return Probe(f"libdevice __nv_{symbol}", text, dict(zip(names, arrays)), [expected], **tolerance)


def inverse_error(x):
    return normal.inv_cdf((x + 1) / 2) / math.sqrt(2)


def bessel(order):
    """I by its integral over half a turn."""
    turn = (np.arange(2000) + 0.5) / 2000 * math.pi
    return lambda x: float(np.mean(np.exp(x * np.cos(turn)) * np.cos(order * turn)))


def special():
    inner, unit = np.linspace(-0.995, 0.995, 200).astype(f32), np.linspace(0.003, 0.997, 200).astype(f32)
    line = np.linspace(-4, 9, 200).astype(f32)
    functions = {"erfinvf": (inverse_error, inner), "erfcinvf": (lambda x: inverse_error(1 - x), 2 * unit), "normcdfinvf": (normal.inv_cdf, unit),
                 "erfcf": (math.erfc, line), "erfcxf": (lambda x: math.exp(x * x) * math.erfc(x), line),
                 "lgammaf": (math.lgamma, np.linspace(-5.3, 40, 200).astype(f32)), "cyl_bessel_i0f": (bessel(0), 2 * line), "cyl_bessel_i1f": (bessel(1), 2 * line)}
    for symbol, (function, x) in functions.items():
        exact = np.array([function(float(v)) for v in x])
        yield call(symbol, [x], exact.astype(f32), relative=1e-5, absolute=2e-6 if symbol in ("erfinvf", "erfcinvf", "normcdfinvf", "lgammaf") else 0)
    ends = np.array([-1, 1, 0, 0.5] * 4, f32)
    infinite = np.array([-np.inf, np.inf, 0, inverse_error(0.5)] * 4, f32)
    yield Probe("libdevice __nv_erfinvf at its ends", call("erfinvf", [ends], infinite).text, {"a": ends}, [infinite], relative=1e-6)


def integers():
    a, b, c = ints(64), ints(64), ints(64)
    u, v, w = (x.view(np.uint32).astype(np.uint64) for x in (a, b, c))
    low = lambda x: (x & 0xFFFFFFFF).astype(np.uint32).view(i32)
    signed = lambda x: x.astype(np.int64)
    yield call("brev", [a], low(np.array([int(f"{int(x):032b}"[::-1], 2) for x in u], np.uint64)))
    tiny = lambda x: (x << 8) >> 8
    yield call("mul24", [a, b], low((signed(tiny(a)) * tiny(b)).view(np.uint64)))
    yield call("umul24", [a, b], low((u & 0xFFFFFF) * (v & 0xFFFFFF)))
    yield call("hadd", [a, b], ((signed(a) + b) >> 1).astype(i32))
    yield call("rhadd", [a, b], ((signed(a) + b + 1) >> 1).astype(i32))
    yield call("uhadd", [a, b], low((u + v) >> np.uint64(1)))
    yield call("urhadd", [a, b], low((u + v + np.uint64(1)) >> np.uint64(1)))
    yield call("sad", [a, b, c], low((np.abs(signed(a) - b) + c).view(np.uint64)))
    yield call("usad", [a, b, c], low(np.maximum(u, v) - np.minimum(u, v) + w))
    octets = np.concatenate([a.view(np.uint8).reshape(64, 4), b.view(np.uint8).reshape(64, 4)], 1)
    chosen = [[octets[i, (int(w[i]) >> 4 * k) & 7] for k in range(4)] for i in range(64)]
    yield call("byte_perm", [a, b, c], np.array(chosen, np.uint8).reshape(-1).view(i32))
    wide = ints(40, dtype=np.int64)
    reversed_ = np.array([int(f"{int(x) & (2 ** 64 - 1):064b}"[::-1], 2) for x in wide], np.uint64).view(np.int64)
    yield call("brevll", [wide], reversed_)


def bits():
    x, y = floats(100), floats(100)
    x[:4], y[:4] = [0, 1, -1, np.nan], [-1, 1, -2, 1]
    yield call("nextafterf", [x, y], np.nextafter(x, y))
    size = np.abs(y) + f32(0.1)
    yield call("remainderf", [x * 5, size], np.array([math.remainder(a, b) if a == a else a for a, b in zip(x * 5, size)], f32), relative=1e-5, absolute=4e-6)
    n = ints(100, low=-20, high=20)
    yield call("ldexpf", [x, n], np.ldexp(x, n))
    far = np.where(np.arange(100) % 2, 200, -200).astype(i32)
    large = np.where(far > 0, f32(2 ** -100), f32(2 ** 100)).astype(f32)
    yield call("scalbnf", [large, far], np.ldexp(large, far))
    special_values = np.array([1, -8, 0.75, 0, np.inf, np.nan, 3e38, 1e-30] * 4, f32)
    exponents = np.array([0, 3, -1, -2 ** 31, 2 ** 31 - 1, -2 ** 31, 127, -100] * 4, i32)
    yield call("ilogbf", [special_values], exponents)
    yield call("logbf", [special_values], np.array([0, 3, -1, -np.inf, np.inf, np.nan, 127, -100] * 4, f32))
    yield call("rhypotf", [size, y], (1 / np.hypot(size, y)).astype(f32), relative=1e-6)
    positive = np.abs(floats(100, scale=1e4))
    yield call("float2uint_rn", [positive], np.rint(positive).astype(i32))
    yield call("float2uint_ru", [positive], np.ceil(positive).astype(i32))


def probes():
    yield from special()
    yield from integers()
    yield from bits()
