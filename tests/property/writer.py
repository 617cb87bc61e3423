"""Writes TTIR text, one operation at a time, in the form that Triton prints."""

from dataclasses import dataclass

WIDTH = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "f16": 16, "bf16": 16, "f32": 32}
FLOATS, INTEGERS = ("f16", "bf16", "f32"), ("i8", "i16", "i32", "i64")


@dataclass(frozen=True)
class Tile:
    """An SSA value: a tile, or a scalar when the shape is None. `large` bounds its magnitude; `exact`: every implementation has the same bits."""
    name: str
    shape: tuple
    element: str
    large: float = 1.0
    exact: bool = True

    @property
    def type(self):
        return type_of(self.shape, self.element)


def type_of(shape, element):
    return element if shape is None else "tensor<" + "".join(f"{n}x" for n in shape) + element + ">"


def literal(value, element):
    """A number as MLIR prints it."""
    if element == "i1":
        return "true" if value else "false"
    return f"{float(value):e}" if element in FLOATS else str(int(value))


class Writer:
    def __init__(self):
        self.lines, self.count, self.depth = [], 0, 2

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def op(self, text, shape, element, large=1.0, exact=True):
        """`%name = text`; the new value."""
        name = self.name()
        self.line(f"{name} = {text}")
        return Tile(name, shape, element, large, exact)

    def constant(self, value, shape, element):
        text = literal(value, element)
        body = text if shape is None and element == "i1" else f"{text if shape is None else f'dense<{text}>'} : {type_of(shape, element)}"
        return self.op(f"arith.constant {body}", shape, element, abs(float(value)))

    def unary(self, op, a, large=None, exact=None):
        return self.op(f"{op} {a.name} : {a.type}", a.shape, a.element, a.large if large is None else large, a.exact if exact is None else exact)

    def binary(self, op, a, b, large=1.0, exact=None):
        return self.op(f"{op} {a.name}, {b.name} : {a.type}", a.shape, a.element, large, a.exact and b.exact if exact is None else exact)

    def convert(self, op, a, element, word="to", large=None):
        return self.op(f"{op} {a.name} : {a.type} {word} {type_of(a.shape, element)}", a.shape, element,
                       a.large if large is None else large, a.exact)

    def compare(self, predicate, a, b):
        op = "arith.cmpf" if a.element in FLOATS else "arith.cmpi"
        return self.op(f"{op} {predicate}, {a.name}, {b.name} : {a.type}", a.shape, "i1")

    def select(self, condition, a, b):
        kinds = f"{condition.type}, {a.type}" if a.shape is not None else a.type
        return self.op(f"arith.select {condition.name}, {a.name}, {b.name} : {kinds}", a.shape, a.element,
                       max(a.large, b.large), a.exact and b.exact)

    def splat(self, a, shape):
        return self.op(f"tt.splat {a.name} : {a.type} -> {type_of(shape, a.element)}", shape, a.element, a.large, a.exact)

    def expand(self, a, axis):
        shape = (*a.shape[:axis], 1, *a.shape[axis:])
        return self.op(f"tt.expand_dims {a.name} {{axis = {axis} : i32}} : {a.type} -> {type_of(shape, a.element)}", shape, a.element, a.large, a.exact)

    def broadcast(self, a, shape):
        if a.shape == shape:
            return a
        return self.op(f"tt.broadcast {a.name} : {a.type} -> {type_of(shape, a.element)}", shape, a.element, a.large, a.exact)

    def reshape(self, a, shape):
        return self.op(f"tt.reshape {a.name} : {a.type} -> {type_of(shape, a.element)}", shape, a.element, a.large, a.exact)

    def trans(self, a, order=(1, 0)):
        shape = tuple(a.shape[i] for i in order)
        text = f"tt.trans {a.name} {{order = array<i32: {', '.join(map(str, order))}>}} : {a.type} -> {type_of(shape, a.element)}"
        return self.op(text, shape, a.element, a.large, a.exact)

    def make_range(self, size):
        return self.op(f"tt.make_range {{end = {size} : i32, start = 0 : i32}} : tensor<{size}xi32>", (size,), "i32", size)

    def pointers(self, base, offset):
        """Addresses base + offset: a scalar pointer argument and a tile of element offsets."""
        if offset.shape is None:
            return self.op(f"tt.addptr {base.name}, {offset.name} : {base.type}, {offset.type}", None, base.element)
        spread = self.splat(base, offset.shape)
        return self.op(f"tt.addptr {spread.name}, {offset.name} : {spread.type}, {offset.type}", offset.shape, base.element)

    def load(self, pointer, mask=None, other=None, element=None, large=4.0, attributes=""):
        element = element or pointer.element[len("!tt.ptr<"):-1]
        operands = "".join(f", {value.name}" for value in (mask, other) if value is not None)
        return self.op(f"tt.load {pointer.name}{operands}{attributes} : {pointer.type}", pointer.shape, element, large)

    def store(self, pointer, value, mask=None, attributes=""):
        self.line(f"tt.store {pointer.name}, {value.name}{f', {mask.name}' if mask else ''}{attributes} : {pointer.type}")

    def reduce(self, a, axis, op, kind="tt.reduce", extra=""):
        """One operand with a combine region of one operation."""
        shape = a.shape if kind == "tt.scan" else (a.shape[:axis] + a.shape[axis + 1:] or None)
        name = self.name()
        x, y, z = self.name(), self.name(), self.name()
        self.line(f'{name} = "{kind}"({a.name}) <{{axis = {axis} : i32{extra}}}> ({{')
        self.line(f"^bb0({x}: {a.element}, {y}: {a.element}):")
        self.line(f"  {z} = {op} {x}, {y} : {a.element}")
        self.line(f"  {kind}.return {z} : {a.element}")
        self.line(f"}}) : ({a.type}) -> {type_of(shape, a.element)}")
        length = a.shape[axis]
        return Tile(name, shape, a.element, a.large * (length if op.endswith(("addf", "addi")) else 1), a.exact and op != "arith.addf")
