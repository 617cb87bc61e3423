"""Several strided loads or stores that share a stretch of memory: rotary embeddings of neighbours, pixels and planes, as patterns of
access_kernels; and some that only look like them."""

import numpy as np

from tests.e2e.access_kernels import COLS, ROWS, SIZE, TILES, Pattern, per_tile, put, tiles
from tests.e2e.layout_kernels import whole

PAIRS = [ROWS, COLS // 2]


def arithmetic(t, name, a, b, shape):
    return t.binary(name + ("i" if t.element.startswith("i") else "f"), a, b, shape, t.element)


def turn(t, a, b, shape):
    return arithmetic(t, "sub", a, b, shape), arithmetic(t, "add", a, b, shape)


def turned(a, b):
    """Pairs in the last dimension of two arrays."""
    return np.stack([a - b, a + b], -1)


def pair_offsets(t, start, row=COLS, shape=PAIRS):
    even, rows, cols = t.matrix(row, 2, start, shape)
    return even, whole(t, "addi", even, 1, shape), rows, cols


def rotary(t, start):
    """Neighbours in a row are the parts of one number."""
    even, odd, _, _ = pair_offsets(t, start)
    a, b = turn(t, t.load("%x_ptr", even, PAIRS), t.load("%x_ptr", odd, PAIRS), PAIRS)
    t.store("%o_ptr", even, a, PAIRS)
    t.store("%o_ptr", odd, b, PAIRS)


def rotary_in_place(t, start):
    """The same in the output itself."""
    at, _, _ = t.matrix(COLS, 1, start)
    t.store("%o_ptr", at, t.load("%x_ptr", at, [ROWS, COLS]), [ROWS, COLS])
    even, odd, _, _ = pair_offsets(t, start)
    a, b = turn(t, t.load("%o_ptr", even, PAIRS), t.load("%o_ptr", odd, PAIRS), PAIRS)
    t.store("%o_ptr", odd, b, PAIRS)
    t.store("%o_ptr", even, a, PAIRS)


def expected_rotary(x, o):
    pairs = x.reshape(ROWS, -1, 2)
    return turned(pairs[:, :, 0], pairs[:, :, 1])


def one_after_the_other(t, start):
    """In place, the second pair of accesses behind the first."""
    at, _, _ = t.matrix(COLS, 1, start)
    t.store("%o_ptr", at, t.load("%x_ptr", at, [ROWS, COLS]), [ROWS, COLS])
    for offset in pair_offsets(t, start)[:2]:
        value = t.load("%o_ptr", offset, PAIRS)
        t.store("%o_ptr", offset, arithmetic(t, "add", value, value, PAIRS), PAIRS)


def tokens(t, start):
    """Three dimensions: 8 tokens, 8 heads, 32 pairs."""
    shape = [8, 8, COLS // 2]

    def along(dim, factor):
        line, sizes = t.scale(t.range(shape[dim]), factor, [shape[dim]]), [shape[dim]]
        for axis in {0: (1, 2), 1: (0, 2), 2: (0, 0)}[dim]:
            wide = sizes[:axis] + [1] + sizes[axis:]
            line = t.op(f"tt.expand_dims {line} {{axis = {axis} : i32}} : {t.tensor(sizes, 'i32')} -> {t.tensor(wide, 'i32')}")
            sizes = wide
        return t.op(f"tt.broadcast {line} : {t.tensor(sizes, 'i32')} -> {t.tensor(shape, 'i32')}")

    even = t.binary("addi", t.binary("addi", along(0, 8 * COLS), along(1, COLS), shape), along(2, 2), shape)
    even = t.add(even, start, shape)
    odd = whole(t, "addi", even, 1, shape)
    a, b = turn(t, t.load("%x_ptr", even, shape), t.load("%x_ptr", odd, shape), shape)
    t.store("%o_ptr", even, a, shape)
    t.store("%o_ptr", odd, b, shape)


def masked_rotary(width):
    """Rows of `width` numbers, 61 of them, 59 rows; the last number has no partner."""
    def body(t, start):
        even, odd, rows, cols = pair_offsets(t, start, width)
        here = t.compare("slt", rows, t.constant(59, PAIRS), PAIRS)

        def mask(part):
            place = whole(t, "addi", t.scale(cols, 2, PAIRS), part, PAIRS)
            inside = t.compare("slt", place, t.splat("%k61", PAIRS), PAIRS)
            return t.op(f"arith.andi {here}, {inside} : {t.tensor(PAIRS, 'i1')}")

        t.lines.append("%k61_off = arith.constant 39 : i32")
        t.lines.append("%k61 = arith.subi %d, %k61_off : i32")
        first, second = mask(0), mask(1)
        a, b = turn(t, t.load("%x_ptr", even, PAIRS, first), t.load("%x_ptr", odd, PAIRS, second), PAIRS)
        t.store("%o_ptr", even, a, PAIRS, first)
        t.store("%o_ptr", odd, b, PAIRS, second)

    def expected(x, i, o):
        for tile in range(TILES):
            at = tile * SIZE + np.arange(59)[:, None] * width + np.arange(61)
            rows = np.zeros((59, 62), x.dtype)
            rows[:, :61] = x[at]
            o[at] = turned(rows[:, ::2], rows[:, 1::2]).reshape(59, 62)[:, :61]
        return o
    return body, expected


def half_masked(t, start):
    """One mask for both, of pairs."""
    even, odd, _, cols = pair_offsets(t, start)
    mask = t.compare("slt", t.scale(cols, 2, PAIRS), t.constant(51, PAIRS), PAIRS)
    a, b = turn(t, t.load("%x_ptr", even, PAIRS, mask), t.load("%x_ptr", odd, PAIRS, mask), PAIRS)
    t.store("%o_ptr", even, a, PAIRS, mask)
    t.store("%o_ptr", odd, b, PAIRS, mask)


def expected_half_masked(x, o):
    pairs = x.reshape(ROWS, -1, 2)
    o[:, :52] = turned(pairs[:, :26, 0], pairs[:, :26, 1]).reshape(ROWS, -1)
    return o


def masks_differ(t, start):
    """The even elements of some rows, the odd ones of others."""
    even, odd, rows, _ = pair_offsets(t, start)
    few, more = (t.compare("slt", rows, t.constant(count, PAIRS), PAIRS) for count in (21, 43))
    a, b = t.load("%x_ptr", even, PAIRS, few), t.load("%x_ptr", odd, PAIRS, more)
    t.store("%o_ptr", even, b, PAIRS, few)
    t.store("%o_ptr", odd, a, PAIRS, more)


def expected_masks_differ(x, o):
    o[:21, ::2] = x[:21, 1::2]
    o[:43, 1::2] = np.where(np.arange(43)[:, None] < 21, x[:43, ::2], 0)
    return o


def launch_rows(factor, add):
    """Pairs in rows whose distance the launch says: %one * factor + add."""
    def body(t, start):
        stride = whole(t, "addi", t.scale(t.splat("%one", PAIRS), factor, PAIRS), add, PAIRS)
        rows, cols = t.spread(t.range(ROWS), 1, PAIRS), t.spread(t.range(COLS // 2), 0, PAIRS)
        even = t.add(t.binary("addi", t.binary("muli", rows, stride, PAIRS), t.scale(cols, 2, PAIRS), PAIRS), start, PAIRS)
        odd = whole(t, "addi", even, 1, PAIRS)
        from_, _, _ = t.matrix(COLS, 1, start, PAIRS)
        a, b = t.load("%x_ptr", from_, PAIRS), t.load("%x_ptr", whole(t, "addi", from_, COLS // 2, PAIRS), PAIRS)
        t.store("%o_ptr", even, a, PAIRS)
        t.store("%o_ptr", odd, b, PAIRS)

    def expected(x, i, o):
        at = np.arange(ROWS)[:, None] * (factor + add) + 2 * np.arange(COLS // 2)
        for tile, part in enumerate(tiles(x)):
            for number, half in enumerate((part[:, :COLS // 2], part[:, COLS // 2:])):
                for to, value in zip((at + number).reshape(-1), half.reshape(-1)):
                    o[tile * SIZE + to] = value
        return o
    return body, expected


def planes(count, size, together=True, order=None):
    """From planes to pixels of `count` channels; all loads first, or each store behind its load."""
    def body(t, start):
        line, stores = t.range(size), []
        for channel in order or range(count):
            pixel = t.add(whole(t, "addi", t.scale(line, count, [size]), channel, [size]), start, [size])
            plane = t.add(whole(t, "addi", line, channel * size, [size]), start, [size])
            stores.append((pixel, t.load("%x_ptr", plane, [size])))
            if not together:
                t.store("%o_ptr", *stores.pop(), [size])
        for pixel, value in stores:
            t.store("%o_ptr", pixel, value, [size])

    def expected(x, i, o):
        for tile in range(TILES):
            put(o, tile, x[tile * SIZE:tile * SIZE + count * size].reshape(count, size).T)
        return o
    return body, expected


def copied_back(shift):
    """Between the two stores a load of what the first one has just written, or of what lies behind it."""
    def body(t, start):
        even, odd, _, _ = pair_offsets(t, start)
        t.store("%o_ptr", even, t.load("%x_ptr", even, PAIRS), PAIRS)
        line, _, _ = t.matrix(COLS, 1, start, PAIRS)
        t.store("%o_ptr", odd, t.load("%o_ptr", whole(t, "addi", line, shift, PAIRS), PAIRS), PAIRS)

    def expected(x, i, o):
        row, col = np.arange(ROWS)[:, None], np.arange(COLS // 2)
        for tile in range(TILES):
            at = tile * SIZE + row * COLS + col
            o[tile * SIZE:(tile + 1) * SIZE:2] = x[tile * SIZE:(tile + 1) * SIZE:2]
            o[(at + col + 1).reshape(-1)] = o[(at + shift).reshape(-1)].copy()
        return o
    return body, expected


def loads_around_a_store(t, start):
    """The odd elements are loaded after some of them have changed."""
    at, _, _ = t.matrix(COLS, 1, start)
    t.store("%o_ptr", at, t.load("%x_ptr", at, [ROWS, COLS]), [ROWS, COLS])
    even, odd, _, _ = pair_offsets(t, start)
    a = t.load("%o_ptr", even, PAIRS)
    t.store("%o_ptr", t.matrix(COLS, 1, start, PAIRS)[0], a, PAIRS)
    t.store("%o_ptr", even, t.load("%o_ptr", odd, PAIRS), PAIRS)


def expected_loads_around_a_store(x, o):
    o[:] = x
    o[:, :32] = x[:, ::2]
    o[:, ::2] = o[:, 1::2]
    return o


def two_arrays(t, start):
    """Pairs for two places, their stores in turn."""
    places = [pair_offsets(t, start)[:2], [whole(t, "addi", at, 1 << 16, PAIRS) for at in pair_offsets(t, start)[:2]]]
    a, b = (t.load("%x_ptr", at, PAIRS) for at in places[0])
    for part, value in enumerate((b, a)):
        for place in places:
            t.store("%o_ptr", place[part], value, PAIRS)


def expected_two_arrays(x, i, o):
    for begin in (0, 1 << 16):
        o[begin:begin + TILES * SIZE] = x[:TILES * SIZE].reshape(-1, 2)[:, ::-1].reshape(-1)
    return o


def part_of_rows(width, columns, rows):
    """A plain copy of what masked pairs touch."""
    def body(t, start):
        at, row, col = t.matrix(width, 1, start)
        here, inside = t.compare("slt", row, t.constant(rows, [ROWS, COLS]), [ROWS, COLS]), t.compare("slt", col, t.constant(columns, [ROWS, COLS]), [ROWS, COLS])
        mask = t.op(f"arith.andi {here}, {inside} : {t.tensor([ROWS, COLS], 'i1')}")
        t.store("%o_ptr", at, t.load("%x_ptr", at, [ROWS, COLS], mask), [ROWS, COLS], mask)

    def expected(x, i, o):
        for tile in range(TILES):
            at = tile * SIZE + np.arange(rows)[:, None] * width + np.arange(columns)
            o[at] = x[at]
        return o
    return body, expected


# The limit is 2 wherever the bytes are those of `copy`. Above it: masked rows, which take as long as a plain copy of the same elements
# (part_62_of_rows 3.9, part_64_of_rows 2.4 with f16), and planes_4_in_turn, whose stores each have a branch. Without one: stores that do
# not go together.
PATTERNS = [
    Pattern("rotary", rotary, per_tile(expected_rotary), 2),
    Pattern("rotary_in_place", rotary_in_place, per_tile(expected_rotary)),
    Pattern("rotary_tokens", tokens, per_tile(expected_rotary), 2),
    Pattern("rotary_masked", *masked_rotary(62), 4),
    Pattern("rotary_masked_odd_rows", *masked_rotary(61)),
    Pattern("rotary_half_masked", half_masked, per_tile(expected_half_masked), 2.6),
    Pattern("part_62_of_rows", *part_of_rows(62, 61, 59)),
    Pattern("part_64_of_rows", *part_of_rows(64, 52, 64)),
    Pattern("rotary_one_after_the_other", one_after_the_other, per_tile(lambda x, o: x + x)),
    Pattern("rotary_two_arrays", two_arrays, expected_two_arrays, 3),
    Pattern("rotary_masks_differ", masks_differ, per_tile(expected_masks_differ)),
    Pattern("rows_at_64", *launch_rows(COLS, 0), 2),
    Pattern("rows_at_65", *launch_rows(COLS, 1)),
    Pattern("rows_at_7", *launch_rows(6, 1)),
    Pattern("rows_at_8", *launch_rows(8, 0)),
    Pattern("planes_2_together", *planes(2, 2048), 2),
    Pattern("planes_3_together", *planes(3, 1024), 2),
    Pattern("planes_4_together", *planes(4, 1024), 2),
    Pattern("planes_4_disorder", *planes(4, 1024, order=[2, 0, 3, 1]), 2),
    Pattern("planes_5_together", *planes(5, 512), 2),
    Pattern("planes_6_together", *planes(6, 512), 2),
    Pattern("planes_8_together", *planes(8, 512), 2),
    Pattern("planes_3_short", *planes(3, 48)),
    Pattern("planes_4_in_turn", *planes(4, 1024, together=False), 3),
    Pattern("copied_back", *copied_back(0)),
    Pattern("copied_from_behind", *copied_back(TILES * SIZE)),
    Pattern("loads_around_a_store", loads_around_a_store, per_tile(expected_loads_around_a_store)),
]
