"""Loads without a value for what is masked off: a tile of which the mask leaves nothing is not read as it was found."""

import json

import numpy as np
import pytest

from tests.e2e.access_kernels import COLS, ROWS, Text
from tests.e2e.test_access import DTYPES

SHAPE, LINE = [ROWS, COLS], [COLS]
WIDTH = 3 * COLS  # of a row in memory


def offsets(t, pattern):
    """Element offsets of a program's tile, and what of it is inside."""
    if pattern == "line":
        return t.range(COLS), LINE
    if pattern == "gaps":
        return t.scale(t.range(COLS), 2, LINE), LINE
    if pattern == "elements":
        return t.scale(t.range(COLS), 41, LINE), LINE
    if pattern == "gathered":
        return t.load("%i_ptr", t.range(COLS), LINE, element="i32"), LINE
    strides = {"matrix": (WIDTH, 1), "transposed": (1, WIDTH), "matrix of gaps": (WIDTH, 3), "matrix of elements": (WIDTH * 7, 29)}[pattern]
    return t.matrix(*strides, "%zero")[0], SHAPE


def kernel(pattern, element):
    t = Text(element)
    at, shape = offsets(t, pattern)
    # Of the line, or of both dimensions of the tile, `n` lanes; programs behind the first have none.
    lines = [t.range(shape[0])] if len(shape) == 1 else [t.spread(t.range(ROWS), 1, shape), t.spread(t.range(COLS), 0, shape)]
    inside = [t.compare("slt", line, t.splat("%n", shape), shape) for line in lines]
    mask = inside[0] if len(inside) == 1 else t.op(f"arith.andi {inside[0]}, {inside[1]} : {t.tensor(shape, 'i1')}")
    kind = t.tensor(shape, f"!tt.ptr<{element}>")
    x = t.op(f"tt.load {t.pointers('%x_ptr', at, shape)}, {mask} : {kind}")
    add = "addi" if element.startswith("i") else "addf"
    t.store("%o_ptr", at, t.op(f"arith.{add} {x}, {x} : {t.tensor(shape, element)}"), shape, mask)
    body = "\n    ".join(t.lines)
    return f"""module {{
  tt.func public @masked(%x_ptr: !tt.ptr<{element}>, %i_ptr: !tt.ptr<i32>, %o_ptr: !tt.ptr<{element}>, %lanes: i32) {{
    %zero = arith.constant 0 : i32
    %pid = tt.get_program_id x : i32
    %first = arith.cmpi eq, %pid, %zero : i32
    %n = arith.select %first, %lanes, %zero : i32
    {body}
    tt.return
  }}
}}
"""


def places(pattern, index):
    """The element offsets as numpy has them."""
    rows, cols = np.indices(SHAPE)
    return {"line": np.arange(COLS), "gaps": np.arange(COLS) * 2, "elements": np.arange(COLS) * 41, "gathered": index[:COLS],
            "matrix": rows * WIDTH + cols, "transposed": rows + cols * WIDTH, "matrix of gaps": rows * WIDTH + cols * 3,
            "matrix of elements": rows * WIDTH * 7 + cols * 29}[pattern]


PATTERNS = ["line", "gaps", "elements", "gathered", "matrix", "transposed", "matrix of gaps", "matrix of elements"]


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_nothing_inside(tools, tmp_path, pattern, dtype):
    rng = np.random.default_rng(5)
    size, lanes = ROWS * WIDTH * 7 + COLS * 41, 21
    x = rng.integers(-50, 50, size).astype(dtype)
    index = rng.permutation(1000)[:COLS].astype(np.int32)
    at, expected = places(pattern, index), np.zeros_like(x)
    at = at[:lanes] if at.ndim == 1 else at[:lanes, :lanes]
    expected[at] = x[at] + x[at]
    tensors = {"x_ptr": x, "i_ptr": index, "o_ptr": np.zeros_like(x)}
    args = [{"name": key, "kind": "tensor", "dtype": DTYPES[str(value.dtype)], "shape": [value.size], "output": key == "o_ptr"}
            for key, value in tensors.items()] + [{"name": "lanes", "kind": "scalar", "dtype": "i32", "value": lanes}]
    (tmp_path / "masked.json").write_text(json.dumps({"name": "masked", "kernel": "masked", "grid": [3, 1, 1], "args": args}))
    np.savez(tmp_path / "masked.npz", out_o_ptr=expected, **{f"in_{key}": value for key, value in tensors.items()})
    source = tmp_path / "masked.ttir"
    source.write_text(kernel(pattern, DTYPES[str(np.dtype(dtype))]))
    for mode in ("off", "copy", "full"):
        done = tools.run(tools.compile(source, f"--coalesce={mode}"), tmp_path / "masked.json", "--check", "--quiet")
        assert done.code == 0, (mode, done.out + done.err)
