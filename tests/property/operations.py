"""Random elementwise steps: each takes the kernel and tiles of one shape and gives a new tile.

Magnitudes stay inside what the types hold, and nothing that depends on a rounding decides anything (`exact`), so that every kernel has one right answer.
"""

from tests.property.writer import FLOATS, INTEGERS, WIDTH

LIMIT = {"f16": 60.0, "bf16": 1e4, "f32": 1e5}
MATH = ["exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "erf", "absf", "tt.precise_sqrt"]
FLOAT_PREDICATES = ["oeq", "ogt", "oge", "olt", "ole", "one", "une", "ult", "uge"]
INTEGER_PREDICATES = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "uge"]


def constant(kernel, like, low=-4, high=4):
    value = kernel.rng.randint(low * 8, high * 8) / 8 if like.element in FLOATS else kernel.rng.randint(low, high)
    return kernel.writer.constant(value, like.shape, like.element)


def bounded(kernel, a, limit=None):
    """The tile with its magnitude under the limit of its type."""
    limit = limit or LIMIT[a.element]
    if a.large <= limit:
        return a
    w = kernel.writer
    high, low = w.constant(limit, a.shape, a.element), w.constant(-limit, a.shape, a.element)
    return w.binary("arith.minnumf", w.binary("arith.maxnumf", a, low, limit), high, limit)


def as_f32(kernel, a):
    return a if a.element == "f32" else kernel.writer.convert("arith.extf", a, "f32")


def float_binary(kernel, a, b):
    op = kernel.rng.choice(["addf", "subf", "mulf", "addf", "mulf", "maxnumf", "minnumf", "maximumf", "minimumf"])
    if op == "mulf":
        a, b = bounded(kernel, a, LIMIT[a.element] ** 0.5), bounded(kernel, b, LIMIT[a.element] ** 0.5)
    large = {"a": a.large + b.large, "s": a.large + b.large, "m": max(a.large, b.large)}[op[0]] if op != "mulf" else a.large * b.large
    return bounded(kernel, kernel.writer.binary(f"arith.{op}", a, b, large))


def quotient(kernel, a, b):
    """a / (|b| + 1/2)."""
    w, a, b = kernel.writer, as_f32(kernel, a), as_f32(kernel, b)
    divisor = w.binary("arith.addf", w.unary("math.absf", b), w.constant(0.5, b.shape, "f32"), b.large + 1)
    return bounded(kernel, w.binary(kernel.rng.choice(["arith.divf", "tt.precise_divf"]), a, divisor, 2 * a.large, exact=False))


def function(kernel, a):
    w, name = kernel.writer, kernel.rng.choice(MATH)
    a = bounded(kernel, as_f32(kernel, a), 4.0)
    if name in ("log", "log2", "rsqrt", "sqrt", "tt.precise_sqrt"):
        a = w.binary("arith.addf", w.unary("math.absf", a), w.constant(0.25, a.shape, "f32"), 4.25)
    op = name if name.startswith("tt.") else f"math.{name}"
    return w.unary(op, a, {"exp": 55.0, "exp2": 16.0}.get(name, 4.25), a.exact if name == "absf" else False)


def fused(kernel, a, b):
    a, b = (bounded(kernel, as_f32(kernel, tile), 100.0) for tile in (a, b))
    return kernel.writer.op(f"math.fma {a.name}, {b.name}, {a.name} : {a.type}", a.shape, "f32", 10100.0, exact=False)


def clamp(kernel, a):
    w = kernel.writer
    low, high = w.constant(-1.5, a.shape, a.element), w.constant(2, a.shape, a.element)
    mode = kernel.rng.choice(["none", "all"])
    return w.op(f"tt.clampf {a.name}, {low.name}, {high.name}, propagateNan = {mode} : {a.type}", a.shape, a.element, 2.0, a.exact)


def float_select(kernel, a, b):
    w = kernel.writer
    return w.select(condition(kernel, a, b), a, b)


def condition(kernel, a, b):
    """An i1 tile out of two tiles of one type."""
    w, rng = kernel.writer, kernel.rng
    predicates = FLOAT_PREDICATES if a.element in FLOATS else INTEGER_PREDICATES
    first = w.compare(rng.choice(predicates), a, b)
    if rng.random() < 0.4:
        second = w.compare(rng.choice(predicates), b, constant(kernel, b))
        first = w.binary(f"arith.{rng.choice(['andi', 'ori', 'xori'])}", first, second)
    return first


def integer_binary(kernel, a, b):
    w, rng = kernel.writer, kernel.rng
    op = rng.choice(["addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui", "shli", "shrsi", "shrui", "divsi", "remsi"])
    if op.startswith("sh"):
        b = w.constant(rng.randrange(WIDTH[a.element]), a.shape, a.element)
    if op in ("divsi", "remsi"):
        b = w.binary("arith.ori", b, w.constant(1, b.shape, b.element))
    return w.binary(f"arith.{op}", a, b)


def integer_select(kernel, a, b):
    return kernel.writer.select(condition(kernel, a, b), a, b)


def flag_number(kernel, a, b):
    """A condition as a number."""
    w, rng = kernel.writer, kernel.rng
    if not (a.exact and b.exact):
        return float_binary(kernel, a, b) if a.element in FLOATS else integer_binary(kernel, a, b)
    flags = condition(kernel, a, b)
    if rng.random() < 0.5:
        return w.convert("arith.uitofp", flags, "f32", large=1.0)
    return w.convert("arith.extui", flags, rng.choice(INTEGERS))


def cast(kernel, a, element):
    """The tile in another type, or as it is where that would not have one answer."""
    w, old = kernel.writer, a.element
    if old == element:
        return a
    if old in FLOATS and element in FLOATS:
        a = bounded(kernel, a, LIMIT[element] if WIDTH[element] <= 16 else None)
        if WIDTH[old] < WIDTH[element]:
            return w.convert("arith.extf", a, element)
        if WIDTH[old] > WIDTH[element]:
            return w.convert("arith.truncf", a, element)
        return w.convert("arith.truncf", w.convert("arith.extf", a, "f32"), element)
    if old in FLOATS:
        return w.convert("arith.fptosi", bounded(kernel, as_f32(kernel, a), 100.0), element) if a.exact else a
    if element in FLOATS:
        mask = w.constant(31, a.shape, old)
        return cast(kernel, w.convert("arith.sitofp", w.binary("arith.andi", a, mask, 31.0), "f32", large=31.0), element)
    if WIDTH[old] < WIDTH[element]:
        return w.convert(kernel.rng.choice(["arith.extsi", "arith.extui"]), a, element)
    return w.convert("arith.trunci", a, element)


def step(kernel, a, b):
    """One random operation on two tiles."""
    rng = kernel.rng
    if a.element in FLOATS:
        b = cast(kernel, b, a.element)
        if b.element != a.element:
            return b
        kind = rng.choice([float_binary] * 4 + [quotient, fused, float_select, float_select, flag_number])
        return kind(kernel, a, b)
    if b.element in FLOATS:
        b = cast(kernel, b, a.element)
        if b.element in FLOATS:
            return b
    b = cast(kernel, b, a.element)
    return rng.choice([integer_binary] * 3 + [integer_select, flag_number])(kernel, a, b)


def unary_step(kernel, a):
    rng, w = kernel.rng, kernel.writer
    if a.element in FLOATS:
        kind = rng.choice(["function", "function", "negf", "clamp", "cast", "constant"])
        if kind == "function":
            return function(kernel, a)
        if kind == "negf":
            return w.unary("arith.negf", a)
        if kind == "clamp":
            return clamp(kernel, a)
        if kind == "constant":
            return float_binary(kernel, a, constant(kernel, a))
        return cast(kernel, a, rng.choice([*FLOATS, "i32", "i16", "i8"]))
    if rng.random() < 0.5:
        return cast(kernel, a, rng.choice([*INTEGERS, "f32", "f16"]))
    return integer_binary(kernel, a, constant(kernel, a, -9, 9))
