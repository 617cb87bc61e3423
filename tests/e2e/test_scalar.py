"""Scalar code against the host: the same LLVM IR, compiled for both, must give the same bits."""

import ctypes
import json
import random
import shutil
import struct
import subprocess

import numpy as np
import pytest

from tests.e2e.conftest import KERNELS
from tests.e2e.scalar_ops import all_ops, module

SAMPLES = 48
CLANG = shutil.which("clang-19")


def float_bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def samples():
    """Corner values of every type, then random ones."""
    rng = random.Random(7)
    halves = [0x3C00, 0xBC00, 0x0001, 0x7BFF, 0x7C00, 0xFC00, 0x7E00, 0x8000, 0x3800, 0xC100]
    floats = [float_bits(f) for f in (0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 8388609.0, -3e9, 1e19, 1e38, 1e-40,
                                      float("inf"), float("-inf"), float("nan"), 2147483648.0)]
    corners = [0, 1, 2, 63, 127, 128, 255, 32767, 32768, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1,
               2**64 - 5] + halves + floats
    rows = []
    for i in range(SAMPLES):
        pick = [rng.choice(corners) if rng.random() < 0.6 else rng.getrandbits(rng.choice((8, 16, 32, 64))) for _ in range(3)]
        rows += pick
    return np.array(rows, dtype=np.uint64)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    if not CLANG:
        pytest.skip("clang-19 computes the expected values and is not installed")
    folder = tmp_path_factory.mktemp("host")
    ops = all_ops()
    (folder / "body.ll").write_text(module(ops, kernel=False))
    subprocess.run([CLANG, "-O1", "-mf16c", "-msse4.1", "-w", "-shared", "-fPIC", "-o", folder / "body.so", folder / "body.ll", "-lm"],
                   check=True)
    inputs = samples()
    outputs = np.zeros(SAMPLES * len(ops.names), dtype=np.uint64)
    body = ctypes.CDLL(str(folder / "body.so")).body
    body(ctypes.c_void_p(inputs.ctypes.data), ctypes.c_void_p(outputs.ctypes.data), ctypes.c_int64(SAMPLES))
    return ops, inputs, outputs


@pytest.mark.parametrize("options", [("-O2",), ("-O2", "--pack=off"), ("-O0",)], ids=["O2", "O2-unpacked", "O0"])
def test_scalar_operations(tools, expected, tmp_path, options):
    ops, inputs, outputs = expected
    source = tmp_path / "scalar.ll"
    source.write_text(module(ops, kernel=True))
    kernel = tools.compile(source, "--kind=aiv", *options)

    def tensor(name, data, output):
        return {"name": name, "kind": "tensor", "dtype": "i64", "shape": [len(data)], "output": output}

    case = {"name": "scalar", "kernel": "scalar_kernel", "grid": [1, 1, 1],
            "args": [tensor("x", inputs, False), tensor("y", outputs, True),
                     {"name": "n", "kind": "scalar", "dtype": "i64", "value": SAMPLES}]}
    (tmp_path / "scalar.json").write_text(json.dumps(case))
    np.savez(tmp_path / "scalar.npz", in_x=inputs.view(np.int64), in_y=np.zeros(len(outputs), dtype=np.int64))
    done = tools.run(kernel, tmp_path / "scalar.json", "--out", tmp_path / "out", "-q")
    assert done.code == 0, done.err + done.out
    results = np.load(tmp_path / "out" / "outputs.npz")
    got = results[results.files[0]].view(np.uint64).reshape(SAMPLES, -1)
    want = outputs.reshape(SAMPLES, -1)
    wrong = [f"{ops.names[i]}{tuple(hex(int(v)) for v in inputs[3 * k:3 * k + 3])} = {got[k, i]:#x}, not {want[k, i]:#x}"
             for k, i in zip(*np.nonzero(got != want))]
    assert not wrong, f"{len(wrong)} wrong:\n" + "\n".join(wrong[:20])


@pytest.mark.parametrize("options", [("-O2",), ("-O1", "--pack=off"), ("-O0",), ("-O3",)], ids=lambda o: "".join(o))
def test_programs(tools, tmp_path, options):
    """C with recursion, structures and stack frames; the expected values are those of the host."""
    if not CLANG:
        pytest.skip("clang-19 computes the expected values and is not installed")
    source = KERNELS / "programs.c"
    subprocess.run([CLANG, "-O1", "-DHOST", "-w", "-ffp-contract=off", "-shared", "-fPIC", "-o", tmp_path / "host.so", source], check=True)
    want = np.zeros(128, dtype=np.int64)
    ctypes.CDLL(str(tmp_path / "host.so")).programs(ctypes.c_void_p(want.ctypes.data))
    count = int(want.nonzero()[0][-1]) + 1
    kernel = tools.compile(source, "--kind=aiv", *options)
    case = {"name": "programs", "kernel": "programs_kernel", "grid": [1, 1, 1],
            "args": [{"name": "y", "kind": "tensor", "dtype": "i64", "shape": [128], "output": True}]}
    (tmp_path / "programs.json").write_text(json.dumps(case))
    np.savez(tmp_path / "programs.npz", in_y=np.zeros(128, dtype=np.int64))
    done = tools.run(kernel, tmp_path / "programs.json", "--out", tmp_path / "out", "-q")
    assert done.code == 0, done.err + done.out
    results = np.load(tmp_path / "out" / "outputs.npz")
    got = results[results.files[0]]
    assert count >= 60 and got[:count].tolist() == want[:count].tolist()
