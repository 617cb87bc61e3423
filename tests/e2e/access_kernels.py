"""Kernels that read or write a tile in some pattern, as TTIR text, and what numpy makes of it.

Each program works on TILES tiles of ROWS x COLS elements, one after the other, of a part of the arrays that is its own; `copy` is
the contiguous pattern that others are measured against."""

from dataclasses import dataclass
from typing import Callable

import numpy as np

ROWS, COLS, TILES = 64, 64, 8
SIZE = ROWS * COLS
WIDTH = 1000  # of a row of the array that rows are gathered from
PART = 1 << 17  # elements of a program's part of x and o


class Text:
    """Builds TTIR line by line; values are named by their kind and number."""

    def __init__(self, element):
        self.element, self.lines, self.count = element, [], 0

    def op(self, text):
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def tensor(self, shape, element):
        return f"tensor<{'x'.join(map(str, shape))}x{element}>"

    def constant(self, value, shape, element="i32"):
        return self.op(f"arith.constant dense<{value}> : {self.tensor(shape, element)}")

    def range(self, size):
        return self.op(f"tt.make_range {{end = {size} : i32, start = 0 : i32}} : {self.tensor([size], 'i32')}")

    def splat(self, value, shape, element="i32"):
        return self.op(f"tt.splat {value} : {element} -> {self.tensor(shape, element)}")

    def binary(self, name, a, b, shape, element="i32"):
        return self.op(f"arith.{name} {a}, {b} : {self.tensor(shape, element)}")

    def spread(self, value, axis, shape, element="i32"):
        """A vector along one dimension of a matrix; `axis` is the new dimension."""
        one = [1, shape[1]] if axis == 0 else [shape[0], 1]
        line = self.tensor([shape[1 - axis]], element)
        wide = self.op(f"tt.expand_dims {value} {{axis = {axis} : i32}} : {line} -> {self.tensor(one, element)}")
        return self.op(f"tt.broadcast {wide} : {self.tensor(one, element)} -> {self.tensor(shape, element)}")

    def add(self, value, scalar, shape):
        return self.binary("addi", value, self.splat(scalar, shape), shape)

    def scale(self, value, factor, shape):
        return self.binary("muli", value, self.constant(factor, shape), shape)

    def pointers(self, pointer, offset, shape, element=None):
        kind = f"!tt.ptr<{element or self.element}>"
        base = self.splat(pointer, shape, kind)
        return self.op(f"tt.addptr {base}, {offset} : {self.tensor(shape, kind)}, {self.tensor(shape, 'i32')}")

    def load(self, pointer, offset, shape, mask="", element=None):
        tail = ""
        if mask:
            zero = "0" if (element or self.element).startswith("i") else "0.0"
            tail = f", {mask}, {self.constant(zero, shape, element or self.element)}"
        at = self.pointers(pointer, offset, shape, element)
        return self.op(f"tt.load {at}{tail} : {self.tensor(shape, f'!tt.ptr<{element or self.element}>')}")

    def store(self, pointer, offset, value, shape, mask=""):
        at = self.pointers(pointer, offset, shape)
        tail = f", {mask}" if mask else ""
        self.lines.append(f"tt.store {at}, {value}{tail} : {self.tensor(shape, f'!tt.ptr<{self.element}>')}")

    def compare(self, predicate, a, b, shape):
        return self.op(f"arith.cmpi {predicate}, {a}, {b} : {self.tensor(shape, 'i32')}")

    def matrix(self, row_stride, col_stride, start, shape=(ROWS, COLS)):
        """Offsets start + row * row_stride + column * col_stride, and the rows and columns."""
        rows = self.spread(self.range(shape[0]), 1, shape)
        cols = self.spread(self.range(shape[1]), 0, shape)
        sum_ = self.binary("addi", self.scale(rows, row_stride, shape), self.scale(cols, col_stride, shape), shape)
        return self.add(sum_, start, shape), rows, cols


@dataclass
class Pattern:
    name: str
    body: Callable      # (text, start of the tile): the lines of one tile
    expected: Callable  # (x, i, output before): output after
    limit: float = 0    # most cycles, as a multiple of `copy`'s; 0: bursts of few bytes or other bytes, no limit


MATRIX, LINE = [ROWS, COLS], [SIZE]
HALF = [SIZE // 2]


def tiles(x):
    return x[:TILES * SIZE].reshape(TILES, ROWS, COLS)


def copy(t, start):
    at, _, _ = t.matrix(COLS, 1, start)
    t.store("%o_ptr", at, t.load("%x_ptr", at, MATRIX), MATRIX)


def transposed_load(t, start):
    at, _, _ = t.matrix(COLS, 1, start)
    turned, _, _ = t.matrix(1, ROWS, start)
    t.store("%o_ptr", at, t.load("%x_ptr", turned, MATRIX), MATRIX)


def transposed_store(t, start):
    at, _, _ = t.matrix(COLS, 1, start)
    turned, _, _ = t.matrix(1, ROWS, start)
    t.store("%o_ptr", turned, t.load("%x_ptr", at, MATRIX), MATRIX)


def trans(t, start):
    at, _, _ = t.matrix(COLS, 1, start)
    kind = t.tensor(MATRIX, t.element)
    value = t.op(f"tt.trans {t.load('%x_ptr', at, MATRIX)} {{order = array<i32: 1, 0>}} : {kind} -> {kind}")
    t.store("%o_ptr", at, value, MATRIX)


def deinterleave(t, start):
    line = t.range(SIZE // 2)
    even = t.add(t.scale(line, 2, HALF), start, HALF)
    odd = t.binary("addi", even, t.constant(1, HALF), HALF)
    to = t.add(line, start, HALF)
    t.store("%o_ptr", to, t.load("%x_ptr", even, HALF), HALF)
    t.store("%o_ptr", t.binary("addi", to, t.constant(SIZE // 2, HALF), HALF), t.load("%x_ptr", odd, HALF), HALF)


def interleave(t, start):
    line = t.add(t.range(SIZE // 2), start, HALF)
    twice = t.add(t.scale(t.range(SIZE // 2), 2, HALF), start, HALF)
    t.store("%o_ptr", twice, t.load("%x_ptr", line, HALF), HALF)


def row_gather(t, start):
    at, _, cols = t.matrix(COLS, 1, start)
    tile = t.op(f"arith.divsi {start}, %c{SIZE} : i32")
    first = t.op(f"arith.muli {tile}, %c{ROWS} : i32")
    rows = t.load("%i_ptr", t.add(t.range(ROWS), first, [ROWS]), [ROWS], element="i32")
    offset = t.binary("addi", t.spread(t.scale(rows, WIDTH, [ROWS]), 1, MATRIX), cols, MATRIX)
    t.store("%o_ptr", at, t.load("%x_ptr", offset, MATRIX), MATRIX)


def row_scatter(t, start):
    at, _, cols = t.matrix(COLS, 1, start)
    rows = t.load("%i_ptr", t.range(ROWS), [ROWS], element="i32")
    offset = t.binary("addi", t.spread(t.scale(rows, WIDTH, [ROWS]), 1, MATRIX), cols, MATRIX)
    t.store("%o_ptr", offset, t.load("%x_ptr", at, MATRIX), MATRIX)


def pieces(divisor, width, scale=1, shift=0):
    """x[(i // divisor) * width + i % divisor * scale]; the divisor is the launch's %d."""
    def body(t, start):
        line = t.range(SIZE)
        by = t.splat("%d", LINE)
        moved = t.binary("addi", line, t.constant(shift, LINE), LINE)
        low = t.scale(t.binary("remsi", moved, by, LINE), scale, LINE)
        at = t.binary("addi", t.scale(t.binary("divsi", moved, by, LINE), width, LINE), low, LINE)
        t.store("%o_ptr", t.add(line, start, LINE), t.load("%x_ptr", t.add(at, start, LINE), LINE), LINE)

    def expected(x, i, o):
        line = np.arange(SIZE) + shift
        at = line // divisor * width + line % divisor * scale
        for tile in range(TILES):
            o[tile * SIZE:(tile + 1) * SIZE] = x[at + tile * SIZE]
        return o
    return body, expected


def row_pieces(t, start):
    """Rows that are gathered, each in pieces of 20 elements."""
    at, _, _ = t.matrix(COLS, 1, start)
    rows = t.load("%i_ptr", t.range(ROWS), [ROWS], element="i32")
    cols, by = t.spread(t.range(COLS), 0, MATRIX), t.constant(20, MATRIX)
    within = t.binary("addi", t.scale(t.binary("divsi", cols, by, MATRIX), 31, MATRIX), t.binary("remsi", cols, by, MATRIX), MATRIX)
    offset = t.binary("addi", t.spread(t.scale(rows, WIDTH, [ROWS]), 1, MATRIX), within, MATRIX)
    t.store("%o_ptr", at, t.load("%x_ptr", t.add(offset, start, MATRIX), MATRIX), MATRIX)


def expected_row_pieces(x, i, o):
    col = np.arange(COLS)
    at = i[:ROWS, None] * WIDTH + col // 20 * 31 + col % 20
    for tile in range(TILES):
        put(o, tile, x[at + tile * SIZE])
    return o


def row_pieces_store(t, start):
    """Rows at equal distances, each stored in pieces of 8 elements."""
    rows, cols, by = t.spread(t.range(ROWS), 1, MATRIX), t.spread(t.range(COLS), 0, MATRIX), t.constant(8, MATRIX)
    within = t.binary("addi", t.scale(t.binary("divsi", cols, by, MATRIX), 9, MATRIX), t.binary("remsi", cols, by, MATRIX), MATRIX)
    offset = t.binary("addi", t.scale(rows, 131, MATRIX), within, MATRIX)
    at, _, _ = t.matrix(COLS, 1, start)
    t.store("%o_ptr", t.add(offset, start, MATRIX), t.load("%x_ptr", at, MATRIX), MATRIX)


def expected_row_pieces_store(x, i, o):
    row, col = np.arange(ROWS)[:, None], np.arange(COLS)
    for tile, part in enumerate(tiles(x)):
        o[tile * SIZE + row * 131 + col // 8 * 9 + col % 8] = part
    return o


def pieces_store(width, divisor, shift=0):
    """As `pieces`, the other way round; lanes that meet in memory: the last one counts."""
    def body(t, start):
        line = t.range(SIZE)
        by, moved = t.splat("%d", LINE), t.binary("addi", line, t.constant(shift, LINE), LINE)
        at = t.binary("addi", t.scale(t.binary("divsi", moved, by, LINE), width, LINE), t.binary("remsi", moved, by, LINE), LINE)
        t.store("%o_ptr", at, t.load("%x_ptr", t.add(line, start, LINE), LINE), LINE)

    def expected(x, i, o):
        line = np.arange(SIZE) + shift
        at = line // divisor * width + line % divisor
        for part in tiles(x):
            for to, value in zip(at, part.reshape(-1)):
                o[to] = value
        return o
    return body, expected


def rotated(t, start):
    line = t.range(SIZE)
    at = t.binary("remsi", t.binary("addi", line, t.constant(100, LINE), LINE), t.splat("%w", LINE), LINE)
    t.store("%o_ptr", t.add(line, start, LINE), t.load("%x_ptr", t.add(at, start, LINE), LINE), LINE)


def triangle(t, start):
    at, rows, cols = t.matrix(COLS, 1, start)
    mask = t.compare("sge", rows, cols, MATRIX)
    t.store("%o_ptr", at, t.load("%x_ptr", at, MATRIX, mask), MATRIX)


def triangle_store(t, start):
    at, rows, cols = t.matrix(COLS, 1, start)
    mask = t.compare("sle", rows, cols, MATRIX)
    t.store("%o_ptr", at, t.load("%x_ptr", at, MATRIX), MATRIX, mask)


def checkerboard(t, start):
    at, rows, cols = t.matrix(COLS, 1, start)
    odd = t.binary("andi", t.binary("addi", rows, cols, MATRIX), t.constant(1, MATRIX), MATRIX)
    mask = t.compare("eq", odd, t.constant(0, MATRIX), MATRIX)
    t.store("%o_ptr", at, t.load("%x_ptr", at, MATRIX, mask), MATRIX, mask)


def elements(t, start):
    shape = [ROWS * 4]
    line = t.range(ROWS * 4)
    index = t.load("%i_ptr", line, shape, element="i32")
    mask = t.compare("sgt", index, t.constant(5, shape), shape)
    value = t.load("%x_ptr", t.scale(index, 7, shape), shape, mask)
    t.store("%o_ptr", t.add(line, start, shape), value, shape)


def element_scatter(t, start):
    shape = [ROWS]
    line = t.range(ROWS)
    index = t.load("%i_ptr", line, shape, element="i32")
    mask = t.compare("sgt", index, t.constant(5, shape), shape)
    t.store("%o_ptr", t.scale(index, 7, shape), t.load("%x_ptr", t.add(line, start, shape), shape), shape, mask)


def same_address(t, start):
    shape = [ROWS]
    line = t.range(ROWS)
    half = t.binary("shrsi", line, t.constant(1, shape), shape)
    t.store("%o_ptr", t.add(half, start, shape), t.load("%x_ptr", t.add(line, start, shape), shape), shape)


def launch_stride(t, start):
    at, _, _ = t.matrix(COLS, 1, start)
    shape = MATRIX
    cols = t.binary("muli", t.spread(t.range(COLS), 0, shape), t.splat("%one", shape), shape)
    offset = t.binary("addi", t.scale(t.spread(t.range(ROWS), 1, shape), COLS, shape), cols, shape)
    t.store("%o_ptr", at, t.load("%x_ptr", t.add(offset, start, shape), shape), shape)


def constant_stride(stride):
    def body(t, start):
        shape = [SIZE // 8]
        line = t.range(SIZE // 8)
        at = t.add(t.scale(line, stride, shape), start, shape)
        t.store("%o_ptr", at, t.load("%x_ptr", at, shape), shape)

    def expected(x, i, o):
        for tile in range(TILES):
            at = np.arange(SIZE // 8) * stride + tile * SIZE
            o[at] = x[at]
        return o
    return body, expected


def put(o, tile, value):
    o[tile * SIZE:tile * SIZE + value.size] = value.reshape(-1)
    return o


def per_tile(make):
    """Output tiles from input tiles."""
    def expected(x, i, o):
        for tile, part in enumerate(tiles(x)):
            put(o, tile, make(part, o[tile * SIZE:(tile + 1) * SIZE].reshape(ROWS, COLS).copy()))
        return o
    return expected


def expected_row_gather(x, i, o):
    for tile in range(TILES):
        put(o, tile, np.stack([x[r * WIDTH:r * WIDTH + COLS] for r in i[tile * ROWS:(tile + 1) * ROWS]]))
    return o


def expected_row_scatter(x, i, o):
    for part in tiles(x):
        for row, to in zip(part, i[:ROWS]):
            o[to * WIDTH:to * WIDTH + COLS] = row
    return o


def expected_interleave(x, i, o):
    for tile in range(TILES):
        o[tile * SIZE:(tile + 1) * SIZE:2] = x[tile * SIZE:tile * SIZE + SIZE // 2]
    return o


def expected_rotated(x, i, o):
    for tile in range(TILES):
        put(o, tile, x[tile * SIZE + (np.arange(SIZE) + 100) % WRAP])
    return o


def expected_elements(x, i, o):
    index = i[:ROWS * 4]
    for tile in range(TILES):
        put(o, tile, np.where(index > 5, x[index * 7], 0).astype(x.dtype))
    return o


def expected_element_scatter(x, i, o):
    for part in tiles(x):
        for lane, index in enumerate(i[:ROWS]):
            if index > 5:
                o[index * 7] = part.reshape(-1)[lane]
    return o


def expected_same_address(x, i, o):
    for tile, part in enumerate(tiles(x)):
        put(o, tile, part.reshape(-1)[1:ROWS:2])
    return o


rows, cols = np.indices((ROWS, COLS))
DIVISOR, WRAP = 100, 3000
# The aim is 2, with all cores at work: the copy then takes as long as memory. Limits above it, with f16, which has the least to copy,
# 6700 cycles for all 8 tiles:
# - pieces_store: pieces of 200 bytes begin at four places of a block of 32 bytes. v.gather moves the tile to three of them as words of 32
#   bits, 5 a cycle (asc-devkit docs): 1300 cycles a tile, 1.5 times copy, and the first and the last piece one by one in between.
# - triangle: 512 rows of different lengths, a copy each: 21 cycles each, 1.6 times copy without any start.
PATTERNS = [
    Pattern("copy", copy, per_tile(lambda x, o: x), 1),
    Pattern("transposed_load", transposed_load, per_tile(lambda x, o: x.T), 2),
    Pattern("transposed_store", transposed_store, per_tile(lambda x, o: x.T), 2),
    Pattern("trans", trans, per_tile(lambda x, o: x.T), 2),
    Pattern("deinterleave", deinterleave,
            per_tile(lambda x, o: np.concatenate([x.reshape(-1)[::2], x.reshape(-1)[1::2]]).reshape(ROWS, COLS)), 2),
    Pattern("interleave", interleave, expected_interleave),
    Pattern("row_gather", row_gather, expected_row_gather, 2),
    Pattern("row_scatter", row_scatter, expected_row_scatter, 2),
    Pattern("pieces", *pieces(DIVISOR, 117), 2),
    Pattern("pieces_shifted", *pieces(DIVISOR, 117, shift=37), 2),
    Pattern("pieces_strided", *pieces(DIVISOR, 1, scale=41)),
    Pattern("row_pieces", row_pieces, expected_row_pieces),
    Pattern("pieces_store", *pieces_store(101, DIVISOR), 3.2),
    Pattern("row_pieces_store", row_pieces_store, expected_row_pieces_store),
    Pattern("rotated", rotated, expected_rotated, 2),
    Pattern("triangle", triangle, per_tile(lambda x, o: np.where(rows >= cols, x, 0)), 2.1),
    Pattern("triangle_store", triangle_store, per_tile(lambda x, o: np.where(rows <= cols, x, o))),
    Pattern("checkerboard", checkerboard, per_tile(lambda x, o: np.where((rows + cols) % 2 == 0, x, o))),
    Pattern("elements", elements, expected_elements),
    Pattern("element_scatter", element_scatter, expected_element_scatter),
    Pattern("same_address", same_address, expected_same_address),
    Pattern("launch_stride", launch_stride, per_tile(lambda x, o: x), 2),
    Pattern("stride_3", *constant_stride(3)),
    Pattern("stride_8", *constant_stride(8)),
]


def kernel(pattern, element):
    text = Text(element)
    start = "%start"
    pattern.body(text, start)
    body = "\n      ".join(text.lines)
    return f"""module {{
  tt.func public @{pattern.name}(%x: !tt.ptr<{element}> {{tt.divisibility = 16 : i32}}, %i_ptr: !tt.ptr<i32> {{tt.divisibility = 16 : i32}}, %o: !tt.ptr<{element}> {{tt.divisibility = 16 : i32}}, %d: i32, %w: i32, %one: i32) {{
    %pid = tt.get_program_id x : i32
    %part = arith.constant {PART} : i32
    %first = arith.muli %pid, %part : i32
    %x_ptr = tt.addptr %x, %first : !tt.ptr<{element}>, i32
    %o_ptr = tt.addptr %o, %first : !tt.ptr<{element}>, i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c{ROWS} = arith.constant {ROWS} : i32
    %c{SIZE} = arith.constant {SIZE} : i32
    %c{TILES} = arith.constant {TILES} : i32
    scf.for %tile = %c0 to %c{TILES} step %c1  : i32 {{
      %start = arith.muli %tile, %c{SIZE} : i32
      {body}
    }}
    tt.return
  }}
}}
"""


def inputs(dtype):
    rng = np.random.default_rng(3)
    x = rng.integers(-100, 100, PART).astype(dtype)
    i = rng.permutation(100)[:ROWS].astype(np.int32)
    return {"x": x, "i_ptr": np.concatenate([rng.permutation(100)[:ROWS].astype(np.int32) for _ in range(TILES)])}


SCALARS = {"d": DIVISOR, "w": WRAP, "one": 1}
