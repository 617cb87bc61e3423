"""Access patterns give numpy's values however they are lowered, and none of them is a cliff."""

import json

import numpy as np
import pytest

from tests.e2e import access_kernels, layout_kernels, sibling_kernels

DTYPES = {"float32": "f32", "float16": "f16", "int32": "i32", "int8": "i8"}
MODES = ["off", "copy", "full"]
LAUNCH = 900  # cycles before the first core starts
PATTERNS = access_kernels.PATTERNS + layout_kernels.PATTERNS + sibling_kernels.PATTERNS
CORES = 48  # all of them, so that the copy is as fast as the chip's memory


def launch(tools, folder, pattern, dtype, mode, scalars=access_kernels.SCALARS, programs=1):
    """Cycles of the kernel, whose values are checked."""
    tensors = access_kernels.inputs(dtype)
    before = np.full(access_kernels.PART, 9, dtype)
    expected = np.tile(pattern.expected(tensors["x"], tensors["i_ptr"], before.copy()), programs)
    tensors["x"], before = np.tile(tensors["x"], programs), np.tile(before, programs)
    args = [{"name": key, "kind": "tensor", "dtype": DTYPES[str(value.dtype)], "shape": [value.size], "output": key == "o"}
            for key, value in {**tensors, "o": before}.items()]
    args += [{"name": key, "kind": "scalar", "dtype": "i32", "value": value} for key, value in scalars.items()]
    name = f"{pattern.name}_{np.dtype(dtype)}"
    (folder / f"{name}.json").write_text(json.dumps({"name": name, "kernel": pattern.name, "grid": [programs, 1, 1], "args": args}))
    np.savez(folder / f"{name}.npz", out_o=expected, **{f"in_{key}": value for key, value in tensors.items()}, in_o=before)
    source = folder / f"{name}.ttir"
    source.write_text(access_kernels.kernel(pattern, DTYPES[str(np.dtype(dtype))]))
    kernel = tools.compile(source, f"--coalesce={mode}")
    done = tools.run(kernel, folder / f"{name}.json", "--out", folder / name, "--check")
    assert done.code == 0, done.out + done.err
    with np.load(folder / name / "outputs.npz") as results:
        got = results["out_o"]
    assert (got.reshape(-1) == expected).all(), np.flatnonzero(got.reshape(-1) != expected)[:8]
    return json.loads((folder / name / "summary.json").read_text())["cycles"] - LAUNCH


@pytest.fixture(scope="module")
def copy_cycles(tools, tmp_path_factory):
    folder = tmp_path_factory.mktemp("copy")
    return {dtype: launch(tools, folder, access_kernels.PATTERNS[0], dtype, "full", programs=CORES) for dtype in (np.float32, np.float16)}


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda p: p.name)
def test_no_cliff(tools, copy_cycles, tmp_path, pattern, dtype):
    cycles = launch(tools, tmp_path, pattern, dtype, "full", programs=CORES)
    if pattern.limit:
        asked = pattern.limit * copy_cycles[dtype]
        assert cycles <= asked


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8])
@pytest.mark.parametrize("shift", [0, 37])
@pytest.mark.parametrize("period", [5, 16, 33, 100, 250, 4500])
def test_periods(tools, tmp_path, period, shift, dtype):
    pattern = access_kernels.Pattern("pieces", *access_kernels.pieces(period, 117, shift=shift))
    launch(tools, tmp_path, pattern, dtype, "full", {**access_kernels.SCALARS, "d": period})


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8])
@pytest.mark.parametrize("shift", [0, 37, 38])
@pytest.mark.parametrize("period, width", [(5, 9), (16, 20), (33, 33), (36, 37), (100, 101), (60, 41), (100, 117), (250, 260), (4500, 4600)])
def test_stored_periods(tools, tmp_path, period, width, shift, dtype):
    pattern = access_kernels.Pattern("pieces_store", *access_kernels.pieces_store(width, period, shift))
    launch(tools, tmp_path, pattern, dtype, "full", {**access_kernels.SCALARS, "d": period})


@pytest.mark.parametrize("mode", ["off", "copy"])
@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda p: p.name)
def test_other_lowerings(tools, tmp_path, pattern, mode):
    launch(tools, tmp_path, pattern, np.float32, mode)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda p: p.name)
def test_bytes(tools, tmp_path, pattern):
    launch(tools, tmp_path, pattern, np.int8, "full")


def test_modes_differ(tools, tmp_path):
    pattern = next(p for p in access_kernels.PATTERNS if p.name == "deinterleave")
    off, copy, full = (launch(tools, tmp_path, pattern, np.float32, mode) for mode in MODES)
    assert full < copy < off
