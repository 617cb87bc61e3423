"""Tensor operations of vector kernels, and rows and columns that wrap around, against numpy."""

import json

import numpy as np
import pytest

from tests.e2e import tile_ops, vector_ops
from tests.e2e.conftest import KERNELS

DTYPES = {"float32": "f32", "float16": "f16", "int32": "i32", "int8": "i8"}


def launch(tools, folder, name, text, inputs, output, scalars, start=0):
    """Compiles and runs one program of the kernel; its output, every element of which held `start` before."""
    tensors = {**inputs, "o_ptr": np.full_like(output, start)}
    args = [{"name": key, "kind": "tensor", "dtype": DTYPES[str(value.dtype)], "shape": list(value.shape), "output": key == "o_ptr"}
            for key, value in tensors.items()]
    args += [{"name": key, "kind": "scalar", "dtype": "i32", "value": value} for key, value in scalars.items()]
    (folder / f"{name}.json").write_text(json.dumps({"name": name, "kernel": name, "grid": [1, 1, 1], "args": args}))
    np.savez(folder / f"{name}.npz", **{f"in_{key}": value for key, value in tensors.items()})
    (folder / f"{name}.ttir").write_text(text)
    kernel = tools.compile(folder / f"{name}.ttir")
    done = tools.run(kernel, folder / f"{name}.json", "--out", folder / "out")
    assert done.code == 0, done.out + done.err
    with np.load(next((folder / "out").glob("*.npz"))) as results:
        return results[next(key for key in results.files if key.endswith("o_ptr"))].reshape(output.shape)


def wrong(actual, expected, relative, absolute):
    if expected.dtype.kind == "i":
        return actual != expected
    with np.errstate(all="ignore"):
        close = np.abs(actual - expected) <= np.maximum(relative * np.abs(expected), absolute)
    return ~((actual == expected) | (np.isnan(actual) & np.isnan(expected)) | close)


def check(ops, actual, relative):
    expected = np.stack([op.expected for op in ops])
    bad = wrong(actual, expected, relative, 1e-5)
    assert not bad.any(), [f"{op.name}: element {i} is {actual[row].flat[i]}, not {expected[row].flat[i]}"
                           for row, op in enumerate(ops) for i in np.flatnonzero(bad[row])[:1]]


@pytest.mark.parametrize("group", vector_ops.GROUPS)
def test_operations(tools, tmp_path, group):
    ops, element = vector_ops.suite(group)
    text, output = vector_ops.kernel("ops", ops, element), np.stack([op.expected for op in ops])
    actual = launch(tools, tmp_path, "ops", text, vector_ops.inputs(), output, {"n": vector_ops.SIZE})
    check(ops, actual, 2e-6)


@pytest.mark.parametrize("rows, cols", tile_ops.SHAPES)
def test_tiles(tools, tmp_path, rows, cols):
    text, ops = tile_ops.kernel("tiles", rows, cols)
    output = np.stack([op.expected for op in ops])
    actual = launch(tools, tmp_path, "tiles", text, tile_ops.inputs(), output, {"one": 1})
    check(ops, actual, 1e-5)


@pytest.mark.parametrize("m, n, start", [(64, 64, 0), (50, 40, 27), (7, 10, 3), (100, 90, 85)])
def test_operands_that_wrap_around(tools, tmp_path, m, n, start):
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((m, 32)).astype(np.float16), rng.standard_normal((32, n)).astype(np.float16)
    index = start + np.arange(64)
    expected = (a[index % m].astype(np.float64) @ b[:, index % n].astype(np.float64)).astype(np.float32)
    text = (KERNELS / "wrap.ttir").read_text()
    actual = launch(tools, tmp_path, "wrap", text, {"a_ptr": a, "b_ptr": b}, expected, {"M": m, "N": n, "S": start})
    assert not wrong(actual, expected, 1e-5, 1e-5).any()
