"""Pointers and masks that are no rectangle give numpy's values, in vector code and around products."""

import json

import numpy as np
import pytest

from tests.e2e import pointer_kernels

DTYPES = {"float32": "f32", "float16": "f16", "int32": "i32"}
MODES = ["full", "off"]


def launch(tools, folder, name, kernel, mode):
    text, tensors, expected = kernel
    args = [{"name": key, "kind": "tensor", "dtype": DTYPES[str(value.dtype)], "shape": [value.size], "output": key == "o"}
            for key, value in tensors.items()]
    (folder / "case.json").write_text(json.dumps({"name": name, "kernel": name, "grid": [1, 1, 1], "args": args}))
    np.savez(folder / "case.npz", out_o=expected, **{f"in_{key}": value for key, value in tensors.items()})
    (folder / f"{name}.ttir").write_text(text)
    done = tools.run(tools.compile(folder / f"{name}.ttir", f"--coalesce={mode}"), folder / "case.json", "--out", folder / "out", "--check")
    assert done.code == 0, done.out + done.err
    with np.load(folder / "out" / "outputs.npz") as results:
        got = results["out_o"].reshape(-1)
    assert (got == expected).all(), np.flatnonzero(got != expected)[:8]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", pointer_kernels.VECTOR)
def test_vector(tools, tmp_path, name, mode):
    launch(tools, tmp_path, name, pointer_kernels.vector(name), mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", pointer_kernels.PRODUCT)
def test_product(tools, tmp_path, name, mode):
    launch(tools, tmp_path, name, pointer_kernels.product(name), mode)
