"""The Python generator has the bits of the simulator's."""

import os
import subprocess
import sys
from pathlib import Path

import numpy

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY))

from experiments.runner.generate import generate  # noqa: E402

BUILD = Path(os.environ.get("BUILD_DIR", REPOSITORY / "build"))


def fnv(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & (1 << 64) - 1
    return value


def test_same_bits_as_the_simulator():
    lines = subprocess.run([BUILD / "bin" / "generate-hashes"], capture_output=True, text=True, check=True).stdout.split("\n")
    assert len(lines) == 111
    for line in filter(None, lines):
        init, dtype, count, scale, expected = line.split()
        got = fnv(generate(init, dtype, [int(count)], float(scale)).tobytes())
        assert f"{got:016x}" == expected, line


def test_normal_is_standard():
    x = generate("normal(5)", "f32", [200000])
    assert abs(x.mean()) < 0.01 and abs(x.std() - 1) < 0.01 and numpy.abs(x).max() < 3.47


def test_slices_and_ranges():
    whole = generate("uniform(3)", "f32", [1000])
    assert (generate("uniform(3)", "f32", [100], start=400) == whole[400:500]).all()
    x = generate("uniform(3)", "i64", [1000], low=-5, high=7)
    assert x.min() == -5 and x.max() == 6
