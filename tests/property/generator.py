"""Random well-formed kernels: `generate(seed)` gives the same kernel for the same seed."""

import random
from dataclasses import dataclass

import numpy as np

from tests.property import accesses, parts
from tests.property.accesses import Tensor
from tests.property.writer import FLOATS, INTEGERS, Tile, Writer

KERNEL = "generated"


@dataclass
class Generated:
    seed: int
    text: str
    grid: list
    tensors: list
    scalars: list  # (name, type, value)
    accesses: list  # names of the access classes in use

    def arrays(self):
        """Contents of the tensors before the launch, flat; bf16 as bit patterns."""
        rng = np.random.default_rng(self.seed)
        found = {}
        for tensor in self.tensors:
            values = (tensor.values or (lambda rng, t=tensor: accesses.contents(rng, t.element, t.size)))(rng)
            if tensor.element == "bf16":
                found[tensor.name] = (np.asarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)
            else:
                found[tensor.name] = np.asarray(values).astype({"f16": np.float16, "f32": np.float32, "i1": np.int8}.get(tensor.element) or
                                                               f"int{tensor.element[1:]}")
        return found


class Kernel:
    """What the parts of the generator share: random numbers, the text so far, the arguments."""

    def __init__(self, seed):
        self.rng, self.writer = random.Random(seed), Writer()
        self.tensors, self.scalars, self.accesses, self.helpers = [], [], [], []

    def tensor(self, element, size, values=None, output=False):
        name = f"%{'out' if output else 'in'}{len(self.tensors)}"
        self.tensors.append(Tensor(name[1:], element, size, values, output))
        return Tile(name, None, f"!tt.ptr<{element}>")

    def scalar(self, element, value):
        name = f"%n{len(self.scalars)}"
        self.scalars.append((name[1:], element, value))
        return Tile(name, None, element, abs(value))

    def load(self, grid, element, names=None):
        """A tile through a random access class."""
        name = self.rng.choice(names or [*accesses.LOADS, "contiguous", "contiguous", *accesses.SPREADS, "block_pointer"])
        self.accesses.append("load " + name)
        w = self.writer
        if name in accesses.SPREADS:
            return accesses.SPREADS[name](grid, element)
        if name == "block_pointer":
            pointer = accesses.block_pointer(grid, element)
            return Tile(w.load(pointer, element=element, attributes=accesses.boundary(grid)).name, grid.shape, element, 4.0)
        place = accesses.LOADS[name](grid, element)
        # A lane without an access is undefined unless `other` says what it holds.
        other = place.mask and w.constant(self.rng.choice([0, 1]), grid.shape, element)
        return w.load(place.pointer, place.mask, other)

    def store(self, grid, value):
        name = self.rng.choice([*accesses.STORES, "contiguous", "contiguous", "block_pointer"])
        self.accesses.append("store " + name)
        if name == "block_pointer":
            self.writer.store(accesses.block_pointer(grid, value.element, output=True), value, attributes=accesses.boundary(grid))
        else:
            place = accesses.STORES[name](grid, value.element, output=True)
            self.writer.store(place.pointer, value, place.mask)


def tile_shape(rng):
    if rng.random() < 0.45:
        return (rng.choice([16, 32, 64, 100, 128, 256, 512]),)
    return rng.choice([1, 2, 4, 8, 16, 24, 32]), rng.choice([8, 16, 32, 48, 64, 128])


def elements(rng):
    return rng.choice([*FLOATS, "f32", "f32", "f16", *INTEGERS, "i32"])


def matmul_tiles(kernel):
    """A product of matrices and what may follow it."""
    rng = kernel.rng
    grid = accesses.Grid(kernel, (rng.choice([16, 32, 64]), rng.choice([16, 32, 64])))
    tiles = [parts.dot(kernel, grid)]
    if rng.random() < 0.5:
        tiles.insert(0, kernel.load(grid, elements(rng), ["contiguous", "broadcast", "transposed"]))
    tiles = parts.expression(kernel, tiles, rng.randint(0, 3))
    if rng.random() < 0.4:
        tiles.append(parts.ON_TILE[rng.choice(["reduce", "call", "branch", "while", "rearrange"])](kernel, tiles[-1]))
        tiles = parts.expression(kernel, tiles, rng.randint(0, 2))
    return grid, tiles


def vector_tiles(kernel):
    """Loads, elementwise operations, and up to two parts with a structure of their own."""
    rng = kernel.rng
    grid = accesses.Grid(kernel, tile_shape(rng))
    tiles = parts.expression(kernel, [kernel.load(grid, elements(rng)) for _ in range(rng.randint(1, 3))], rng.randint(1, 5))
    for _ in range(rng.choice([0, 1, 1, 2])):
        name = rng.choice(["reduce", "loop", *parts.ON_TILE, *parts.ON_GRID])
        tiles.append(parts.ON_TILE[name](kernel, tiles[-1]) if name in parts.ON_TILE else parts.ON_GRID[name](kernel, grid, tiles[-1]))
        tiles = parts.expression(kernel, tiles, rng.randint(0, 3))
    return grid, tiles


def early_return(kernel):
    """`if pid >= n: return`, as the front end writes it."""
    w = kernel.writer
    pid = w.op("tt.get_program_id x : i32", None, "i32")
    condition = w.compare("sge", pid, kernel.scalar("i32", kernel.rng.randint(0, 3)))
    w.lines.append(f"    cf.cond_br {condition.name}, ^bb1, ^bb2\n  ^bb1:\n    tt.return\n  ^bb2:")


def generate(seed):
    kernel = Kernel(seed)
    rng = kernel.rng
    if rng.random() < 0.08:
        early_return(kernel)
    grid, tiles = matmul_tiles(kernel) if rng.random() < 0.2 else vector_tiles(kernel)
    kernel.store(grid, tiles[-1])
    if rng.random() < 0.3:
        kernel.store(grid, rng.choice(tiles))
    kernel.writer.line("tt.return")
    arguments = [f"%{t.name}: !tt.ptr<{t.element}>" for t in kernel.tensors] + [f"%{name}: {kind}" for name, kind, _ in kernel.scalars]
    body = "\n".join(kernel.writer.lines)
    text = f"module {{\n{''.join(kernel.helpers)}  tt.func public @{KERNEL}({', '.join(arguments)}) {{\n{body}\n  }}\n}}\n"
    return Generated(seed, text, [*reversed(grid.programs)], kernel.tensors, kernel.scalars, kernel.accesses)
