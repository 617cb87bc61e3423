"""Ways in which people write a kernel that make other compilers many times slower, each beside the plain way to write it.

Every kernel is TTIR text for one core's loop or a grid of programs; `expected` is numpy's result."""

from dataclasses import dataclass

import numpy as np

from tests.e2e.access_kernels import Text

TILES = 8


@dataclass
class Kernel:
    name: str
    text: str
    tensors: dict   # inputs by argument
    scalars: dict   # i64 arguments
    grid: int
    expected: np.ndarray


def module(name, arguments, lines):
    body = "\n    ".join(lines)
    return f"""module {{
  tt.func public @{name}({arguments}) {{
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    {body}
    tt.return
  }}
}}
"""


def loop(lines, step):
    """The lines once for each of TILES tiles that begin at multiples of `step`."""
    return [f"%tiles = arith.constant {TILES} : i32", f"%step = arith.constant {step} : i32", "scf.for %tile = %c0 to %tiles step %c1 : i32 {",
            "%start = arith.muli %tile, %step : i32", *lines, "}"]


def element(dtype):
    return {"float32": "f32", "float16": "f16", "int32": "i32", "int64": "i64"}[np.dtype(dtype).name]


def block_pointer(launch, stride):
    """Tiles of 32 x 128 of a matrix through a block pointer, the strides from the launch or constants; columns `stride` elements apart."""
    rows, columns, tile = 32 * TILES, 1024, "tensor<32x128xf32>"
    sources = ("%s0", "%s1") if launch else ("%k0", "%k1")
    lines = [f"%m = arith.constant {rows} : i64", f"%n = arith.constant {columns} : i64", f"%k0 = arith.constant {columns * stride} : i64",
             f"%k1 = arith.constant {stride} : i64", "%one = arith.constant 1 : i64"]
    lines += loop([
        f"%p = tt.make_tensor_ptr %x, [%m, %n], [{', '.join(sources)}], [%start, %c0] {{order = array<i32: 1, 0>}} : <{tile}>",
        f"%v = tt.load %p {{boundaryCheck = array<i32: 0, 1>}} : !tt.ptr<{tile}>",
        f"%q = tt.make_tensor_ptr %o, [%m, %n], [%n, %one], [%start, %c0] {{order = array<i32: 1, 0>}} : <{tile}>",
        f"tt.store %q, %v {{boundaryCheck = array<i32: 0, 1>}} : !tt.ptr<{tile}>"], 32)
    name = f"block_pointer_{'launch' if launch else 'constant'}_{stride}"
    x = np.random.default_rng(1).standard_normal((rows, columns, stride)).astype(np.float32)
    expected = np.zeros((rows, columns), np.float32)
    expected[:, :128] = x[:, :128, 0]
    return Kernel(name, module(name, "%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %s0: i64, %s1: i64", lines), {"x": x},
                  {"s0": columns * stride, "s1": stride}, 1, expected)


def layer_norm(turned, dtype):
    """32 rows of 128 a tile; turned: the tile's first dimension runs along the row."""
    rows, columns, kind = 32, 128, element(dtype)
    text, shape, axis = Text(kind), [columns, rows] if turned else [rows, columns], 0 if turned else 1
    at, _, _ = text.matrix(*((1, columns) if turned else (columns, 1)), "%start", shape)
    tile, line = text.tensor(shape, "f32"), text.tensor([rows], "f32")

    def total(value):
        return text.op(f'"tt.reduce"({value}) <{{axis = {axis} : i32}}> ({{\n^bb0(%a: f32, %b: f32):\n%s = arith.addf %a, %b : f32\n'
                       f'tt.reduce.return %s : f32\n}}) : ({tile}) -> {line}')

    def spread(value):
        return text.spread(value, axis, shape, "f32")

    value, count = text.load("%x", at, shape), text.constant(f"{columns}.0", [rows], "f32")
    if kind != "f32":
        value = text.op(f"arith.extf {value} : {text.tensor(shape, kind)} to {tile}")
    mean = text.binary("divf", total(value), count, [rows], "f32")
    centred = text.binary("subf", value, spread(mean), shape, "f32")
    variance = text.binary("divf", total(text.binary("mulf", centred, centred, shape, "f32")), count, [rows], "f32")
    deviation = text.op(f"math.sqrt {text.binary('addf', variance, text.constant('1.0e-5', [rows], 'f32'), [rows], 'f32')} : {line}")
    result = text.binary("divf", centred, spread(deviation), shape, "f32")
    if kind != "f32":
        result = text.op(f"arith.truncf {result} : {tile} to {text.tensor(shape, kind)}")
    text.store("%o", at, result, shape)
    name = f"layer_norm_{'turned' if turned else 'plain'}_{kind}"
    x = np.random.default_rng(2).standard_normal((rows * TILES, columns)).astype(dtype)
    wide = x.astype(np.float64)
    expected = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    return Kernel(name, module(name, f"%x: !tt.ptr<{kind}>, %o: !tt.ptr<{kind}>", loop(text.lines, rows * columns)), {"x": x}, {}, 1,
                  expected.astype(dtype))


def routing(dtype):
    """The weight of each token's expert, one of eight, by comparisons with the expert's number."""
    shape, kind = [64, 64], element(dtype)
    text = Text("f32")
    at, _, _ = text.matrix(64, 1, "%start", shape)
    ids, weight = text.load("%x", at, shape, element=kind), text.constant("0.0", shape, "f32")
    for expert in range(8):
        number = text.constant(f"{expert}.0" if kind == "f32" else expert, shape, kind)
        comparison = "cmpf oeq" if kind == "f32" else "cmpi eq"
        chosen = text.op(f"arith.{comparison}, {ids}, {number} : {text.tensor(shape, kind)}")
        weight = text.op(f"arith.select {chosen}, {text.constant(f'{expert + 1}.5', shape, 'f32')}, {weight} : "
                         f"{text.tensor(shape, 'i1')}, {text.tensor(shape, 'f32')}")
    text.store("%o", at, weight, shape)
    x, name = np.random.default_rng(3).integers(0, 8, TILES * 4096), f"routing_{kind}"
    return Kernel(name, module(name, f"%x: !tt.ptr<{kind}>, %o: !tt.ptr<f32>", loop(text.lines, 4096)), {"x": x.astype(dtype)}, {}, 1,
                  (x + 1.5).astype(np.float32))


def nibble(taken, dtype=np.int32):
    """Copies integers, or bits 4 to 7 of each."""
    shape, kind = [64, 64], element(dtype)
    text = Text(kind)
    at, _, _ = text.matrix(64, 1, "%start", shape)
    value = text.load("%x", at, shape)
    x = np.random.default_rng(4).integers(-(2**31), 2**31, TILES * 4096).astype(dtype)
    if taken:
        value = text.binary("shrsi", value, text.constant(4, shape, kind), shape, kind)
        value = text.binary("andi", value, text.constant(15, shape, kind), shape, kind)
    text.store("%o", at, value, shape)
    name = f"nibble_{'taken' if taken else 'copied'}_{kind}"
    return Kernel(name, module(name, f"%x: !tt.ptr<{kind}>, %o: !tt.ptr<{kind}>", loop(text.lines, 4096)), {"x": x}, {}, 1,
                  (x >> 4) & 15 if taken else x)


def windows(step, dtype):
    """Rows of 13 elements, `step` apart, in rows of 16."""
    rows, width, kept, kind = 64, 16, 13, element(dtype)
    text, shape = Text(kind), [64, 16]
    at, _, columns = text.matrix(step, 1, "%start", shape)
    value = text.load("%x", at, shape, text.compare("slt", columns, text.constant(kept, shape), shape))
    to, _, _ = text.matrix(width, 1, text.op("arith.muli %tile, %size : i32"), shape)
    text.store("%o", to, value, shape)
    name = f"windows_{step}_{kind}"
    x = np.random.default_rng(5).standard_normal(TILES * rows * step + width).astype(dtype)
    expected = np.zeros((TILES * rows, width), dtype)
    for row in range(TILES * rows):
        expected[row, :kept] = x[row * step:row * step + kept]
    return Kernel(name, module(name, f"%x: !tt.ptr<{kind}>, %o: !tt.ptr<{kind}>", [f"%size = arith.constant {rows * width} : i32", *loop(text.lines, rows * step)]),
                  {"x": x}, {}, 1, expected)


def programs(block, count, dtype=np.float32):
    """As many programs as there are blocks, far more than cores if the blocks are small."""
    kind = element(dtype)
    text, shape = Text(kind), [block]
    at = text.add(text.range(block), "%start", shape)
    value = text.load("%x", at, shape)
    text.store("%o", at, text.binary("addf", value, value, shape, kind), shape)
    name = f"programs_{count}_of_{block}_{kind}"
    head = ["%pid = tt.get_program_id x : i32", f"%block = arith.constant {block} : i32", "%start = arith.muli %pid, %block : i32"]
    x = np.random.default_rng(6).standard_normal(block * count).astype(dtype)
    return Kernel(name, module(name, f"%x: !tt.ptr<{kind}>, %o: !tt.ptr<{kind}>", head + text.lines), {"x": x}, {}, count, x + x)


# The way that falls off a cliff elsewhere, the plain way, and how many times the plain one's cycles it may take.
PAIRS = [
    (block_pointer(True, 1), block_pointer(False, 1), 2),
    (block_pointer(True, 32), block_pointer(False, 32), 2),
    (layer_norm(True, np.float16), layer_norm(False, np.float16), 1.1),
    (layer_norm(True, np.float32), layer_norm(False, np.float32), 1.1),
    (routing(np.int32), routing(np.float32), 2),
    (routing(np.int64), routing(np.float32), 2),
    (nibble(True), nibble(False), 2),
    (windows(12, np.float32), windows(16, np.float32), 2),
    (windows(12, np.float16), windows(16, np.float16), 2),
    (programs(1024, 2048), programs(16384, 128), 2),
    (programs(256, 8192), programs(16384, 128), 2),
]
