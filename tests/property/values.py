"""Values of the interpreter: numpy arrays with, for floats, a bound on how far another correct implementation may be away.

`data` has the tile's shape (() for scalars): floats in their own precision (bf16 as rounded float32), integers signed, i1 as bool, pointers as
int64 addresses. `bound` is None when every correct implementation gives these bits, else an array of absolute distances, carried along by
running error analysis. A comparison of numbers closer than their bounds is undecided (an i1 with a bound of 1); where more than a select depends on
it, the kernel has no single right answer: `Ambiguous`.
"""

from dataclasses import dataclass
from typing import Optional

import numpy as np

DATA = {"f16": np.float16, "bf16": np.float32, "f32": np.float32, "f64": np.float64,
        "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "index": np.int64}
# Largest relative error of one rounding.
UNIT = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24, "f64": 2.0**-53}


class Ambiguous(Exception):
    """The result depends on a rounding that is an implementation's choice."""


class Unsupported(Exception):
    """The interpreter does not know the operation."""


@dataclass
class Value:
    data: np.ndarray
    bound: Optional[np.ndarray] = None

    def inexact(self):
        return self.bound is not None


def is_float(element):
    return element in UNIT


def bf16(values):
    """Rounded to nearest even, as float32."""
    values = np.asarray(values, np.float32)
    bits = np.ascontiguousarray(values).view(np.uint32).astype(np.uint64)
    rounded = (((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16) << 16).astype(np.uint32).view(np.float32).reshape(values.shape)
    return np.where(np.isnan(values), values, rounded)


def as_element(data, element):
    """Numbers in the element's own precision; one rounding."""
    if element == "bf16":
        return bf16(data)
    return np.asarray(data).astype(DATA.get(element, np.int64))


def rounded(data, element, bound=None, ulps=0.0):
    """A float result: `bound` is what the operands' errors make of it, `ulps` how inexact the operation itself may be."""
    with np.errstate(all="ignore"):
        data = as_element(data, element)
        if bound is None and not ulps:
            return Value(data)
        own = np.abs(data.astype(np.float64)) * UNIT[element] * 2 * max(ulps, 1.0)
        total = own + (0 if bound is None else bound) + np.finfo(np.float32).tiny
    return Value(data, np.where(np.isfinite(data.astype(np.float64)), np.broadcast_to(total, data.shape), 0))


def bounds(*values):
    """The bounds as arrays, None if all are exact."""
    if not any(value.inexact() for value in values):
        return None
    return [np.zeros(value.data.shape) if value.bound is None else value.bound for value in values]


def wide(value):
    return value.data.astype(np.float64)


def undecided(distance, *values):
    """Where the operands' bounds could turn a comparison over: 1.0, else 0.0; None if nowhere. `distance`: how far the operands are apart."""
    errors = bounds(*values)
    if errors is None:
        return None
    open_lanes = (np.abs(distance) <= sum(errors)) & (sum(errors) > 0)
    return open_lanes.astype(np.float64) if open_lanes.any() else None


def settled(*values):
    """The operands, none of which may depend on a rounding."""
    if any(value.inexact() for value in values):
        raise Ambiguous
    return values


def choose(condition, yes, no):
    """A select, elementwise; where the condition is undecided the result may be either."""
    data = np.where(condition.data, yes.data, no.data)
    errors = bounds(condition, yes, no)
    if errors is None:
        return Value(data)
    with np.errstate(all="ignore"):
        apart = np.abs(wide(yes) - wide(no)) if data.dtype != np.bool_ else yes.data != no.data
    own = np.where(condition.data, errors[1], errors[2])
    return Value(data, np.where(errors[0] > 0, apart + np.maximum(errors[1], errors[2]), own))
