"""Operations that move elements without computing: NAME -> function(operation, *operands) -> list of Values."""

from dataclasses import dataclass

import numpy as np

from tests.property.memory import SIZES
from tests.property.mlir_text import integer, integers, shape_of
from tests.property.values import DATA, Value


def bytes_of(element):
    return 8 if element.startswith("!") else SIZES[element]


def optional(op, operands, count):
    """Operands of an operation with optional ones, None where one is absent."""
    sizes = integers(op.attributes["operandSegmentSizes"])
    rest = list(operands)
    return [rest.pop(0) if size else None for size in sizes[:count]]


@dataclass
class BlockPointer:
    base: int
    shape: list
    strides: list
    offsets: list
    tile: tuple
    bytes: int

    def addresses(self, checked):
        """(addresses of the tile's elements, which of them are inside in the checked dimensions)."""
        inside = np.ones(self.tile, bool)
        address = np.full(self.tile, self.base, np.int64)
        for d, size in enumerate(self.tile):
            index = (np.arange(size, dtype=np.int64) + self.offsets[d]).reshape([-1 if i == d else 1 for i in range(len(self.tile))])
            address = address + index * self.strides[d] * self.bytes
            if d in checked:
                inside = inside & (index >= 0) & (index < self.shape[d])
        return address, inside


def make_tensor_ptr(op, base, *rest):
    rank = len(rest) // 3
    numbers = [int(value.data) for value in rest]
    tile, element = shape_of(op.result_types[0][len("!tt.ptr<"):-1])
    return [BlockPointer(int(base.data), numbers[:rank], numbers[rank:2 * rank], numbers[2 * rank:], tile, bytes_of(element))]


def advance(_, pointer, *offsets):
    moved = [at + int(offset.data) for at, offset in zip(pointer.offsets, offsets)]
    return [BlockPointer(pointer.base, pointer.shape, pointer.strides, moved, pointer.tile, pointer.bytes)]


def moved(function):
    """The same for numbers and bounds; `function(operation, array, ...)`."""
    def run(op, *operands):
        bound = None
        if any(value.inexact() for value in operands):
            bound = function(op, *[np.zeros(value.data.shape) if value.bound is None else value.bound for value in operands])
        return [Value(function(op, *[value.data for value in operands]), bound)]
    return run


def result_shape(op):
    return shape_of(op.result_types[0])[0]


def split(op, value):
    return [Value(value.data[..., i], None if value.bound is None else value.bound[..., i]) for i in range(2)]


def gather(op, source, indices):
    axis = integer(op.attributes["axis"])
    return [Value(np.take_along_axis(source.data, indices.data.astype(np.int64), axis),
                  None if source.bound is None else np.take_along_axis(source.bound, indices.data.astype(np.int64), axis))]


def histogram(op, source, mask=None):
    live = source.data if mask is None else source.data[mask.data]
    bins, element = shape_of(op.result_types[0])
    return [Value(np.bincount(live[(live >= 0) & (live < bins[0])].astype(np.int64), minlength=bins[0]).astype(DATA[element]))]


def make_range(op):
    return [Value(np.arange(integer(op.attributes["start"]), integer(op.attributes["end"]), dtype=np.int32))]


SHAPES = {
    "tt.make_range": make_range, "tt.make_tensor_ptr": make_tensor_ptr, "tt.advance": advance,
    "tt.split": split, "tt.gather": gather, "tt.histogram": histogram,
    "tt.ptr_to_int": lambda op, a: [a], "tt.int_to_ptr": lambda op, a: [a],
    "tt.splat": moved(lambda op, a: np.broadcast_to(a, result_shape(op))),
    "tt.unsplat": moved(lambda op, a: a.reshape(())),
    "tt.expand_dims": moved(lambda op, a: np.expand_dims(a, integer(op.attributes["axis"]))),
    "tt.broadcast": moved(lambda op, a: np.broadcast_to(a, result_shape(op))),
    "tt.reshape": moved(lambda op, a: a.reshape(result_shape(op))),
    "tt.trans": moved(lambda op, a: np.transpose(a, integers(op.attributes["order"]))),
    "tt.cat": moved(lambda op, a, b: np.concatenate([a, b])),
    "tt.join": moved(lambda op, a, b: np.stack([a, b], -1)),
}
