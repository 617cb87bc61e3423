"""Ways in which generated kernels reach memory.

A `Grid` holds the program's index tiles and their limits. Each access class makes the addresses of one tile over one tensor, the mask, and the
number of elements that the tensor needs; masked-off lanes may lie outside of it.
"""

from dataclasses import dataclass

import numpy as np

from tests.property.writer import Tile


@dataclass
class Tensor:
    """An argument: `size` elements; `values(rng)` makes its contents, None for the default ones."""
    name: str
    element: str
    size: int
    values: object = None
    output: bool = False


@dataclass
class Place:
    pointer: Tile
    mask: Tile  # or None


class Grid:
    """Index tiles of one program: `index[d]` of shape (S_d,) runs over `limit[d]` elements in all programs together."""

    def __init__(self, kernel, shape):
        self.kernel, self.shape = kernel, shape
        rng, w = kernel.rng, kernel.writer
        self.programs = [rng.randint(1, 3) for _ in shape]
        self.exact = [rng.random() < 0.4 for _ in shape]  # no mask needed
        self.limit = [n * p if full else rng.randint(n * (p - 1) + 1, n * p) for n, p, full in zip(shape, self.programs, self.exact)]
        self.index, self.limits, self.starts = [], [], []  # starts: of the program, in elements
        for d, size in enumerate(shape):
            # The last dimension is program axis x, as people write it.
            pid = w.op(f"tt.get_program_id {'xyz'[len(shape) - 1 - d]} : i32", None, "i32")
            self.starts.append(w.binary("arith.muli", pid, w.constant(size, None, "i32")))
            self.index.append(w.binary("arith.addi", w.splat(self.starts[-1], (size,)), w.make_range(size)))
            self.limits.append(kernel.scalar("i32", self.limit[d]))

    def along(self, d, tile=None):
        """The index of dimension d as a tile of the grid's rank with ones elsewhere."""
        w, tile = self.kernel.writer, tile or self.index[d]
        for axis in range(len(self.shape)):
            if axis != d:
                tile = w.expand(tile, axis)
        return tile

    def mask(self, dims=None, shape=None):
        """i1 tile that is true inside the limits of the given dimensions; None when the programs cover them exactly."""
        w, found = self.kernel.writer, None
        for d in range(len(self.shape)) if dims is None else dims:
            if self.exact[d]:
                continue
            index = self.along(d)
            inside = w.broadcast(w.compare("slt", index, w.splat(self.limits[d], index.shape)), shape or self.shape)
            found = inside if found is None else w.binary("arith.andi", found, inside)
        return found


def scaled(grid, tile, factor):
    w = grid.kernel.writer
    return tile if factor == 1 else w.binary("arith.muli", tile, w.constant(factor, tile.shape, "i32"))


def total(grid, parts, shape):
    w = grid.kernel.writer
    whole = w.broadcast(parts[0], shape)
    for part in parts[1:]:
        whole = w.binary("arith.addi", whole, w.broadcast(part, shape))
    return whole


def affine(grid, element, strides, output=False):
    """index · strides, over the whole tile."""
    size = sum((limit - 1) * stride for limit, stride in zip(grid.limit, strides)) + 1
    base = grid.kernel.tensor(element, size, output=output)
    offset = total(grid, [scaled(grid, grid.along(d), stride) for d, stride in enumerate(strides)], grid.shape)
    return Place(grid.kernel.writer.pointers(base, offset), grid.mask())


def row_major(grid):
    """Strides of a dense tensor whose rows may be padded."""
    strides = [1]
    for limit in reversed(grid.limit[1:]):
        strides.insert(0, strides[0] * limit + grid.kernel.rng.choice([0, 0, 3, 8]))
    return strides


def contiguous(grid, element, output=False):
    return affine(grid, element, row_major(grid), output)


def strided(grid, element, output=False):
    step = grid.kernel.rng.choice([2, 3, 4, 7])
    return affine(grid, element, [step * stride for stride in row_major(grid)], output)


def transposed(grid, element, output=False):
    if len(grid.shape) == 1:
        return contiguous(grid, element, output)
    return affine(grid, element, [1, grid.limit[0] + grid.kernel.rng.choice([0, 1, 8])], output)


def broadcast(grid, element):
    """A row or a column, spread over the tile."""
    w, d = grid.kernel.writer, grid.kernel.rng.randrange(len(grid.shape))
    base = grid.kernel.tensor(element, grid.limit[d])
    index = grid.along(d)
    mask = grid.mask([d], index.shape)
    part = w.load(w.pointers(base, index), mask, w.constant(0, index.shape, element) if mask else None)
    return w.broadcast(part, grid.shape)


def scalar(grid, element):
    """One element a program."""
    w = grid.kernel.writer
    base = grid.kernel.tensor(element, grid.programs[-1])
    pid = w.op("tt.get_program_id x : i32", None, "i32")
    return w.splat(w.load(w.pointers(base, pid)), grid.shape)


def indices(grid, d, table, element, unique=False):
    """A tile of indices below `table`, loaded along dimension d."""
    w = grid.kernel.writer
    count = grid.limit[d]
    base = grid.kernel.tensor(element, count, lambda rng: rng.permutation(table)[:count] if unique else rng.integers(0, table, count))
    mask = grid.mask([d], grid.along(d).shape)
    shape = grid.along(d).shape
    return w.load(w.pointers(base, grid.along(d)), mask, w.constant(0, shape, element) if mask else None, large=table)


def gather(grid, element, output=False):
    """Rows (or, of a tile with one dimension, elements) picked by an index tensor; a store picks each row at most once."""
    w, rng = grid.kernel.writer, grid.kernel.rng
    table = grid.limit[0] + rng.randint(0, 20)
    kind = rng.choice(["i32", "i64"])
    index = indices(grid, 0, table, kind, unique=output)
    width = grid.limit[1] + rng.choice([0, 5]) if len(grid.shape) == 2 else 1
    base = grid.kernel.tensor(element, (table - 1) * width + (grid.limit[1] if len(grid.shape) == 2 else 1), output=output)
    offset = index if width == 1 else w.binary("arith.muli", index, w.constant(width, index.shape, kind))
    if len(grid.shape) == 2:
        column = grid.along(1)
        column = w.convert("arith.extsi", column, kind) if kind == "i64" else column
        offset = w.binary("arith.addi", w.broadcast(offset, grid.shape), w.broadcast(column, grid.shape))
    return Place(w.pointers(base, offset), grid.mask())


def div_rem(grid, element, output=False):
    """The last index i becomes (i / w) · pitch + i % w, as in images."""
    w, rng = grid.kernel.writer, grid.kernel.rng
    run = rng.choice([4, 8, 16, 24])
    pitch = run + rng.choice([0, 8, 16])
    last = grid.along(len(grid.shape) - 1)
    width = w.constant(run, last.shape, "i32")
    part = w.binary("arith.addi", scaled(grid, w.binary("arith.divsi", last, width), pitch), w.binary("arith.remsi", last, width))
    reach = (grid.limit[-1] - 1) // run * pitch + run
    parts = [part] if len(grid.shape) == 1 else [scaled(grid, grid.along(0), reach), part]
    base = grid.kernel.tensor(element, reach * (grid.limit[0] if len(grid.shape) == 2 else 1), output=output)
    return Place(w.pointers(base, total(grid, parts, grid.shape)), grid.mask())


def reversed_order(grid, element, output=False):
    """limit - 1 - index along the last dimension."""
    w = grid.kernel.writer
    last = grid.along(len(grid.shape) - 1)
    back = w.binary("arith.subi", w.splat(w.binary("arith.subi", grid.limits[-1], w.constant(1, None, "i32")), last.shape), last)
    strides = row_major(grid)
    parts = [scaled(grid, grid.along(d), strides[d]) for d in range(len(grid.shape) - 1)] + [back]
    size = sum((limit - 1) * stride for limit, stride in zip(grid.limit, strides)) + 1
    base = grid.kernel.tensor(element, size, output=output)
    return Place(w.pointers(base, total(grid, parts, grid.shape)), grid.mask())


def block_pointer(grid, element, output=False):
    """A tt.make_tensor_ptr over the whole tensor; the boundary check does what masks do elsewhere."""
    w, strides = grid.kernel.writer, row_major(grid)
    base = grid.kernel.tensor(element, sum((limit - 1) * stride for limit, stride in zip(grid.limit, strides)) + 1, output=output)
    words = [", ".join(w.constant(n, None, "i64").name for n in numbers) for numbers in (grid.limit, strides)]
    starts = ", ".join(start.name for start in grid.starts)
    order = ", ".join(str(d) for d in reversed(range(len(grid.shape))))
    tile = "x".join(map(str, grid.shape)) + f"x{element}"
    text = (f"tt.make_tensor_ptr {base.name}, [{words[0]}], [{words[1]}], [{starts}] {{order = array<i32: {order}>}}"
            f" : <tensor<{tile}>>")
    return w.op(text, None, f"!tt.ptr<tensor<{tile}>>")


def boundary(grid):
    return f" {{boundaryCheck = array<i32: {', '.join(map(str, range(len(grid.shape))))}>}}"


LOADS = {"contiguous": contiguous, "strided": strided, "transposed": transposed, "gather": gather, "div_rem": div_rem,
         "reversed": reversed_order}
SPREADS = {"broadcast": broadcast, "scalar": scalar}
STORES = {"contiguous": contiguous, "strided": strided, "transposed": transposed, "scatter": gather, "div_rem": div_rem,
          "reversed": reversed_order}


def contents(rng, element, size):
    """Default contents: numbers that are exact in every float type here, small integers otherwise."""
    if element in ("f16", "bf16", "f32"):
        return rng.integers(-64, 65, size).astype(np.float64) / 16
    return rng.integers(0, 2, size) if element == "i1" else rng.integers(-100, 101, size)
