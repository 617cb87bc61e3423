"""Generated inputs: the same bits as the simulator's (sim/casefile/generate.h holds the definition)."""

import re

import numpy

_MASK = (1 << 64) - 1
_NORMAL_SCALE = float.fromhex("0x1.bb67ae8584caap-16")  # sqrt(3) / 65536
FLOATS = {"f16": numpy.float16, "f32": numpy.float32, "bf16": numpy.uint16}
INTS = {name: numpy.dtype(f"{'int' if name[0] == 'i' else 'uint'}{name[1:]}")
        for name in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")}


def hash_of(count, seed, start=0):
    """The 64-bit hashes of elements start .. start + count - 1."""
    offset = (seed * 0xD1B54A32D192ED03 + (start + 1) * 0x9E3779B97F4A7C15) & _MASK
    with numpy.errstate(over="ignore"):
        z = numpy.arange(count, dtype=numpy.uint64) * numpy.uint64(0x9E3779B97F4A7C15) + numpy.uint64(offset)
        z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        return z ^ (z >> numpy.uint64(31))


def to_bf16(x):
    """bf16 bit patterns of f32 values, to nearest even."""
    bits = numpy.asarray(x, numpy.float32).view(numpy.uint32)
    rounded = ((bits.astype(numpy.uint64) + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(numpy.uint16)
    return numpy.where((bits & 0x7FFFFFFF) > 0x7F800000, numpy.uint16(0x7FC0), rounded)


def from_bf16(bits):
    """f32 values of bf16 bit patterns."""
    return (numpy.asarray(bits, numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32)


def _parse(init):
    if init in ("zeros", "arange"):
        return init, 0
    match = re.fullmatch(r"(normal|uniform)\((\d{1,18})\)", init)
    if not match:
        raise ValueError(f"init '{init}' is not one of normal(seed), uniform(seed), arange, zeros")
    return match[1], int(match[2])


def _floats(kind, seed, count, scale, start):
    if kind == "normal":
        z = hash_of(count, seed, start)
        parts = sum(((z >> numpy.uint64(shift)) & numpy.uint64(0xFFFF)).astype(numpy.int64) for shift in (0, 16, 32, 48))
        return (parts - 131070).astype(numpy.float64) * (_NORMAL_SCALE * scale)
    if kind == "uniform":
        top = (hash_of(count, seed, start) >> numpy.uint64(40)).astype(numpy.int64)
        return (top - (1 << 23)).astype(numpy.float64) * (2.0**-23 * scale)
    if kind == "arange":
        return numpy.arange(start, start + count, dtype=numpy.float64) * scale
    return numpy.zeros(count)


def _integers(kind, seed, count, dtype, scale, low, high, start):
    if kind == "uniform":
        z = hash_of(count, seed, start)
        if low is not None:
            z = (z % numpy.uint64(high - low)) + numpy.uint64(low & _MASK)
            return z.astype(dtype)
        return (z >> numpy.uint64(64 - 8 * dtype.itemsize)).astype(dtype)
    if kind == "normal":
        limits = numpy.iinfo(dtype)
        return numpy.clip(numpy.rint(16.0 * _floats(kind, seed, count, scale, start)), limits.min, limits.max).astype(dtype)
    return numpy.trunc(_floats(kind, seed, count, scale, start)).astype(numpy.int64).astype(dtype)


def generate(init, dtype, shape, scale=1.0, low=None, high=None, start=0):
    """The array that `init` gives a tensor of this dtype and shape; bf16 as uint16 bit patterns.

    start: number of the first element, to compute a slice of a large tensor.
    """
    kind, seed = _parse(init)
    count = int(numpy.prod(shape, dtype=numpy.int64))
    if dtype in INTS:
        flat = _integers(kind, seed, count, INTS[dtype], scale, low, high, start)
    elif dtype in FLOATS:
        with numpy.errstate(over="ignore"):
            single = _floats(kind, seed, count, scale, start).astype(numpy.float32)
            flat = to_bf16(single) if dtype == "bf16" else single.astype(FLOATS[dtype])
    else:
        raise ValueError(f"dtype '{dtype}' is not one of {' '.join([*FLOATS, *INTS])}")
    return flat.reshape(shape)


def tensor(argument):
    """The array of a case file's tensor argument that has an `init`."""
    return generate(argument["init"], argument["dtype"], argument["shape"], argument.get("scale", 1.0),
                    argument.get("low"), argument.get("high"))
