"""Layouts that users' kernels read and write: images, attention caches, rotary embeddings, ragged rows, as patterns of access_kernels."""

import numpy as np

from tests.e2e.access_kernels import COLS, LINE, MATRIX, ROWS, SIZE, TILES, Pattern, per_tile, put, tiles

IMAGE, ROW, COL = np.arange(SIZE), *np.indices((ROWS, COLS))


def line_from(index, expected):
    """o[i] = x[index(i)] of a tile, i along one dimension."""
    def body(t, start):
        line = t.range(SIZE)
        t.store("%o_ptr", t.add(line, start, LINE), t.load("%x_ptr", t.add(index(t, line), start, LINE), LINE), LINE)
    return body, gathered(expected(IMAGE))


def masked_line(index, expected, last=TILES * SIZE - 40, stored=False):
    """The same under a mask, which the last tile needs; either way."""
    def body(t, start):
        line = t.range(SIZE)
        place, moved = t.add(line, start, LINE), t.add(index(t, line), start, LINE)
        mask = t.compare("slt", place, t.constant(last, LINE), LINE)
        to, from_ = (moved, place) if stored else (place, moved)
        t.store("%o_ptr", to, t.load("%x_ptr", from_, LINE, mask), LINE, mask)

    def wanted(x, i, o):
        line = np.arange(last)
        moved = line // SIZE * SIZE + expected(line % SIZE)
        o[moved if stored else line] = x[line if stored else moved]
        return o
    return body, wanted


def line_to(index, expected):
    """o[index(i)] = x[i] of a tile."""
    def body(t, start):
        line = t.range(SIZE)
        t.store("%o_ptr", t.add(index(t, line), start, LINE), t.load("%x_ptr", t.add(line, start, LINE), LINE), LINE)
    return body, scattered(expected(IMAGE))


def matrix_from(index, expected):
    """o[r][c] = x[index(r, c)] of a tile."""
    def body(t, start):
        at, rows, cols = t.matrix(COLS, 1, start)
        t.store("%o_ptr", at, t.load("%x_ptr", t.add(index(t, rows, cols), start, MATRIX), MATRIX), MATRIX)
    return body, gathered(expected(ROW, COL))


def matrix_to(index, expected):
    """o[index(r, c)] = x[r][c] of a tile."""
    def body(t, start):
        at, rows, cols = t.matrix(COLS, 1, start)
        t.store("%o_ptr", t.add(index(t, rows, cols), start, MATRIX), t.load("%x_ptr", at, MATRIX), MATRIX)
    return body, scattered(expected(ROW, COL))


def gathered(at):
    def expected(x, i, o):
        for tile in range(TILES):
            put(o, tile, x[tile * SIZE + at.reshape(-1)])
        return o
    return expected


def scattered(at):
    def expected(x, i, o):
        for tile, part in enumerate(tiles(x)):
            o[tile * SIZE + at.reshape(-1)] = part.reshape(-1)
        return o
    return expected


def whole(t, name, value, number, shape):
    return t.binary(name, value, t.constant(number, shape), shape)


def permuted_line(divisor):
    """Two dimensions of a line change places by quotient and remainder; of the launch's 100 if divisor is None."""
    def index(t, line):
        by = t.constant(divisor, LINE)
        return t.binary("addi", t.scale(t.binary("remsi", line, by, LINE), SIZE // divisor, LINE), t.binary("divsi", line, by, LINE), LINE)
    return index, lambda i: i % divisor * (SIZE // divisor) + i // divisor


def heads(outer, inner, size):
    """[outer][inner][size] becomes [inner][outer][size], by quotients and remainders of a line."""
    def index(t, line):
        within = whole(t, "remsi", line, size, LINE)
        second = whole(t, "remsi", whole(t, "divsi", line, size, LINE), outer, LINE)
        first = whole(t, "divsi", line, outer * size, LINE)
        return t.binary("addi", t.binary("addi", t.scale(second, inner * size, LINE), t.scale(first, size, LINE), LINE), within, LINE)
    return index, lambda i: i // size % outer * inner * size + i // (outer * size) * size + i % size


def im2col(t, rows, cols):
    """Windows of 8 x 8 of an image 64 wide at 8 x 8 places."""
    def split(value, factor):
        return t.binary("addi", t.scale(whole(t, "divsi", value, 8, MATRIX), factor, MATRIX), whole(t, "remsi", value, 8, MATRIX), MATRIX)
    return t.binary("addi", split(rows, 64), split(cols, 64), MATRIX)


def im2col_at(r, c):
    return (r // 8 + c // 8) * 64 + r % 8 + c % 8


def affine(row, col, start=0):
    def index(t, rows, cols):
        return whole(t, "addi", t.binary("addi", t.scale(rows, row, MATRIX), t.scale(cols, col, MATRIX), MATRIX), start, MATRIX)
    return index, lambda r, c: r * row + c * col + start


def reversed_line():
    return lambda t, line: t.binary("subi", t.constant(SIZE - 1, LINE), line, LINE), lambda i: SIZE - 1 - i


def diagonal():
    """Column (r + c) mod 64 of row r."""
    def index(t, rows, cols):
        return t.binary("addi", t.scale(rows, COLS, MATRIX), whole(t, "remsi", t.binary("addi", rows, cols, MATRIX), COLS, MATRIX), MATRIX)
    return index, lambda r, c: r * COLS + (r + c) % COLS


def upsampled():
    def index(t, rows, cols):
        return t.binary("addi", t.scale(whole(t, "divsi", rows, 2, MATRIX), COLS // 2, MATRIX), whole(t, "divsi", cols, 2, MATRIX), MATRIX)
    return index, lambda r, c: r // 2 * (COLS // 2) + c // 2


def shifted(by):
    return lambda t, line: whole(t, "addi", line, by, LINE), lambda i: i + by


def runtime_strides(row, col):
    """Strides from the launch: %one and %one * 64."""
    def index(t, rows, cols):
        one = t.splat("%one", MATRIX)
        return t.binary("addi", t.scale(t.binary("muli", rows, one, MATRIX), row, MATRIX), t.scale(t.binary("muli", cols, one, MATRIX), col, MATRIX), MATRIX)
    return index, lambda r, c: r * row + c * col


def rotary_halves(t, start):
    """The halves of each row of 64 change places."""
    shape = [ROWS, COLS // 2]
    left, _, _ = t.matrix(COLS, 1, start, shape)
    right = whole(t, "addi", left, COLS // 2, shape)
    a, b = t.load("%x_ptr", left, shape), t.load("%x_ptr", right, shape)
    t.store("%o_ptr", left, b, shape)
    t.store("%o_ptr", right, a, shape)


def rotary_pairs(t, start):
    """Neighbours change places."""
    shape = [ROWS, COLS // 2]
    even, _, _ = t.matrix(COLS, 2, start, shape)
    odd = whole(t, "addi", even, 1, shape)
    a, b = t.load("%x_ptr", even, shape), t.load("%x_ptr", odd, shape)
    t.store("%o_ptr", even, b, shape)
    t.store("%o_ptr", odd, a, shape)


def planes(count, there):
    """From pixels of `count` channels to planes, or back."""
    size = SIZE // 4
    def body(t, start):
        line = t.range(size)
        for channel in range(count):
            pixel = t.add(whole(t, "addi", t.scale(line, count, [size]), channel, [size]), start, [size])
            plane = t.add(whole(t, "addi", line, channel * size, [size]), start, [size])
            t.store("%o_ptr", plane if there else pixel, t.load("%x_ptr", pixel if there else plane, [size]), [size])

    def expected(x, i, o):
        for tile in range(TILES):
            part = x[tile * SIZE:tile * SIZE + count * size]
            o[tile * SIZE:tile * SIZE + count * size] = (part.reshape(size, count).T if there else part.reshape(count, size).T).reshape(-1)
        return o
    return body, expected


def pages(t, start):
    """64 tokens of a cache in pages of 16 tokens, by a table."""
    at, rows, cols = t.matrix(COLS, 1, start)
    line = t.range(ROWS)
    page = t.load("%i_ptr", whole(t, "divsi", line, 16, [ROWS]), [ROWS], element="i32")
    token = t.binary("addi", t.scale(page, 16, [ROWS]), whole(t, "remsi", line, 16, [ROWS]), [ROWS])
    offset = t.binary("addi", t.spread(t.scale(token, COLS, [ROWS]), 1, MATRIX), cols, MATRIX)
    t.store("%o_ptr", at, t.load("%x_ptr", offset, MATRIX), MATRIX)


def expected_pages(x, i, o):
    token = np.repeat(i[:4], 16) * 16 + np.arange(64) % 16
    for tile in range(TILES):
        put(o, tile, x[token[:, None] * COLS + np.arange(COLS)])
    return o


def ragged(t, start):
    """Rows that begin where a table says and are as long as it says."""
    at, rows, cols = t.matrix(COLS, 1, start)
    first = t.load("%i_ptr", t.range(ROWS), [ROWS], element="i32")
    mask = t.compare("slt", cols, t.spread(first, 1, MATRIX), MATRIX)
    offset = t.binary("addi", t.spread(t.scale(first, 77, [ROWS]), 1, MATRIX), cols, MATRIX)
    t.store("%o_ptr", at, t.load("%x_ptr", t.add(offset, start, MATRIX), MATRIX, mask), MATRIX)


def expected_ragged(x, i, o):
    first, col = i[:ROWS, None], np.arange(COLS)
    for tile in range(TILES):
        put(o, tile, np.where(col < first, x[first * 77 + col + tile * SIZE], 0).astype(x.dtype))
    return o


def chosen_rows(t, start):
    """Rows that a table says are there."""
    at, rows, cols = t.matrix(COLS, 1, start)
    keep = t.compare("sgt", t.load("%i_ptr", t.range(ROWS), [ROWS], element="i32"), t.constant(30, [ROWS]), [ROWS])
    wide = t.op(f"tt.expand_dims {keep} {{axis = 1 : i32}} : tensor<{ROWS}xi1> -> tensor<{ROWS}x1xi1>")
    mask = t.op(f"tt.broadcast {wide} : tensor<{ROWS}x1xi1> -> tensor<{ROWS}x{COLS}xi1>")
    t.store("%o_ptr", at, t.load("%x_ptr", at, MATRIX, mask), MATRIX)


def expected_chosen_rows(x, i, o):
    for tile, part in enumerate(tiles(x)):
        put(o, tile, np.where(i[:ROWS, None] > 30, part, 0).astype(x.dtype))
    return o


def spread_line(axis):
    """A row or a column of the tile over all of it, through pointers."""
    def index(t, rows, cols):
        return cols if axis == 0 else rows
    return index, lambda r, c: c if axis == 0 else r


def tails(width, height):
    """Rows of `width` elements without a gap, `height` of them."""
    def body(t, start):
        at, rows, cols = t.matrix(width, 1, start)
        mask = t.op(f"arith.andi {t.compare('slt', cols, t.splat(f'%k{width}', MATRIX), MATRIX)}, "
                    f"{t.compare('slt', rows, t.splat(f'%k{height}', MATRIX), MATRIX)} : {t.tensor(MATRIX, 'i1')}")
        t.store("%o_ptr", at, t.load("%x_ptr", at, MATRIX, mask), MATRIX, mask)

    def wrapped(t, start):
        for size in {width, height}:
            t.lines.append(f"%k{size} = arith.addi %d, %k{size}_off : i32")
            t.lines.insert(0, f"%k{size}_off = arith.constant {size - 100} : i32")
        body(t, start)

    def expected(x, i, o):
        for tile in range(TILES):
            o[tile * SIZE:tile * SIZE + width * height] = x[tile * SIZE:tile * SIZE + width * height]
        return o
    return wrapped, expected


def shaped(rows, cols, row_stride=None):
    """A contiguous tile of another shape; rows of `row_stride`."""
    def body(t, start):
        at, _, _ = t.matrix(row_stride or cols, 1, start, [rows, cols])
        t.store("%o_ptr", at, t.load("%x_ptr", at, [rows, cols]), [rows, cols])

    def expected(x, i, o):
        at = (np.arange(rows)[:, None] * (row_stride or cols) + np.arange(cols)).reshape(-1)
        for tile in range(TILES):
            o[tile * SIZE + at] = x[tile * SIZE + at]
        return o
    return body, expected


def joined(t, start):
    """The left half of each row from here, the right half from 1000 elements on."""
    at, rows, cols = t.matrix(COLS, 1, start)
    half = t.constant(COLS // 2, MATRIX)
    left, right = t.compare("slt", cols, half, MATRIX), t.compare("sge", cols, half, MATRIX)
    a = t.load("%x_ptr", at, MATRIX, left)
    b = t.load("%x_ptr", whole(t, "addi", at, 1000, MATRIX), MATRIX, right)
    value = t.op(f"arith.select {left}, {a}, {b} : {t.tensor(MATRIX, 'i1')}, {t.tensor(MATRIX, t.element)}")
    t.store("%o_ptr", at, value, MATRIX)


def expected_joined(x, i, o):
    for tile in range(TILES):
        at = ROW * COLS + COL
        put(o, tile, np.where(COL < 32, x[at + tile * SIZE], x[at + tile * SIZE + 1000]))
    return o


def block_pointer(order):
    """The transpose through a block pointer."""
    def body(t, start):
        kind = f"<tensor<{ROWS}x{COLS}x{t.element}>>"
        for value in ("%n64 = arith.constant 64 : i64", "%n1 = arith.constant 1 : i64", f"%xs = tt.addptr %x_ptr, {start} : !tt.ptr<{t.element}>, i32",
                      f"%os = tt.addptr %o_ptr, {start} : !tt.ptr<{t.element}>, i32"):
            t.lines.append(value)
        from_ = t.op(f"tt.make_tensor_ptr %xs, [%n64, %n64], [%n1, %n64], [%c0, %c0] {{order = array<i32: {order}>}} : {kind}")
        value = t.op(f"tt.load {from_} {{boundaryCheck = array<i32: 0, 1>}} : !tt.ptr{kind}")
        to = t.op(f"tt.make_tensor_ptr %os, [%n64, %n64], [%n64, %n1], [%c0, %c0] {{order = array<i32: 1, 0>}} : {kind}")
        t.lines.append(f"tt.store {to}, {value} {{boundaryCheck = array<i32: 0, 1>}} : !tt.ptr{kind}")
    return body, per_tile(lambda x, o: x.T)


# The aim is 2. Above it, with f16: permuted_line_mask and permuted_line_tail, whose tile goes through a branch, and a copy on chip. Without
# a limit: what moves in bursts of a few bytes (a store at a stride, since the lanes between belong to others; a stripe of 16 bytes).
PATTERNS = [
    Pattern("permuted_line", *line_from(*permuted_line(64)), 2),
    Pattern("permuted_line_store", *line_to(*permuted_line(64)), 2),
    Pattern("permuted_line_tail", *masked_line(*permuted_line(64)), 2.2),
    Pattern("permuted_line_tail_store", *masked_line(*permuted_line(64), stored=True), 2),
    Pattern("permuted_line_mask", *masked_line(*permuted_line(64), TILES * SIZE), 2.2),
    Pattern("permuted_line_mask_store", *masked_line(*permuted_line(64), TILES * SIZE, True), 2),
    Pattern("reversed_line_tail", *masked_line(*reversed_line()), 2),
    Pattern("reversed_line_tail_store", *masked_line(*reversed_line(), stored=True)),
    Pattern("heads", *line_from(*heads(8, 8, 64)), 2),
    Pattern("heads_store", *line_to(*heads(8, 8, 64)), 2),
    Pattern("im2col", *matrix_from(im2col, im2col_at), 2),
    Pattern("reversed_line", *line_from(*reversed_line()), 2),
    Pattern("reversed_line_store", *line_to(*reversed_line()), 2),
    Pattern("reversed_rows", *matrix_from(*affine(-COLS, 1, COLS * (ROWS - 1))), 2),
    Pattern("reversed_columns", *matrix_from(*affine(COLS, -1, COLS - 1)), 2),
    Pattern("diagonal", *matrix_from(*diagonal())),
    Pattern("diagonal_store", *matrix_to(*diagonal())),
    Pattern("skewed", *matrix_from(*affine(COLS + 1, 1))),
    Pattern("skewed_store", *matrix_to(*affine(COLS + 1, 1))),
    Pattern("upsampled", *matrix_from(*upsampled()), 2),
    Pattern("shifted", *line_from(*shifted(1)), 2),
    Pattern("shifted_store", *line_to(*shifted(1)), 2),
    Pattern("launch_transposed", *matrix_from(*runtime_strides(1, COLS)), 2),
    Pattern("launch_transposed_store", *matrix_to(*runtime_strides(1, COLS)), 2),
    Pattern("launch_strides_store", *matrix_to(*runtime_strides(COLS, 1)), 2),
    Pattern("rotary_halves", rotary_halves, per_tile(lambda x, o: np.concatenate([x[:, 32:], x[:, :32]], 1))),
    Pattern("rotary_pairs", rotary_pairs, per_tile(lambda x, o: x.reshape(ROWS, -1, 2)[:, :, ::-1]), 2),
    Pattern("pixels_2", *planes(2, True), 2),
    Pattern("planes_2", *planes(2, False), 2),
    Pattern("pixels_3", *planes(3, True), 2),
    Pattern("planes_3", *planes(3, False), 2),
    Pattern("pages", pages, expected_pages, 2),
    Pattern("ragged", ragged, expected_ragged),
    Pattern("chosen_rows", chosen_rows, expected_chosen_rows),
    Pattern("spread_row", *matrix_from(*spread_line(0)), 2),
    Pattern("spread_column", *matrix_from(*spread_line(1)), 2),
    Pattern("tails", *tails(61, 59), 2),
    Pattern("narrow", *shaped(512, 8), 2),
    Pattern("stripe", *shaped(512, 8, 64)),
    Pattern("column", *shaped(4096, 1), 2),
    Pattern("odd_width", *shaped(64, 33), 2),
    Pattern("joined", joined, expected_joined),
    Pattern("block_pointer_turned", *block_pointer("0, 1"), 2),
]
