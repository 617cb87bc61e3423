"""Kernels on tiles of two dimensions: reductions, broadcasts, masks and unaligned rectangles, at shapes that need padding."""

import numpy as np

from tests.e2e.vector_ops import Op, f16, f32, i32, to_bf16

SHAPES = [(8, 128), (5, 20), (3, 7), (16, 16), (33, 70), (2, 300), (64, 8), (1, 40), (40, 1), (8, 1024), (2, 2048), (64, 64), (24, 192), (36, 32)]
ELEMENTS = 20000


def inputs():
    rng = np.random.default_rng(3)
    x = rng.standard_normal(ELEMENTS).astype(f32)
    return {"x_ptr": x, "h_ptr": x.astype(f16), "a_ptr": rng.integers(-1000, 1000, ELEMENTS).astype(i32)}


def reduced(op, axis, shape, element):
    """Text that reduces %v along the axis and spreads the result over the tile again, as %s."""
    rest, kept = shape[1 - axis], f"{shape[0]}x1" if axis == 1 else f"1x{shape[1]}"
    tile, line = f"tensor<{shape[0]}x{shape[1]}x{element}>", f"tensor<{rest}x{element}>"
    return f"""%red = "tt.reduce"(%v) <{{axis = {axis} : i32}}> ({{
^bb0(%l: {element}, %u: {element}):
  %w = arith.{op} %l, %u : {element}
  tt.reduce.return %w : {element}
}}) : ({tile}) -> {line}
%e = tt.expand_dims %red {{axis = {axis} : i32}} : {line} -> tensor<{kept}x{element}>
%s = tt.broadcast %e : tensor<{kept}x{element}> -> {tile}
"""


class Tile:
    """Text of the accesses to a tile of `rows` x `cols` elements."""

    def __init__(self, rows, cols):
        self.shape = rows, cols

    def of(self, element):
        return f"tensor<{self.shape[0]}x{self.shape[1]}x{element}>"

    def indices(self):
        (rows, cols), tile = self.shape, self.of("i32")
        return f"""%ri = tt.make_range {{start = 0 : i32, end = {rows} : i32}} : tensor<{rows}xi32>
%ci = tt.make_range {{start = 0 : i32, end = {cols} : i32}} : tensor<{cols}xi32>
%rc = tt.expand_dims %ri {{axis = 1 : i32}} : tensor<{rows}xi32> -> tensor<{rows}x1xi32>
%cr = tt.expand_dims %ci {{axis = 0 : i32}} : tensor<{cols}xi32> -> tensor<1x{cols}xi32>
%width = arith.constant dense<{cols}> : tensor<{rows}x1xi32>
%ro = arith.muli %rc, %width : tensor<{rows}x1xi32>
%rob = tt.broadcast %ro : tensor<{rows}x1xi32> -> {tile}
%cob = tt.broadcast %cr : tensor<1x{cols}xi32> -> {tile}
%at = arith.addi %rob, %cob : {tile}
"""

    def inside(self, bounds):
        """%m: lo <= index < hi in both dimensions, the bounds only known at run time."""
        (rows, cols), text = self.shape, ""
        for name, value in zip(("rl", "rh", "cl", "ch"), bounds):
            text += f"%k{name} = arith.constant {value} : i32\n%{name} = arith.muli %k{name}, %one : i32\n"
        for index, shape, lo, hi, out in (("rc", f"{rows}x1", "rl", "rh", "rm"), ("cr", f"1x{cols}", "cl", "ch", "cm")):
            t, m = f"tensor<{shape}xi32>", f"tensor<{shape}xi1>"
            text += f"""%{lo}s = tt.splat %{lo} : i32 -> {t}
%{hi}s = tt.splat %{hi} : i32 -> {t}
%{lo}m = arith.cmpi sge, %{index}, %{lo}s : {t}
%{hi}m = arith.cmpi slt, %{index}, %{hi}s : {t}
%{out} = arith.andi %{lo}m, %{hi}m : {m}
%{out}b = tt.broadcast %{out} : {m} -> {self.of("i1")}
"""
        return text + f"%m = arith.andi %rmb, %cmb : {self.of('i1')}\n"

    def load(self, name, pointer, element, mask=""):
        ptr = f"!tt.ptr<{element}>"
        return f"""%{name}s = tt.splat %{pointer} : {ptr} -> {self.of(ptr)}
%{name}p = tt.addptr %{name}s, %at : {self.of(ptr)}, {self.of("i32")}
%{name} = tt.load %{name}p{mask} : {self.of(ptr)}
"""


def operations(rows, cols):
    data, tile, shape = inputs(), Tile(rows, cols), (rows, cols)
    x, h, a = (v[: rows * cols].reshape(shape) for v in data.values())
    F, load = tile.of("f32"), tile.indices() + tile.load("v", "x_ptr", "f32")
    spread = lambda v: np.broadcast_to(v, shape).astype(f32)
    for axis in (0, 1):
        for op, fn in {"addf": np.sum, "maxnumf": np.max, "minnumf": np.min}.items():
            yield Op(f"{op} axis {axis}", load + reduced(op, axis, shape, "f32") + f"%r = arith.addf %s, %v : {F}",
                     (fn(x.astype(np.float64), axis, keepdims=True) + x).astype(f32))
        for element, narrow in (("f16", lambda v: v.astype(f16)), ("bf16", to_bf16)):
            text = tile.indices() + tile.load("wide", "x_ptr", "f32") + f"%v = arith.truncf %wide : {F} to {tile.of(element)}\n"
            yield Op(f"{element} max axis {axis}", text + reduced("maxnumf", axis, shape, element) +
                     f"%r = arith.extf %s : {tile.of(element)} to {F}", spread(narrow(x).max(axis, keepdims=True)))
    top = x.max(1, keepdims=True)
    for name, line, expected in (("a column less the tile", "arith.subf %s, %v", top - x), ("the tile less a column", "arith.subf %v, %s", x - top),
                                 ("the tile over a column", "arith.divf %v, %s", x / top), ("a column over the tile", "arith.divf %s, %v", top / x)):
        yield Op(name, load + reduced("maxnumf", 1, shape, "f32") + f"%r = {line} : {F}", expected)
    H, narrow = tile.of("f16"), x.astype(f16)
    yield Op("f16 times a column", load.replace("%v =", "%wide =") + f"%v = arith.truncf %wide : {F} to {H}\n" + reduced("maxnumf", 1, shape, "f16") +
             f"%p = arith.mulf %v, %s : {H}\n%r = arith.extf %p : {H} to {F}", (narrow * narrow.max(1, keepdims=True)).astype(f32))
    if min(shape) > 1:
        yield Op("i32 sum of columns", tile.indices() + tile.load("v", "a_ptr", "i32") + reduced("addi", 0, shape, "i32") +
                 f"%r = arith.sitofp %s : {tile.of('i32')} to {F}", spread(a.sum(0, keepdims=True)))
    bounds = rows // 4, max(rows - 1, 1), cols // 4, max(cols - 1, 1)
    inside = np.zeros(shape, bool)
    inside[bounds[0] : bounds[1], bounds[2] : bounds[3]] = True
    seven = f"%o = arith.constant dense<7.0> : {F}\n"
    yield Op("mask as data", load + tile.inside(bounds) + seven + f"%r = arith.select %m, %v, %o : {tile.of('i1')}, {F}",
             np.where(inside, x, f32(7)))
    yield Op("rectangle", tile.indices() + tile.inside(bounds) + seven + tile.load("r", "x_ptr", "f32", ", %m, %o"),
             np.where(inside, x, f32(7)))
    half = f"%o = arith.constant dense<7.0> : {tile.of('f16')}\n"
    yield Op("f16 rectangle", tile.indices() + tile.inside(bounds) + half + tile.load("v", "h_ptr", "f16", ", %m, %o") +
             f"%r = arith.extf %v : {tile.of('f16')} to {F}", np.where(inside, h.astype(f32), f32(7)))
    if cols > 1:
        line = data["x_ptr"][:cols]
        text = load + f"""%ls = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<{cols}x!tt.ptr<f32>>
%lp = tt.addptr %ls, %ci : tensor<{cols}x!tt.ptr<f32>>, tensor<{cols}xi32>
%line = tt.load %lp : tensor<{cols}x!tt.ptr<f32>>
%z = arith.constant dense<0.0> : tensor<{cols}xf32>
%lm = arith.cmpf ogt, %line, %z : tensor<{cols}xf32>
%le = tt.expand_dims %lm {{axis = 0 : i32}} : tensor<{cols}xi1> -> tensor<1x{cols}xi1>
%m = tt.broadcast %le : tensor<1x{cols}xi1> -> {tile.of("i1")}
{seven}%r = arith.select %m, %v, %o : {tile.of("i1")}, {F}"""
        yield Op("broadcast of a mask", text, np.where(line[None, :] > 0, x, f32(7)))


def kernel(name, rows, cols):
    """(module text, operations): the result of operation i is at elements [i * rows * cols, (i + 1) * rows * cols)."""
    ops, tile, ptr, text = list(operations(rows, cols)), Tile(rows, cols), "!tt.ptr<f32>", []
    for i, op in enumerate(ops):  # a region each, so that names can be used again
        body = "".join(f"    {line}\n" for line in op.text.splitlines())
        text.append(f"""  scf.if %true {{ // {op.name}
{body}    %shift = arith.constant {i * rows * cols} : i32
    %place = tt.addptr %o_ptr, %shift : {ptr}, i32
    %os = tt.splat %place : {ptr} -> {tile.of(ptr)}
    %op = tt.addptr %os, %at : {tile.of(ptr)}, {tile.of("i32")}
    tt.store %op, %r : {tile.of(ptr)}
  }}
""")
    head = f"""tt.func public @{name}(%x_ptr: !tt.ptr<f32>, %h_ptr: !tt.ptr<f16>, %a_ptr: !tt.ptr<i32>, %o_ptr: !tt.ptr<f32>, %one: i32) {{
  %zero = arith.constant 0 : i32
  %true = arith.cmpi sgt, %one, %zero : i32
"""
    return head + "".join(text) + "  tt.return\n}\n", ops
