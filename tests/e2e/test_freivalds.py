"""All of a product is checked without computing it again."""

import subprocess
import sys

import numpy

from conftest import KERNELS, REPOSITORY, matmul_case


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


def test_bad_usage(tmp_path):
    assert script(tmp_path / "none.json", tmp_path / "none.npz").returncode == 2
