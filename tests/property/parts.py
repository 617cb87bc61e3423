"""Parts of generated kernels that are more than one operation on a tile: reductions, scans, loops, branches, products of matrices."""

import numpy as np

from tests.property import accesses, operations
from tests.property.writer import FLOATS, Tile, type_of


def expression(kernel, tiles, steps):
    """Applies random operations to random tiles; the last results first."""
    tiles = list(tiles)
    for _ in range(steps):
        a = kernel.rng.choice(tiles[-3:])
        tiles.append(operations.unary_step(kernel, a) if kernel.rng.random() < 0.4 else operations.step(kernel, a, kernel.rng.choice(tiles)))
    return tiles


def sum_or_extreme(rng, tile):
    """A combine operation for a reduction or a scan."""
    if tile.element in FLOATS:
        return rng.choice(["arith.addf", "arith.maxnumf", "arith.minnumf"])
    return rng.choice(["arith.addi", "arith.maxsi", "arith.minsi", "arith.ori", "arith.xori"])


def reduced(kernel, tile):
    """The tile reduced along an axis and spread over it again."""
    w, rng = kernel.writer, kernel.rng
    axis = rng.randrange(len(tile.shape))
    if tile.element in FLOATS:
        tile = operations.bounded(kernel, tile, operations.LIMIT[tile.element] / tile.shape[axis])
    small = w.reduce(tile, axis, sum_or_extreme(rng, tile))
    if small.shape is None:
        return w.splat(small, tile.shape)
    return w.broadcast(w.expand(small, axis), tile.shape)


def scanned(kernel, tile):
    rng = kernel.rng
    axis = rng.randrange(len(tile.shape))
    if not tile.exact:
        return reduced(kernel, tile)
    if tile.element in FLOATS:
        tile = operations.bounded(kernel, tile, operations.LIMIT[tile.element] / tile.shape[axis])
    return kernel.writer.reduce(tile, axis, sum_or_extreme(rng, tile), "tt.scan", f", reverse = {rng.choice(['true', 'false'])}")


def rearranged(kernel, tile):
    """The same elements through a reshape, a transpose, or a join and a split."""
    w, rng = kernel.writer, kernel.rng
    size = int(np.prod(tile.shape))
    # A join has rows of two elements, of which each takes a block of UB.
    kind = rng.choice(["reshape", "trans", "join"] if size <= 2048 else ["reshape", "trans"])
    if kind == "reshape":
        return w.reshape(w.unary("arith.negf", flat) if (flat := w.reshape(tile, (size,))).element in FLOATS else flat, tile.shape)
    if kind == "trans" and len(tile.shape) == 1:
        return tile
    if kind == "trans":
        turned = w.trans(tile)
        return w.trans(operations.unary_step(kernel, turned)) if rng.random() < 0.5 else w.trans(turned)
    pair = w.op(f"tt.join {tile.name}, {tile.name} : {tile.type} -> {Tile('', (*tile.shape, 2), tile.element).type}",
                (*tile.shape, 2), tile.element, tile.large, tile.exact)
    names = w.name(), w.name()
    w.line(f"{names[0]}, {names[1]} = tt.split {pair.name} : {pair.type} -> {tile.type}")
    return Tile(rng.choice(names), tile.shape, tile.element, tile.large, tile.exact)


def looped(kernel, grid, tile):
    """A loop with a number of rounds that is only known at run time; it carries the tile, and adds what it loads."""
    w, rng = kernel.writer, kernel.rng
    rounds = rng.randint(0, 4)
    element = tile.element
    count = kernel.scalar("i32", rounds)
    zero, one = w.constant(0, None, "i32"), w.constant(1, None, "i32")
    strides = accesses.row_major(grid)
    layer = sum((limit - 1) * stride for limit, stride in zip(grid.limit, strides)) + 1
    base = kernel.tensor(element, layer * max(rounds, 1))
    offset = accesses.total(grid, [accesses.scaled(grid, grid.along(d), stride) for d, stride in enumerate(strides)], grid.shape)
    mask = grid.mask()
    other = mask and w.constant(0, grid.shape, element)
    carried_pointer = rng.random() < 0.5
    start = w.pointers(base, offset)
    result, at, held, pointer = w.name(), w.name(), w.name(), w.name()
    types = f"{tile.type}, {start.type}" if carried_pointer else tile.type
    inits = f"{held} = {tile.name}" + (f", {pointer} = {start.name}" if carried_pointer else "")
    w.line(f"{result}{':2' if carried_pointer else ''} = scf.for {at} = {zero.name} to {count.name} step {one.name} iter_args({inits}) -> ({types})  : i32 {{")
    w.depth += 1
    index = Tile(at, None, "i32")
    if carried_pointer:
        place = Tile(pointer, grid.shape, start.element)
    else:
        shift = w.splat(w.binary("arith.muli", index, w.constant(layer, None, "i32")), grid.shape)
        place = w.pointers(base, w.binary("arith.addi", offset, shift))
    loaded = w.load(place, mask, other)
    held = Tile(held, grid.shape, element, tile.large, tile.exact)
    op = "arith.addf" if element in FLOATS else rng.choice(["arith.addi", "arith.xori", "arith.maxsi"])
    total = w.binary(op, held, loaded)
    if carried_pointer:
        moved = w.op(f"tt.addptr {pointer}, {w.splat(w.constant(layer, None, 'i32'), grid.shape).name} : {start.type}, "
                     f"{Tile('', grid.shape, 'i32').type}", grid.shape, start.element)
        w.line(f"scf.yield {total.name}, {moved.name} : {types}")
    else:
        w.line(f"scf.yield {total.name} : {types}")
    w.depth -= 1
    w.line("}")
    return Tile(f"{result}#0" if carried_pointer else result, grid.shape, element, tile.large + 4.0 * rounds, tile.exact)


def branched(kernel, tile):
    """An scf.if on the program's number."""
    w, rng = kernel.writer, kernel.rng
    pid = w.op("tt.get_program_id x : i32", None, "i32")
    condition = w.compare(rng.choice(["slt", "eq", "sge"]), pid, w.constant(rng.randint(0, 2), None, "i32"))
    result = w.name()
    w.line(f"{result} = scf.if {condition.name} -> ({tile.type}) {{")
    large = tile.large
    for otherwise in (False, True):
        w.depth += 1
        inside = operations.cast(kernel, operations.constant(kernel, tile) if otherwise else
                                 operations.step(kernel, tile, operations.constant(kernel, tile)), tile.element)
        large = max(large, inside.large)
        inside = inside if inside.element == tile.element else tile
        w.line(f"scf.yield {inside.name} : {tile.type}")
        w.depth -= 1
        w.line("}" if otherwise else "} else {")
    return Tile(result, tile.shape, tile.element, large, exact=False)


def dot(kernel, grid):
    """A product of matrices over a K loop with a masked remainder: A (or Aᵀ) times B (or Bᵀ)."""
    w, rng = kernel.writer, kernel.rng
    m, n = grid.shape
    k = rng.choice([16, 32, 64])
    element = rng.choice(["f16", "f16", "bf16", "f32", "i8"])
    accumulator = "i32" if element == "i8" else "f32"
    depth = rng.choice([k, 2 * k, rng.randint(1, 3 * k)])
    limit = kernel.scalar("i32", depth)
    zero = w.constant(0, None, "i32")
    start = w.constant(0, grid.shape, accumulator)
    result, at, held = w.name(), w.name(), w.name()
    flip = [rng.random() < 0.4, rng.random() < 0.4]
    bases = [kernel.tensor(element, grid.limit[0] * depth), kernel.tensor(element, depth * grid.limit[1])]
    step = w.constant(k, None, "i32")
    w.line(f"{result} = scf.for {at} = {zero.name} to {limit.name} step {step.name} iter_args({held} = {start.name}) -> ({start.type})  : i32 {{")
    w.depth += 1
    steps = w.binary("arith.addi", w.splat(Tile(at, None, "i32"), (k,)), w.make_range(k))
    tiles = []
    for operand, (outer, size) in enumerate([(0, m), (1, n)]):
        # A is (m, k): the outer index is dimension 0 and k dimension 1; B is (k, n).
        shape = (m, k) if operand == 0 else (k, n)
        axis_of_k = 1 - operand
        along_k, along_outer = w.expand(steps, 1 - axis_of_k), w.expand(grid.index[outer], axis_of_k)
        k_is_fast = (operand == 0) != flip[operand]
        slow, fast, pitch = (along_outer, along_k, depth) if k_is_fast else (along_k, along_outer, grid.limit[outer])
        offset = w.binary("arith.addi", w.broadcast(accesses.scaled(grid, slow, pitch), shape), w.broadcast(fast, shape))
        mask = w.broadcast(w.compare("slt", along_k, w.splat(limit, along_k.shape)), shape)
        if not grid.exact[outer]:
            inside = w.compare("slt", along_outer, w.splat(grid.limits[outer], along_outer.shape))
            mask = w.binary("arith.andi", mask, w.broadcast(inside, shape))
        tiles.append(w.load(w.pointers(bases[operand], offset), mask, w.constant(0, shape, element)))
    precision = f", inputPrecision = {rng.choice(['tf32', 'ieee'])}" if element == "f32" else ""
    total = w.op(f"tt.dot {tiles[0].name}, {tiles[1].name}, {held}{precision} : {tiles[0].type} * {tiles[1].type} -> {start.type}",
                 grid.shape, accumulator)
    w.line(f"scf.yield {total.name} : {start.type}")
    w.depth -= 1
    w.line("}")
    return Tile(result, grid.shape, accumulator, 16.0 * depth, exact=element == "i8")


def argument_of_extreme(kernel, tile):
    """argmax or argmin along an axis; the first of equals wins, as tl.argmax has it."""
    w, rng = kernel.writer, kernel.rng
    if not tile.exact:
        return reduced(kernel, tile)
    axis = rng.randrange(len(tile.shape))
    shape = tile.shape[:axis] + tile.shape[axis + 1:] or None
    index = w.make_range(tile.shape[axis])
    for other in range(len(tile.shape)):
        if other != axis:
            index = w.expand(index, other)
    index = w.broadcast(index, tile.shape)
    best, place = w.name(), w.name()
    a, i, b, j = (w.name() for _ in range(4))
    element, more = tile.element, rng.random() < 0.5
    compare, better, equal = ("arith.cmpf", "ogt" if more else "olt", "oeq") if element in FLOATS else ("arith.cmpi", "sgt" if more else "slt", "eq")
    names = [w.name() for _ in range(7)]
    w.line(f'{best}, {place} = "tt.reduce"({tile.name}, {index.name}) <{{axis = {axis} : i32}}> ({{')
    w.line(f"^bb0({a}: {element}, {i}: i32, {b}: {element}, {j}: i32):")
    w.depth += 1
    w.line(f"{names[0]} = {compare} {equal}, {a}, {b} : {element}")
    w.line(f"{names[1]} = arith.cmpi slt, {i}, {j} : i32")
    w.line(f"{names[2]} = arith.andi {names[0]}, {names[1]} : i1")
    w.line(f"{names[3]} = {compare} {better}, {a}, {b} : {element}")
    w.line(f"{names[4]} = arith.ori {names[3]}, {names[2]} : i1")
    w.line(f"{names[5]} = arith.select {names[4]}, {a}, {b} : {element}")
    w.line(f"{names[6]} = arith.select {names[4]}, {i}, {j} : i32")
    w.line(f"tt.reduce.return {names[5]}, {names[6]} : {element}, i32")
    w.depth -= 1
    w.line(f"}}) : ({tile.type}, {index.type}) -> ({type_of(shape, element)}, {type_of(shape, 'i32')})")
    small = rng.choice([Tile(best, shape, element, tile.large), Tile(place, shape, "i32", tile.shape[axis])])
    return w.splat(small, tile.shape) if shape is None else w.broadcast(w.expand(small, axis), tile.shape)


def gathered(kernel, tile):
    """tt.gather: elements picked along an axis by another tile."""
    w, rng = kernel.writer, kernel.rng
    axis = rng.randrange(len(tile.shape))
    size = tile.shape[axis]
    # (i · odd + c) mod size, along the axis
    index = w.make_range(size)
    index = w.binary("arith.addi", w.binary("arith.muli", index, w.constant(rng.choice([1, 3, 5]), index.shape, "i32")),
                     w.constant(rng.randrange(size), index.shape, "i32"))
    index = w.binary("arith.remsi", index, w.constant(size, index.shape, "i32"))
    for other in range(len(tile.shape)):
        if other != axis:
            index = w.expand(index, other)
    index = w.broadcast(index, tile.shape)
    return w.op(f"tt.gather {tile.name}[{index.name}] {{axis = {axis} : i32}} : ({tile.type}, {index.type}) -> {tile.type}",
                tile.shape, tile.element, tile.large, tile.exact)


def while_loop(kernel, tile):
    """A loop that doubles a counter until it reaches a run-time bound, and changes the tile in each round."""
    w, rng = kernel.writer, kernel.rng
    bound = kernel.scalar("i32", rng.choice([0, 1, 3, 9]))
    one = w.constant(1, None, "i32")
    result, at, held, at2, held2 = (w.name() for _ in range(5))
    types = f"i32, {tile.type}"
    w.line(f"{result}:2 = scf.while ({at} = {one.name}, {held} = {tile.name}) : ({types}) -> ({types}) {{")
    w.depth += 1
    go_on = w.op(f"arith.cmpi slt, {at}, {bound.name} : i32", None, "i1")
    w.line(f"scf.condition({go_on.name}) {at}, {held} : {types}")
    w.depth -= 1
    w.line("} do {")
    w.line(f"^bb0({at2}: i32, {held2}: {tile.type}):")
    w.depth += 1
    doubled = w.op(f"arith.addi {at2}, {at2} : i32", None, "i32")
    value = w.constant(1, tile.shape, tile.element)
    op = "arith.addf" if tile.element in FLOATS else rng.choice(["arith.addi", "arith.xori"])
    total = w.op(f"{op} {held2}, {value.name} : {tile.type}", tile.shape, tile.element)
    w.line(f"scf.yield {doubled.name}, {total.name} : {types}")
    w.depth -= 1
    w.line("}")
    return Tile(f"{result}#1", tile.shape, tile.element, tile.large + 4.0, tile.exact)


def helped(kernel, tile):
    """A call of a helper function with the tile and a scalar."""
    w, rng = kernel.writer, kernel.rng
    scalar = kernel.scalar("i32", rng.randint(-5, 5))
    name = f"helper{len(kernel.helpers)}"
    op = rng.choice(["addf", "maxnumf"] if tile.element in FLOATS else ["addi", "xori", "minsi"])
    convert = (f"%c = arith.sitofp %n : i32 to {tile.element}" if tile.element in FLOATS else "%c = arith.addi %n, %n : i32" if tile.element == "i32"
               else f"%c = arith.{'extsi' if tile.element == 'i64' else 'trunci'} %n : i32 to {tile.element}")
    kernel.helpers.append(f"  tt.func private @{name}(%a: {tile.type}, %n: i32) -> {tile.type} {{\n    {convert}\n"
                          f"    %s = tt.splat %c : {tile.element} -> {tile.type}\n    %r = arith.{op} %a, %s : {tile.type}\n"
                          f"    tt.return %r : {tile.type}\n  }}\n")
    return w.op(f"tt.call @{name}({tile.name}, {scalar.name}) : ({tile.type}, i32) -> {tile.type}", tile.shape, tile.element,
                tile.large + 10, tile.exact)


def rescaled(kernel, grid, tile):
    """A loop as in online softmax: a row's running maximum and sum are carried beside each other, over tiles that are loaded in it."""
    w, rng = kernel.writer, kernel.rng
    if len(grid.shape) != 2:
        return reduced(kernel, tile)
    rows = (grid.shape[0],)
    rounds = rng.randint(1, 3)
    pitch = grid.limit[1] * rounds
    base = kernel.tensor("f32", (grid.limit[0] - 1) * pitch + grid.limit[1] * (rounds - 1) + grid.limit[1])
    low, nothing = w.constant(-100, rows, "f32"), w.constant(0, rows, "f32")
    zero, one, count = w.constant(0, None, "i32"), w.constant(1, None, "i32"), kernel.scalar("i32", rounds)
    offset = accesses.total(grid, [accesses.scaled(grid, grid.along(0), pitch), grid.along(1)], grid.shape)
    mask = grid.mask()
    result, at, top, total = (w.name() for _ in range(4))
    kind = low.type
    w.line(f"{result}:2 = scf.for {at} = {zero.name} to {count.name} step {one.name} iter_args({top} = {low.name}, {total} = {nothing.name})"
           f" -> ({kind}, {kind})  : i32 {{")
    w.depth += 1
    shift = w.splat(w.binary("arith.muli", Tile(at, None, "i32"), w.constant(grid.limit[1], None, "i32")), grid.shape)
    loaded = w.load(w.pointers(base, w.binary("arith.addi", offset, shift)), mask, w.constant(-100, grid.shape, "f32") if mask else None)
    top, total = Tile(top, rows, "f32"), Tile(total, rows, "f32")
    new_top = w.binary("arith.maxnumf", top, w.reduce(loaded, 1, "arith.maxnumf"))
    spread = w.broadcast(w.expand(new_top, 1), grid.shape)
    weights = w.unary("math.exp", w.binary("arith.subf", loaded, spread))
    old = w.binary("arith.mulf", total, w.unary("math.exp", w.binary("arith.subf", top, new_top)))
    new_total = w.binary("arith.addf", old, w.reduce(weights, 1, "arith.addf"))
    w.line(f"scf.yield {new_top.name}, {new_total.name} : {kind}, {kind}")
    w.depth -= 1
    w.line("}")
    small = rng.choice([Tile(f"{result}#0", rows, "f32", 100.0), Tile(f"{result}#1", rows, "f32", 500.0, False)])
    return w.broadcast(w.expand(small, 1), grid.shape)


def flagged(kernel, grid, tile):
    """A select by flags that come from memory."""
    w, rng = kernel.writer, kernel.rng
    place = accesses.contiguous(grid, "i8")
    flags = w.load(place.pointer, place.mask, w.constant(0, grid.shape, "i8") if place.mask else None)
    condition = w.compare(rng.choice(["sgt", "ne", "slt"]), flags, w.constant(0, grid.shape, "i8"))
    return w.select(condition, tile, operations.constant(kernel, tile))


ON_TILE = {"reduce": reduced, "scan": scanned, "rearrange": rearranged, "branch": branched, "argument": argument_of_extreme, "gather": gathered,
           "while": while_loop, "call": helped}
ON_GRID = {"loop": looped, "rescale": rescaled, "flags": flagged}
