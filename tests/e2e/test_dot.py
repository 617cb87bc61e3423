"""Products of every element type and storage order, at sizes that need padding, against numpy."""

import numpy as np
import pytest

from tests.e2e.test_vector import launch, wrong

STORAGE = {"f16": np.float16, "f32": np.float32, "i8": np.int8}


def operand(name, element, rows, cols, transposed):
    """Text of %name, the tile of rows x cols elements that lies in memory row by row, or column by column."""
    ptr, shape = f"!tt.ptr<{element}>", f"{rows}x{cols}"
    step_r, step_c = (1, rows) if transposed else (cols, 1)
    t, p = f"tensor<{shape}xi32>", f"tensor<{shape}x{ptr}>"
    return f"""  %{name}ri = tt.make_range {{start = 0 : i32, end = {rows} : i32}} : tensor<{rows}xi32>
  %{name}ci = tt.make_range {{start = 0 : i32, end = {cols} : i32}} : tensor<{cols}xi32>
  %{name}rc = tt.expand_dims %{name}ri {{axis = 1 : i32}} : tensor<{rows}xi32> -> tensor<{rows}x1xi32>
  %{name}cr = tt.expand_dims %{name}ci {{axis = 0 : i32}} : tensor<{cols}xi32> -> tensor<1x{cols}xi32>
  %{name}sr = arith.constant dense<{step_r}> : tensor<{rows}x1xi32>
  %{name}sc = arith.constant dense<{step_c}> : tensor<1x{cols}xi32>
  %{name}ro = arith.muli %{name}rc, %{name}sr : tensor<{rows}x1xi32>
  %{name}co = arith.muli %{name}cr, %{name}sc : tensor<1x{cols}xi32>
  %{name}rb = tt.broadcast %{name}ro : tensor<{rows}x1xi32> -> {t}
  %{name}cb = tt.broadcast %{name}co : tensor<1x{cols}xi32> -> {t}
  %{name}at = arith.addi %{name}rb, %{name}cb : {t}
  %{name}s = tt.splat %{name}_ptr : {ptr} -> {p}
  %{name}p = tt.addptr %{name}s, %{name}at : {p}, {t}
"""


def kernel(element, m, n, k, transpose_a, transpose_b, precision, result):
    acc = "i32" if element == "i8" else "f32"
    zero = "0" if element == "i8" else "0.0"
    cast = "" if result == acc else f"  %r = arith.truncf %d : tensor<{m}x{n}x{acc}> to tensor<{m}x{n}x{result}>\n"
    stored = "%d" if result == acc else "%r"
    return f"""tt.func public @product(%a_ptr: !tt.ptr<{element}>, %b_ptr: !tt.ptr<{element}>, %o_ptr: !tt.ptr<{result}>, %n: i32) {{
{operand("a", element, m, k, transpose_a)}  %a = tt.load %ap : tensor<{m}x{k}x!tt.ptr<{element}>>
{operand("b", element, k, n, transpose_b)}  %b = tt.load %bp : tensor<{k}x{n}x!tt.ptr<{element}>>
  %z = arith.constant dense<{zero}> : tensor<{m}x{n}x{acc}>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%c = %z) -> tensor<{m}x{n}x{acc}> : i32 {{
    %e = tt.dot %a, %b, %c, inputPrecision = {precision} : tensor<{m}x{k}x{element}> * tensor<{k}x{n}x{element}> -> tensor<{m}x{n}x{acc}>
    scf.yield %e : tensor<{m}x{n}x{acc}>
  }}
{cast}{operand("o", result, m, n, False)}  tt.store %op, {stored} : tensor<{m}x{n}x!tt.ptr<{result}>>
  tt.return
}}
"""


def matrix(rng, element, shape):
    return rng.integers(-128, 128, shape).astype(np.int8) if element == "i8" else rng.standard_normal(shape).astype(STORAGE[element])


@pytest.mark.parametrize("transpose_b", [False, True], ids=["b", "bT"])
@pytest.mark.parametrize("transpose_a", [False, True], ids=["a", "aT"])
@pytest.mark.parametrize("element, precision, result", [("f16", "tf32", "f32"), ("f16", "ieee", "f16"), ("f32", "ieee", "f32"),
                                                        ("f32", "tf32", "f32"), ("i8", "tf32", "i32")])
@pytest.mark.parametrize("m, n, k", [(40, 56, 72), (128, 256, 320)])
def test_product(tools, tmp_path, element, precision, result, transpose_a, transpose_b, m, n, k):
    rng = np.random.default_rng(m + n)
    a, b = matrix(rng, element, (m, k)), matrix(rng, element, (k, n))
    wide = np.int64 if element == "i8" else np.float64
    rounds = 2
    expected = (rounds * (a.astype(wide) @ b.astype(wide))).astype({"f32": np.float32, "f16": np.float16, "i32": np.int32}[result])
    stored = {"a_ptr": np.ascontiguousarray(a.T) if transpose_a else a, "b_ptr": np.ascontiguousarray(b.T) if transpose_b else b}
    text = kernel(element, m, n, k, transpose_a, transpose_b, precision, result)
    actual = launch(tools, tmp_path, "product", text, stored, expected, {"n": rounds})
    scale = 1 if element == "i8" else float(np.abs(expected).max())
    tolerance = 2e-3 if precision == "tf32" and element == "f32" else 1e-3 if result == "f16" else 2e-6
    assert not wrong(actual, expected, 0, tolerance * scale).any()


def test_no_iteration_gives_zero(tools, tmp_path):
    rng = np.random.default_rng(0)
    a, b = matrix(rng, "f16", (64, 64)), matrix(rng, "f16", (64, 64))
    text = kernel("f16", 64, 64, 64, False, False, "tf32", "f32")
    expected = np.zeros((64, 64), np.float32)
    actual = launch(tools, tmp_path, "product", text, {"a_ptr": a, "b_ptr": b}, expected, {"n": 0}, start=1)
    assert not actual.any()
