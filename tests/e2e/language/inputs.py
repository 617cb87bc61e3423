"""Inputs of the probes: random, with the values that go wrong first."""

import numpy as np

f16, f32, i8, i16, i32, i64 = np.float16, np.float32, np.int8, np.int16, np.int32, np.int64
u8, u16, u32, u64 = np.uint8, np.uint16, np.uint32, np.uint64
rng = np.random.default_rng(11)


def floats(*shape, dtype=f32, scale=3.0, special=False):
    values = (rng.standard_normal(shape) * scale).astype(dtype)
    if special:
        flat = values.reshape(-1)
        flat[1], flat[4], flat[6], flat[9], flat[10] = np.nan, np.inf, -np.inf, 0.0, -0.0
    return values


def ints(*shape, dtype=i32, low=None, high=None):
    info = np.iinfo(dtype)
    values = rng.integers(info.min if low is None else low, info.max if high is None else high, shape, dtype, endpoint=True)
    if low is None:
        flat = values.reshape(-1)
        flat[0], flat[1], flat[2], flat[3] = info.min, info.max, 0, 1
    return values


def bits(*shape):
    return rng.integers(0, 2, shape).astype(bool)


def kind(array):
    """The element type in the text."""
    return {"bool": "i1", "float16": "f16", "float32": "f32"}.get(str(array.dtype), f"i{array.dtype.itemsize * 8}")


def type_of(array):
    return "tensor<" + "".join(f"{n}x" for n in array.shape) + kind(array) + ">"
