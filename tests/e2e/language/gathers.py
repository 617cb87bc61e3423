"""Accesses that are no rectangle, to tiles of three dimensions."""

import numpy as np

from tests.e2e.language.builder import Probe, tile
from tests.e2e.language.inputs import f32, floats, i32, rng

SHAPE = (4, 6, 16)
INDICES = tile(SHAPE, "i32")
PLANE, ROW, _ = (int(np.prod(SHAPE[axis + 1:])) for axis in range(3))


def lanes(name, line, axis):
    """A line of indices along one axis of the tile."""
    text, shape = "", [SHAPE[axis]]
    for other in (a for a in range(3) if a != axis):
        wider = [*shape[:other], 1, *shape[other:]]
        text += f"%{name}{other} = tt.expand_dims {line} {{axis = {other} : i32}} : {tile(shape, 'i32')} -> {tile(wider, 'i32')}\n"
        line, shape = f"%{name}{other}", wider
    return text + f"%{name} = tt.broadcast {line} : {tile(shape, 'i32')} -> {INDICES}\n"


def pointers(name, base, index, element="f32"):
    kind = f"!tt.ptr<{element}>"
    return f"""%{name}_all = tt.splat %{base} : {kind} -> {tile(SHAPE, kind)}
%{name} = tt.addptr %{name}_all, {index} : {tile(SHAPE, kind)}, {INDICES}
"""


def load(name, pointer, element="f32"):
    return f"%{name} = tt.load %{pointer} : {tile(SHAPE, f'!tt.ptr<{element}>')}\n"


RANGES = "".join(f"%r{axis} = tt.make_range {{start = 0 : i32, end = {size} : i32}} : tensor<{size}xi32>\n" + lanes("xyz"[axis], f"%r{axis}", axis)
                 for axis, size in enumerate(SHAPE))
LINEAR = RANGES + f"""%plane = arith.constant dense<{PLANE}> : {INDICES}
%row = arith.constant dense<{ROW}> : {INDICES}
%xs = arith.muli %x, %plane : {INDICES}
%ys = arith.muli %y, %row : {INDICES}
%yz = arith.addi %ys, %z : {INDICES}
%linear = arith.addi %xs, %yz : {INDICES}
"""
LOADED = LINEAR + pointers("ip", "i_ptr", "%linear", "i32") + load("loaded", "ip", "i32")
STORED = f"tt.store %op, %v : {tile(SHAPE, '!tt.ptr<f32>')}"


def copied(source, target):
    return pointers("xp", "x_ptr", source) + load("v", "xp") + pointers("op", "o0_ptr", target) + STORED


def probes():
    x, count = floats(600), int(np.prod(SHAPE))
    places = rng.integers(0, 600, SHAPE).astype(i32)
    yield Probe("elements of a rank-3 tile", LOADED + copied("%loaded", "%linear"), {"x": x, "i": places}, [x[places]], pointers=True)
    order = rng.permutation(count).reshape(SHAPE).astype(i32)
    scattered = np.empty(count, f32)
    scattered[order] = x[:count].reshape(SHAPE)
    yield Probe("scatter of a rank-3 tile", LOADED + copied("%linear", "%loaded"), {"x": x, "i": order}, [scattered], pointers=True)
    starts = rng.integers(0, 30, SHAPE[0]).astype(i32)
    rows = LINEAR + """%ss = tt.splat %s_ptr : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
%sp = tt.addptr %ss, %r0 : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
%sv = tt.load %sp : tensor<4x!tt.ptr<i32>>
""" + lanes("start", "%sv", 0) + f"""%first = arith.muli %start, %row : {INDICES}
%at = arith.addi %first, %yz : {INDICES}
"""
    yield Probe("rows of a rank-3 tile", rows + copied("%at", "%linear"), {"x": x, "s": starts},
                [x[(starts[:, None, None] + np.arange(6)[:, None]) * ROW + np.arange(16)]], pointers=True)
    quotient = LINEAR + f"%c7 = arith.constant dense<7> : {INDICES}\n%q = arith.divsi %linear, %c7 : {INDICES}\n"
    yield Probe("quotients of a rank-3 tile", quotient + copied("%q", "%linear"), {"x": x}, [x[np.arange(count) // 7].reshape(SHAPE)],
                pointers=True)
    # An index that depends on an element of a rank-3 tile which the vector unit has computed.
    computed = LOADED + f"%one = arith.constant dense<1> : {INDICES}\n%next = arith.xori %loaded, %one : {INDICES}\n"
    yield Probe("computed elements of a rank-3 tile", computed + copied("%next", "%linear"), {"x": x, "i": order}, [x[order ^ 1]], pointers=True)
