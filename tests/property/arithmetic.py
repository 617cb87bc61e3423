"""What each elementwise operation computes: NAME -> function(element type of the result, attributes, *operands) -> Value."""

import math

import numpy as np

from tests.property.mlir_text import integer
from tests.property.values import DATA, UNIT, Value, as_element, bounds, choose, is_float, rounded, settled, undecided, wide

UNSIGNED = {"i8": np.uint8, "i16": np.uint16, "i32": np.uint32, "i64": np.uint64}
BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
# arith.cmpf and arith.cmpi number their predicates.
FLOAT_PREDICATES = ["false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"]
COMPARE = {"eq": np.equal, "ne": np.not_equal, "gt": np.greater, "ge": np.greater_equal, "lt": np.less, "le": np.less_equal}
INTEGER_PREDICATES = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]


def unsigned(value, element):
    return value.data if value.data.dtype == np.bool_ else value.data.view(UNSIGNED[element])


def linear(operation):
    """Sum or difference: errors add."""
    def run(element, _, a, b):
        errors = bounds(a, b)
        return rounded(operation(wide(a), wide(b)) if element != "f64" else operation(a.data, b.data), element, None if errors is None else sum(errors))
    return run


def multiply(element, _, a, b):
    errors = bounds(a, b)
    # A product of two f32 is exact in f64, so that there is one rounding.
    return rounded(wide(a) * wide(b), element,
                   None if errors is None else np.abs(wide(a)) * errors[1] + np.abs(wide(b)) * errors[0] + errors[0] * errors[1])


def divide(element, _, a, b):
    with np.errstate(all="ignore"):
        quotient = wide(a) / wide(b)
        errors = bounds(a, b)
        bound = None
        if errors is not None:
            room = np.abs(wide(b)) - errors[1]
            bound = np.where(room > 0, (errors[0] + np.abs(quotient) * errors[1]) / room, np.inf)
    return rounded(quotient, element, bound, ulps=4)


def fused(element, _, a, b, c):
    errors = bounds(a, b, c)
    bound = None if errors is None else np.abs(wide(a)) * errors[1] + np.abs(wide(b)) * errors[0] + errors[0] * errors[1] + errors[2]
    # f64 rounds the sum once more than a fused operation does.
    return rounded(wide(a) * wide(b) + wide(c), element, bound, ulps=1)


def function(compute, slope, absolute=0.0):
    """A function with a few units of error; `slope(x, y)` bounds its derivative around x."""
    def run(element, _, a):
        with np.errstate(all="ignore"):
            x = wide(a)
            y = compute(x)
            bound = absolute + (0 if a.bound is None else np.abs(slope(x, y)) * a.bound * 1.1)
        return rounded(y, element, bound, ulps=4)
    return run


def extreme(compare, propagate):
    """maximum/minimum (a NaN wins) or maxnum/minnum (a number wins)."""
    def run(element, _, a, b):
        if not is_float(element):
            return choose(Value(compare(*(value.data for value in settled(a, b)))), a, b)
        nan = np.isnan(a.data) if propagate else np.isnan(b.data)
        result = choose(Value(nan | compare(a.data, b.data) & ~np.isnan(b.data if propagate else a.data)), a, b)
        errors = bounds(a, b)
        return result if errors is None else Value(result.data, np.maximum(*errors))
    return run


def unsigned_extreme(compare):
    return lambda element, _, a, b: choose(Value(compare(unsigned(a, element), unsigned(b, element))), *settled(a, b))


def whole(operation):
    """An integer operation that wraps around."""
    def run(element, _, *operands):
        with np.errstate(all="ignore"):
            return Value(np.asarray(operation(*[operand.data for operand in settled(*operands)])).astype(DATA[element]))
    return run


def logic(operation):
    def run(_, __, a, b):
        if a.data.dtype != np.bool_:
            settled(a, b)
        errors = bounds(a, b)
        return Value(operation(a.data, b.data), None if errors is None else np.maximum(*errors))
    return run


def divided(element, a, b):
    """Quotient towards zero; by zero there is nothing to compare."""
    settled(a, b)
    safe = np.where(b.data == 0, 1, b.data).astype(np.int64)
    wide_a = a.data.astype(np.int64)
    return (np.sign(wide_a) * np.sign(safe) * (np.abs(wide_a) // np.abs(safe))).astype(DATA[element]), safe


def signed_quotient(element, _, a, b):
    return Value(divided(element, a, b)[0])


def signed_remainder(element, _, a, b):
    quotient, safe = divided(element, a, b)
    return Value((a.data.astype(np.int64) - quotient.astype(np.int64) * safe).astype(DATA[element]))


def unsigned_division(operation):
    def run(element, _, a, b):
        divisor = unsigned(settled(a, b)[1], element)
        return Value(operation(unsigned(a, element), np.where(divisor == 0, 1, divisor).astype(divisor.dtype)).view(DATA[element]))
    return run


def shift(operation, view):
    def run(element, _, a, b):
        settled(a, b)
        data = unsigned(a, element) if view else a.data
        return Value(operation(data, (b.data & (BITS[element] - 1)).astype(data.dtype)).view(DATA[element]))
    return run


def high_product(element, _, a, b):
    product = np.asarray(unsigned(settled(a, b)[0], element)).astype(object) * np.asarray(unsigned(b, element)).astype(object)
    return Value(np.asarray(product >> BITS[element]).astype(UNSIGNED[element]).view(DATA[element]))


def compare_floats(_, attributes, a, b):
    name = FLOAT_PREDICATES[integer(attributes["predicate"])]
    nan = np.isnan(a.data) | np.isnan(b.data)
    if name in ("true", "false", "ord", "uno"):
        return Value({"true": nan | True, "false": nan & False, "ord": ~nan, "uno": nan}[name])
    with np.errstate(all="ignore"):
        result = COMPARE[name[1:]](a.data, b.data)
        return Value(np.where(nan, name[0] == "u", result), undecided(np.where(nan, np.inf, wide(a) - wide(b)), a, b))


def compare_integers(_, attributes, a, b):
    name = INTEGER_PREDICATES[integer(attributes["predicate"])]
    settled(a, b)
    if a.data.dtype == np.bool_:  # true is -1 when signed
        x, y = (-a.data.astype(np.int8), -b.data.astype(np.int8)) if name[0] == "s" else (a.data, b.data)
    elif name[0] == "u":
        x, y = (value.data.view(f"u{value.data.dtype.itemsize}") for value in (a, b))
    else:
        x, y = a.data, b.data
    return Value(COMPARE[name if name in COMPARE else name[1:]](x, y))


def select(_, __, condition, yes, no):
    return choose(condition, yes, no)


def widen_float(element, _, a):
    return Value(as_element(a.data, element), a.bound)


def narrow_float(element, _, a):
    return rounded(a.data, element, a.bound)


def from_integer(view):
    def run(element, _, a):
        settled(a)
        data = a.data if a.data.dtype == np.bool_ or not view else a.data.view(f"u{a.data.dtype.itemsize}")
        if a.data.dtype == np.bool_ and not view:
            data = -a.data.astype(np.int8)
        return Value(as_element(data.astype(np.float64) if data.dtype.itemsize < 8 else data, element))
    return run


def to_integer(element, _, a):
    near = undecided(wide(a) - np.rint(wide(a)), a)
    return Value(np.trunc(wide(a)).astype(np.int64).astype(DATA[element]), near)


def extend(signed):
    def run(element, _, a):
        data = settled(a)[0].data
        if data.dtype == np.bool_:
            return Value((-data.astype(np.int8) if signed else data).astype(DATA[element]))
        return Value((data if signed else data.view(f"u{data.dtype.itemsize}")).astype(DATA[element]))
    return run


def truncate(element, _, a):
    settled(a)
    return Value((a.data & 1).astype(np.bool_) if element == "i1" else a.data.astype(DATA[element]))


def bitcast(element, _, a):
    settled(a)
    if a.data.dtype == np.float32 and element == "i16":  # bf16 is kept as float32
        return Value((np.ascontiguousarray(a.data).view(np.uint32) >> 16).astype(np.uint16).view(np.int16).reshape(a.data.shape))
    if element == "bf16":
        return Value((np.ascontiguousarray(a.data).view(np.uint16).astype(np.uint32) << 16).view(np.float32).reshape(a.data.shape))
    if element.startswith("!"):
        return a
    return Value(np.ascontiguousarray(a.data).view(DATA[element]).reshape(a.data.shape))


def round_to(operation):
    def run(element, _, a):
        return Value(as_element(operation(a.data), element), undecided(wide(a) - np.rint(wide(a)), a))
    return run


def clamp(element, _, x, low, high):
    return extreme(np.less, True)(element, _, extreme(np.greater, True)(element, _, x, low), high)


erf = np.vectorize(math.erf, otypes=[np.float64])
ELEMENTWISE = {
    "arith.addf": linear(np.add), "arith.subf": linear(np.subtract), "arith.mulf": multiply, "arith.divf": divide,
    "tt.precise_divf": divide, "math.fma": fused,
    "arith.negf": lambda _, __, a: Value(-a.data, a.bound), "math.absf": lambda _, __, a: Value(np.abs(a.data), a.bound),
    "arith.maximumf": extreme(np.greater, True), "arith.minimumf": extreme(np.less, True),
    "arith.maxnumf": extreme(np.greater, False), "arith.minnumf": extreme(np.less, False), "tt.clampf": clamp,
    "math.exp": function(np.exp, lambda x, y: y), "math.exp2": function(np.exp2, lambda x, y: y),
    "math.log": function(np.log, lambda x, y: 1 / x, 2e-7), "math.log2": function(np.log2, lambda x, y: 1.5 / x, 2e-7),
    "math.sqrt": function(np.sqrt, lambda x, y: 0.5 / y), "tt.precise_sqrt": function(np.sqrt, lambda x, y: 0.5 / y),
    "math.rsqrt": function(lambda x: 1 / np.sqrt(x), lambda x, y: 0.5 * y / x),
    "math.sin": function(np.sin, lambda x, y: 1, 5e-7), "math.cos": function(np.cos, lambda x, y: 1, 5e-7),
    "math.erf": function(erf, lambda x, y: 1.13, 5e-7), "math.tanh": function(np.tanh, lambda x, y: 1, 2e-7),
    "math.floor": round_to(np.floor), "math.ceil": round_to(np.ceil),
    "arith.addi": whole(np.add), "arith.subi": whole(np.subtract), "arith.muli": whole(np.multiply), "math.absi": whole(np.abs),
    "arith.andi": logic(np.bitwise_and), "arith.ori": logic(np.bitwise_or), "arith.xori": logic(np.bitwise_xor),
    "arith.shli": shift(np.left_shift, False), "arith.shrsi": shift(np.right_shift, False), "arith.shrui": shift(np.right_shift, True),
    "arith.divsi": signed_quotient, "arith.remsi": signed_remainder,
    "arith.divui": unsigned_division(np.floor_divide), "arith.remui": unsigned_division(np.remainder), "tt.mulhiui": high_product,
    "arith.maxsi": extreme(np.greater, False), "arith.minsi": extreme(np.less, False),
    "arith.maxui": unsigned_extreme(np.greater), "arith.minui": unsigned_extreme(np.less),
    "arith.cmpf": compare_floats, "arith.cmpi": compare_integers, "arith.select": select,
    "arith.extf": widen_float, "arith.truncf": narrow_float, "tt.fp_to_fp": narrow_float,
    "arith.sitofp": from_integer(False), "arith.uitofp": from_integer(True), "arith.fptosi": to_integer, "arith.fptoui": to_integer,
    "arith.extsi": extend(True), "arith.extui": extend(False), "arith.trunci": truncate, "arith.index_cast": truncate,
    "tt.bitcast": bitcast, "arith.bitcast": bitcast,
}


def sum_error(element, count, magnitude):
    """How far two orders of summing `count` numbers can be apart."""
    return 2 * count * UNIT[element] * magnitude
