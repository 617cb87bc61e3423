"""All of a product is checked without computing it again."""

import json
import os
import subprocess
import sys

import numpy
import pytest

from conftest import CASES, KERNELS, REPOSITORY, matmul_case
from experiments.runner import load_case


def script(*words):
    return subprocess.run([sys.executable, REPOSITORY / "experiments" / "runner" / "freivalds.py", *map(str, words)],
                          capture_output=True, text=True)


def test_matmul(tools, tmp_path):
    kernel = tools.compile(KERNELS / "matmul.c", "--kind=aic")
    case = matmul_case(tmp_path, 512, 768, 1024)
    assert tools.run(kernel, case, "--out", tmp_path / "out").code == 0
    done = script(case, tmp_path / "out" / "outputs.npz")
    assert done.returncode == 0 and "ok" in done.stdout, done.stdout + done.stderr
    # One wrong element anywhere is found.
    arrays = dict(numpy.load(tmp_path / "out" / "outputs.npz"))
    arrays["out_c_ptr"][300, 700] += 4
    numpy.savez(tmp_path / "wrong.npz", **arrays)
    done = script(case, tmp_path / "wrong.npz")
    assert done.returncode == 1 and "row 300" in done.stdout, done.stdout + done.stderr


# 4096 in the nightly run; a smaller size shows the same code every day.
@pytest.mark.parametrize("name", ["tuned_matmul_grid2d_128x256x64", "tuned_matmul_grid2d_128x256x256"])
def test_large_triton_matmul(tools, tmp_path, name):
    size = 4096 if os.environ.get("DLSIM_NIGHTLY") else 1024
    square = [size, size]
    case = tmp_path / "case.json"
    case.write_text(json.dumps(load_case(
        CASES / f"{name}.json", grid=[size // 128, size // 256, 1], scalars=dict.fromkeys("MNK", size),
        shapes=dict.fromkeys(("a_ptr", "b_ptr", "c_ptr"), square), init={"a_ptr": "normal(1)", "b_ptr": "normal(2)"})))
    done = tools.run(tools.compile(CASES / f"{name}.ttir"), case, "--out", tmp_path / "out")
    assert done.code == 0, done.err
    done = script(case, tmp_path / "out" / "outputs.npz")
    assert done.returncode == 0, done.stdout + done.stderr


def test_bad_usage(tmp_path):
    assert script(tmp_path / "none.json", tmp_path / "none.npz").returncode == 2
