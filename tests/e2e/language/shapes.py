"""Operations that move elements: reshape, trans, join, split, gather, histogram .."""

import numpy as np

from tests.e2e.language.builder import Probe
from tests.e2e.language.inputs import bits, f16, f32, floats, i8, i16, i32, i64, ints, kind, type_of


def probes():
    yield columns_first()
    for make, name in ((floats, "f32"), (lambda *s: floats(*s, dtype=f16), "f16"), (ints, "i32"), (lambda *s: ints(*s, dtype=i8), "i8"), (lambda *s: ints(*s, dtype=i64), "i64"),
                       (bits, "i1")):
        yield from of_type(make, name)
    yield from moved()
    yield from gathered()
    yield from broadcasts()


def of_type(make, name):
    x = make(8, 24)
    for shape in ((192,), (16, 12), (4, 48), (2, 4, 24), (3, 8, 8), (2, 2, 2, 24)):
        yield Probe(f"reshape {name} to {shape}", f"%r = tt.reshape %x : {type_of(x)} -> {type_of(x.reshape(shape))}", {"x": x}, [x.reshape(shape)])
    yield Probe(f"trans {name}", f"%r = tt.trans %x {{order = array<i32: 1, 0>}} : {type_of(x)} -> {type_of(x.T)}", {"x": x}, [x.T.copy()])
    a, b = make(32), make(32)
    joined = np.stack([a, b], axis=-1)
    yield Probe(f"join {name}", f"%r = tt.join %a, %b : {type_of(a)} -> {type_of(joined)}", {"a": a, "b": b}, [joined])
    yield Probe(f"interleave {name}", f"%j = tt.join %a, %b : {type_of(a)} -> {type_of(joined)}\n%r = tt.reshape %j : {type_of(joined)} -> {type_of(joined.reshape(-1))}",
                {"a": a, "b": b}, [joined.reshape(-1)])
    s = make(20, 2)
    yield Probe(f"split {name}", f"%r0, %r1 = tt.split %s : {type_of(s)} -> {type_of(s[:, 0])}", {"s": s}, [s[:, 0].copy(), s[:, 1].copy()])
    y = make(8, 24)
    both = np.concatenate([a, b])
    yield Probe(f"cat {name}", f"%r = tt.cat %a, %b : {type_of(a)} -> {type_of(both)}", {"a": a, "b": b}, [both])
    index = ints(8, 10, low=0, high=23)
    yield Probe(f"gather {name}", f"%r = tt.gather %x[%i] {{axis = 1 : i32}} : ({type_of(x)}, {type_of(index)}) -> {type_of(np.take_along_axis(x, index, 1))}",
                {"x": x, "i": index}, [np.take_along_axis(x, index, 1)])


def moved():
    x = floats(4, 6, 10)
    for order in ((0, 2, 1), (1, 0, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)):
        r = x.transpose(order).copy()
        yield Probe(f"trans {order}", f"%r = tt.trans %x {{order = array<i32: {', '.join(map(str, order))}>}} : {type_of(x)} -> {type_of(r)}", {"x": x}, [r])
    y = ints(2, 3, 4, 5)
    r = y.transpose(3, 1, 0, 2).copy()
    yield Probe("trans of four dimensions", f"%r = tt.trans %x {{order = array<i32: 3, 1, 0, 2>}} : {type_of(y)} -> {type_of(r)}", {"x": y}, [r])
    z = floats(16)
    yield Probe("reshape allow_reorder", f"%r = tt.reshape %x allow_reorder : {type_of(z)} -> tensor<4x4xf32>", {"x": z}, [z.reshape(4, 4)])
    a, b = floats(6, 10), floats(6, 10)
    joined = np.stack([a, b], axis=-1)
    yield Probe("join of two dimensions", f"%r = tt.join %a, %b : {type_of(a)} -> {type_of(joined)}", {"a": a, "b": b}, [joined])
    yield Probe("split of three dimensions", f"%r0, %r1 = tt.split %s : {type_of(joined)} -> {type_of(a)}", {"s": joined}, [a, b])
    r = np.concatenate([a, b])
    yield Probe("cat of two dimensions", f"%r = tt.cat %a, %b : {type_of(a)} -> {type_of(r)}", {"a": a, "b": b}, [r])
    m, k = floats(40), floats(40)
    rotated = np.concatenate([-m[20:], m[:20]])
    text = f"""%t = tt.reshape %m : tensor<40xf32> -> tensor<2x20xf32>
%u = tt.trans %t {{order = array<i32: 1, 0>}} : tensor<2x20xf32> -> tensor<20x2xf32>
%a, %b = tt.split %u : tensor<20x2xf32> -> tensor<20xf32>
%n = arith.negf %b : tensor<20xf32>
%j = tt.join %n, %a : tensor<20xf32> -> tensor<20x2xf32>
%v = tt.trans %j {{order = array<i32: 1, 0>}} : tensor<20x2xf32> -> tensor<2x20xf32>
%r = tt.reshape %v : tensor<2x20xf32> -> tensor<40xf32>"""
    yield Probe("rotate half", text, {"m": m}, [rotated])
    yield Probe("expand_dims and back", """%e = tt.expand_dims %m {axis = 1 : i32} : tensor<40xf32> -> tensor<40x1xf32>
%b = tt.broadcast %e : tensor<40x1xf32> -> tensor<40x8xf32>
%f = tt.reshape %b : tensor<40x8xf32> -> tensor<320xf32>
%r = arith.addf %f, %f : tensor<320xf32>""", {"m": m}, [np.repeat(m, 8) * f32(2)])
    yield sort()
    s = floats(20, 12)
    yield Probe("extract_slice", "%r = tensor.extract_slice %x[4, 2] [8, 5] [1, 1] : tensor<20x12xf32> to tensor<8x5xf32>", {"x": s}, [s[4:12, 2:7].copy()])
    yield Probe("extract_slice run time", "%c = arith.index_cast %n : i32 to index\n%r = tensor.extract_slice %x[%c, 0] [8, 12] [1, 1] : tensor<20x12xf32> to tensor<8x12xf32>", {"x": s},
                [s[3:11].copy()], scalars={"n": ("i32", 3)})
    yield Probe("extract_slice strided", "%r = tensor.extract_slice %x[1, 0] [6, 6] [3, 2] : tensor<20x12xf32> to tensor<6x6xf32>", {"x": s}, [s[1:19:3, 0:12:2].copy()])
    part = floats(8, 5)
    filled = s.copy()
    filled[4:12, 2:7] = part
    yield Probe("insert_slice", "%r = tensor.insert_slice %p into %x[4, 2] [8, 5] [1, 1] : tensor<8x5xf32> into tensor<20x12xf32>", {"x": s, "p": part}, [filled])
    yield Probe("tensor.extract", "%i = arith.constant 3 : index\n%j = arith.constant 5 : index\n%e = tensor.extract %x[%i, %j] : tensor<20x12xf32>\n%r = tt.splat %e : f32 -> tensor<16xf32>", {"x": s},
                [np.full(16, s[3, 5])])
    one = floats(1, 1)
    yield Probe("unsplat", "%s = tt.unsplat %x : tensor<1x1xf32> -> f32\n%r = tt.splat %s : f32 -> tensor<16xf32>", {"x": one}, [np.full(16, one[0, 0])])
    yield Probe("constant of many values", "%c = arith.constant dense<[1, 5, -2, 9, 0, 3, 7, -8]> : tensor<8xi32>\n%r = arith.addi %x, %c : tensor<8xi32>", {"x": np.arange(8, dtype=i32)},
                [np.arange(8, dtype=i32) + np.array([1, 5, -2, 9, 0, 3, 7, -8], i32)])


def sort():
    """tl.sort of 16 values as Triton prints it: bitonic, by reshapes to pairs, xor sums and selects on bits."""
    x = floats(16)
    lines, value, n = [], "%x", 16
    step = 0
    for stage in range(1, 5):
        for i in range(stage):
            inner = 1 << (stage - 1 - i)
            outer = n // (2 * inner)
            shape = f"{outer}x2x{inner}"
            s = step = step + 1
            lines += [f"%c{s} = tt.bitcast {value} : tensor<16xf32> -> tensor<16xi32>", f"%y{s} = tt.reshape %c{s} : tensor<16xi32> -> tensor<{shape}xi32>",
                      f"""%z{s} = "tt.reduce"(%y{s}) <{{axis = 1 : i32}}> ({{
^bb0(%l: i32, %u: i32):
  %w = arith.xori %l, %u : i32
  tt.reduce.return %w : i32
}}) : (tensor<{shape}xi32>) -> tensor<{outer}x{inner}xi32>""",
                      f"%e{s} = tt.expand_dims %z{s} {{axis = 1 : i32}} : tensor<{outer}x{inner}xi32> -> tensor<{outer}x1x{inner}xi32>",
                      f"%b{s} = tt.broadcast %e{s} : tensor<{outer}x1x{inner}xi32> -> tensor<{shape}xi32>", f"%o{s} = arith.xori %b{s}, %y{s} : tensor<{shape}xi32>",
                      f"%f{s} = tt.reshape %o{s} : tensor<{shape}xi32> -> tensor<16xi32>", f"%p{s} = tt.bitcast %f{s} : tensor<16xi32> -> tensor<16xf32>"]
            # The partner at distance `inner`; whether this element is the right one of its pair, and the pair's direction.
            lines += [f"%d{s} = tt.make_range {{start = 0 : i32, end = 16 : i32}} : tensor<16xi32>"]
            for name, bit in (("right", inner), ("down", 1 << stage)):
                lines += [f"%{name}c{s} = arith.constant dense<{bit}> : tensor<16xi32>", f"%{name}a{s} = arith.andi %d{s}, %{name}c{s} : tensor<16xi32>",
                          f"%{name}z{s} = arith.constant dense<0> : tensor<16xi32>", f"%{name}{s} = arith.cmpi ne, %{name}a{s}, %{name}z{s} : tensor<16xi32>"]
            lines += [f"%g{s} = arith.cmpf ogt, {value}, %p{s} : tensor<16xf32>", f"%t{s} = arith.xori %right{s}, %down{s} : tensor<16xi1>",
                      f"%swap{s} = arith.xori %g{s}, %t{s} : tensor<16xi1>", f"%v{s} = arith.select %swap{s}, %p{s}, {value} : tensor<16xi1>, tensor<16xf32>"]
            value = f"%v{s}"
    lines.append(f"%zero = arith.constant dense<0.0> : tensor<16xf32>\n%r = arith.addf {value}, %zero : tensor<16xf32>")
    return Probe("sort", "\n".join(lines), {"x": x}, [np.sort(x)])


def gathered():
    x, i = floats(40), ints(25, low=0, high=39)
    yield Probe("gather of one dimension", f"%r = tt.gather %x[%i] {{axis = 0 : i32}} : ({type_of(x)}, {type_of(i)}) -> tensor<25xf32>", {"x": x, "i": i}, [x[i]])
    y, j = floats(30, 12), ints(7, 12, low=0, high=29)
    yield Probe("gather of rows", f"%r = tt.gather %x[%i] {{axis = 0 : i32}} : ({type_of(y)}, {type_of(j)}) -> tensor<7x12xf32>", {"x": y, "i": j}, [np.take_along_axis(y, j, 0)])
    k = ints(20, dtype=i64, low=0, high=39)
    yield Probe("gather i64 index", f"%r = tt.gather %x[%i] {{axis = 0 : i32}} : ({type_of(x)}, {type_of(k)}) -> tensor<20xf32>", {"x": x, "i": k}, [x[k]])
    a = ints(300, low=0, high=31)
    yield Probe("histogram", f"%r = tt.histogram %a : {type_of(a)} -> tensor<32xi32>", {"a": a}, [np.bincount(a, minlength=32).astype(i32)])
    m = bits(300)
    yield Probe("histogram masked", f"%r = tt.histogram %a, %m : {type_of(a)} -> tensor<32xi32>", {"a": a, "m": m}, [np.bincount(a[m], minlength=32).astype(i32)])


def broadcasts():
    for source, target in (((4, 1, 20), (4, 5, 20)), ((1, 6, 20), (3, 6, 20)), ((4, 6, 1), (4, 6, 9)), ((1, 1, 20), (4, 6, 20)), ((4, 1, 1), (4, 6, 20)), ((1, 6, 1), (4, 6, 20)),
                           ((1, 1, 1), (2, 3, 4)), ((3, 1, 5, 1), (3, 2, 5, 4)), ((1, 20), (7, 20)), ((7, 1), (7, 20))):
        for x in (floats(*source), bits(*source), ints(*source, dtype=i8, low=-100, high=100), ints(*source, dtype=i64, low=-2**40, high=2**40)):
            r = np.broadcast_to(x, target).copy()
            yield Probe(f"broadcast {kind(x)} {source} to {target}", f"%r = tt.broadcast %x : {type_of(x)} -> {type_of(r)}", {"x": x}, [r])


def columns_first():
    """A square tile that lies by columns in memory, with its transpose, stored by columns."""
    x = floats(16, 16)
    T, P = type_of(x), "tensor<16x16x!tt.ptr<f32>>"
    text = f"""%line = tt.make_range {{start = 0 : i32, end = 16 : i32}} : tensor<16xi32>
%row = tt.expand_dims %line {{axis = 1 : i32}} : tensor<16xi32> -> tensor<16x1xi32>
%col = tt.expand_dims %line {{axis = 0 : i32}} : tensor<16xi32> -> tensor<1x16xi32>
%pitch = arith.constant dense<16> : tensor<1x16xi32>
%far = arith.muli %col, %pitch : tensor<1x16xi32>
%rows = tt.broadcast %row : tensor<16x1xi32> -> tensor<16x16xi32>
%cols = tt.broadcast %far : tensor<1x16xi32> -> tensor<16x16xi32>
%at = arith.addi %rows, %cols : tensor<16x16xi32>
%xs = tt.splat %x_ptr : !tt.ptr<f32> -> {P}
%xp = tt.addptr %xs, %at : {P}, tensor<16x16xi32>
%v = tt.load %xp : {P}
%t = tt.trans %v {{order = array<i32: 1, 0>}} : {T} -> {T}
%w = arith.addf %v, %v : {T}
%s = arith.addf %w, %t : {T}
%os = tt.splat %o0_ptr : !tt.ptr<f32> -> {P}
%op = tt.addptr %os, %at : {P}, tensor<16x16xi32>
tt.store %op, %s : {P}"""
    return Probe("trans of a tile that lies by columns", text, {"x": x}, [2 * x + x.T], pointers=True)
