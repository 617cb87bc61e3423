"""Runs a TTIR kernel with numpy: program after program, operation after operation, as the language defines them.

It shares nothing with the compiler but the parser that prints the generic form. tests/property/test_interpreter.py holds it against a GPU.
"""

from collections import Counter

import numpy as np

from tests.property import shapes
from tests.property.arithmetic import ELEMENTWISE, sum_error
from tests.property.memory import Memory
from tests.property.mlir_text import constant, integer, integers, shape_of
from tests.property.values import DATA, Unsupported, Value, as_element, bounds, is_float, rounded, settled, wide

ATOMIC = {1: "arith.andi", 2: "arith.ori", 3: "arith.xori", 4: "arith.addi", 5: "arith.addf", 6: "arith.maxsi", 7: "arith.minsi",
          8: "arith.maxui", 9: "arith.minui"}


class Return(Exception):
    def __init__(self, values):
        super().__init__()
        self.values = values


class Interpreter:
    def __init__(self, module):
        self.functions = {op.attributes["sym_name"].strip('"'): op for op in module.regions[0][0].operations if op.name == "tt.func"}
        self.memory = Memory()
        self.seen = Counter()  # operations by name, once for each time that they ran

    def launch(self, kernel, grid, arguments):
        """Every program of the grid, x fastest. `arguments`: Values by position."""
        entry = self.functions[kernel]
        self.grid = [*grid, 1, 1][:3]
        for z in range(self.grid[2]):
            for y in range(self.grid[1]):
                for x in range(self.grid[0]):
                    self.program = (x, y, z)
                    self.call(entry, arguments)

    def call(self, function, arguments):
        try:
            self.blocks(function.regions[0], arguments, {})
        except Return as done:
            return done.values
        raise Unsupported("a function without tt.return")

    def blocks(self, region, arguments, environment):
        """Runs a region; the terminator's operands."""
        environment = dict(environment)
        labels = {block.label: block for block in region}
        block = region[0]
        while True:
            environment.update(zip((name for name, _ in block.arguments), arguments))
            for op in block.operations[:-1]:
                self.run(op, environment)
            last = block.operations[-1]
            operands = [environment[name] for name in last.operands]
            if last.name == "tt.return":
                raise Return(operands)
            if last.name == "cf.br":
                block, arguments = labels[last.successors[0]], operands
            elif last.name == "cf.cond_br":
                _, taken, other = integers(last.attributes["operandSegmentSizes"])
                yes = bool(settled(operands[0])[0].data)
                block = labels[last.successors[0 if yes else 1]]
                arguments = operands[1:1 + taken] if yes else operands[1 + taken:1 + taken + other]
            else:
                self.seen[last.name] += 1
                return last, operands

    def body(self, region, arguments, environment):
        return self.blocks(region, arguments, environment)[1]

    def run(self, op, environment):
        self.seen[op.name] += 1
        operands = [environment[name] for name in op.operands]
        if op.name in ELEMENTWISE:
            results = [ELEMENTWISE[op.name](shape_of(op.result_types[0])[1], op.attributes, *operands)]
        elif op.name in shapes.SHAPES:
            results = shapes.SHAPES[op.name](op, *operands)
        else:
            method = getattr(self, "do_" + op.name.replace(".", "_"), None)
            if method is None:
                raise Unsupported(op.name)
            results = method(op, operands, environment)
        environment.update(zip(op.results, results or []))

    # -- program and control
    def do_tt_get_program_id(self, op, *_):
        return [Value(np.int32(self.program[integer(op.attributes["axis"])]))]

    def do_tt_get_num_programs(self, op, *_):
        return [Value(np.int32(self.grid[integer(op.attributes["axis"])]))]

    # One program at a time: there is nobody to wait for, and what they say or claim changes no value.
    def do_gpu_barrier(self, *_):
        return []

    do_tt_assert = do_tt_print = do_gpu_barrier

    def do_tt_call(self, op, operands, _):
        return self.call(self.functions[op.attributes["callee"].lstrip("@")], operands)

    def do_scf_for(self, op, operands, environment):
        low, high, step = (int(operand.data) for operand in settled(*operands[:3]))
        carried = operands[3:]
        for at in range(low, high, step):
            carried = self.body(op.regions[0], [Value(np.asarray(at).astype(operands[0].data.dtype)), *carried], environment)
        return carried

    def do_scf_if(self, op, operands, environment):
        region = op.regions[0 if settled(operands[0])[0].data else 1]
        return self.body(region, [], environment) if region else []

    def do_scf_while(self, op, operands, environment):
        while True:
            condition, *carried = self.body(op.regions[0], operands, environment)
            if not settled(condition)[0].data:
                return carried
            operands = self.body(op.regions[1], carried, environment)

    # -- memory
    def do_tt_addptr(self, op, operands, _):
        pointer, offset = settled(*operands)
        element = shape_of(op.result_types[0])[1][len("!tt.ptr<"):-1]
        return [Value(pointer.data + offset.data.astype(np.int64) * shapes.bytes_of(element))]

    def do_tt_load(self, op, operands, _):
        pointer, mask, other = shapes.optional(op, operands, 3)
        element = shape_of(op.result_types[0])[1]
        if isinstance(pointer, shapes.BlockPointer):
            addresses, inside = pointer.addresses(integers(op.attributes.get("boundaryCheck", "array<i32>")))
            filler = Value(np.asarray(np.nan if integer(op.attributes.get("padding", "1 : i32")) == 2 else 0).astype(DATA[element]))
            return [self.memory.load(element, addresses, inside, filler)]
        return [self.memory.load("i64" if element.startswith("!") else element, pointer.data, settled(mask)[0].data if mask else None, other)]

    def do_tt_store(self, op, operands, _):
        pointer, value, *mask = operands
        element = shape_of(op.operand_types[1])[1]
        if isinstance(pointer, shapes.BlockPointer):
            addresses, inside = pointer.addresses(integers(op.attributes.get("boundaryCheck", "array<i32>")))
            self.memory.store(element, addresses, inside, value)
        else:
            self.memory.store(element, pointer.data, settled(mask[0])[0].data if mask else None, value)

    def do_tt_atomic_rmw(self, op, operands, _):
        pointer, value, *mask = operands
        element = shape_of(op.operand_types[1])[1]
        kind = integer(op.attributes["atomic_rmw_op"] if "atomic_rmw_op" in op.attributes else op.attributes["kind"])
        def combine(old, new):
            if kind == 10:
                return new
            result = ELEMENTWISE[ATOMIC[kind]](element, {}, old, new)
            # Programs come in any order, and so do the roundings of their sums.
            own = np.abs(np.float64(result.data)) + np.abs(np.float64(new.data))
            return Value(result.data, (result.bound or 0) + sum_error(element, 1, own)) if kind == 5 else result
        before = self.memory.update(element, pointer.data, settled(mask[0])[0].data if mask else None, value, combine)
        return [Value(before)]

    # -- regions over an axis
    def do_tt_reduce(self, op, operands, environment):
        axis, count = integer(op.attributes["axis"]), len(operands)
        length = operands[0].data.shape[axis]
        total = [along(operand, axis) for operand in operands]
        while (left := len(total[0].data)) > 1:
            # Neighbours pairwise, so that the order stays; an odd one out waits.
            pairs = self.body(op.regions[0], [part(value, slice(start, left - left % 2, 2)) for start in (0, 1) for value in total], environment)
            total = [joined(pair, part(value, slice(left - left % 2, left))) for pair, value in zip(pairs, total)]
        total = [part(value, 0) for value in total]
        if count == 1 and any(inner.name == "arith.addf" for inner in op.regions[0][0].operations):
            element = shape_of(op.operand_types[0])[1]
            magnitude = np.abs(wide(operands[0])).sum(axis)
            total = [Value(total[0].data, (0 if operands[0].bound is None else operands[0].bound.sum(axis))
                           + sum_error(element, length, magnitude))]
        return total

    def do_tt_scan(self, op, operands, environment):
        axis = integer(op.attributes["axis"])
        lines = [along(operand, axis) for operand in operands]
        order = range(len(lines[0].data))
        if integer(op.attributes.get("reverse", "false")):
            order = order[::-1]
        held, total = {}, None
        for at in order:
            now = [part(line, at) for line in lines]
            total = now if total is None else self.body(op.regions[0], [*total, *now], environment)
            held[at] = total
        results = []
        for i, operand in enumerate(operands):
            data = np.stack([held[at][i].data for at in range(len(held))], axis)
            bound = None
            if any(inner.name == "arith.addf" for inner in op.regions[0][0].operations):
                element = shape_of(op.operand_types[i])[1]
                errors = (0 if operand.bound is None else operand.bound) + sum_error(element, len(held), np.abs(wide(operand)))
                bound = np.broadcast_to(np.sum(errors, axis, keepdims=True), data.shape)
            elif operand.inexact():
                raise Unsupported("a scan of inexact numbers")
            results.append(Value(data, bound))
        return results

    def do_tt_dot(self, op, operands, _):
        a, b, c = operands
        element = shape_of(op.result_types[0])[1]
        if not is_float(element):
            return [Value((a.data.astype(np.int64) @ b.data.astype(np.int64) + c.data).astype(DATA[element]))]
        product = wide(a) @ wide(b)
        magnitude = np.abs(wide(a)) @ np.abs(wide(b))
        errors = bounds(a, b, c) or [np.zeros(value.data.shape) for value in (a, b, c)]
        bound = errors[0] @ np.abs(wide(b)) + np.abs(wide(a)) @ errors[1] + errors[0] @ errors[1] + errors[2]
        bound = bound + sum_error("f32", a.data.shape[-1] + 1, magnitude + np.abs(wide(c)))
        if shape_of(op.operand_types[0])[1] == "f32" and integer(op.attributes.get("inputPrecision", "2 : i32")) != 2:
            bound = bound + 2.0**-10 * magnitude
        return [rounded(product + wide(c), element, bound)]

    # -- constants
    def do_arith_constant(self, op, *_):
        shape, element = shape_of(op.result_types[0])
        numbers = as_element(np.asarray(constant(op.attributes["value"], op.result_types[0])), element)
        return [Value(numbers if shape is None else np.broadcast_to(numbers, shape))]

    def do_ub_poison(self, op, *_):
        shape, element = shape_of(op.result_types[0])
        return [Value(np.zeros(shape or (), DATA.get(element, np.int64)))]


def along(value, axis):
    """The value with the axis in front."""
    return Value(np.moveaxis(value.data, axis, 0), None if value.bound is None else np.moveaxis(value.bound, axis, 0))


def part(value, index):
    return Value(value.data[index], None if value.bound is None else value.bound[index])


def joined(a, b):
    errors = bounds(a, b)
    return Value(np.concatenate([a.data, b.data]), None if errors is None else np.concatenate(errors))
