"""Triton kernels give the GPU's values."""

import json

import numpy
import pytest

from conftest import CASES, REPOSITORY

NAMES = [line.strip() for line in (REPOSITORY / "tests" / "e2e" / "cases.txt").read_text().splitlines()
         if line.strip() and not line.startswith("#")]


@pytest.mark.parametrize("name", NAMES)
def test_values(tools, tmp_path, name):
    case = CASES / f"{name.split('/')[-1]}.json"
    kernel = tools.compile(CASES / f"{name}.ttir")
    done = tools.run(kernel, case, "--out", tmp_path, "--check")
    assert done.code == 0, done.err
    summary = json.loads((tmp_path / "summary.json").read_text())
    written = [a["name"] for a in json.loads(case.read_text())["args"] if a.get("output")]
    assert sorted(summary["values"]) == sorted(written)
    assert summary["cycles"] > 0
    # The file holds what was compared: check it with numpy as well.
    got, expected = numpy.load(tmp_path / "outputs.npz"), numpy.load(case.with_suffix(".npz"))
    for output in written:
        a, b = got[f"out_{output}"], expected[f"out_{output}"]
        assert a.dtype == b.dtype and a.shape == b.shape
        if a.dtype in (numpy.float16, numpy.float32):
            a, b = a.astype(float), b.astype(float)
            scale = numpy.abs(b).max(axis=-1, keepdims=True)
            assert (numpy.abs(a - b) <= (2e-3 if got[f"out_{output}"].dtype == numpy.float16 else 2e-5) * scale).all()


@pytest.mark.parametrize("cores", [1, 2])
def test_a_short_tile_behind_a_whole_one(tools, tmp_path, cores):
    """With one slot of L0C: the last tile's rows are cleared while the fixpipe still reads the blocks behind them."""
    name = "tuned_conv2d_128x128x64"
    done = tools.run(tools.compile(CASES / f"{name}.ttir", "--multibuffer=1"), CASES / f"{name}.json", "--out", tmp_path, "--check", f"--cores={cores}")
    assert done.code == 0, done.err
