"""Bundles: what packing buys on a kernel that the scalar unit bounds."""

import json

import numpy as np

from tests.e2e.conftest import KERNELS

N = 2000


def checksums():
    """The kernel in Python: 64-bit two's complement, low 32 bits stored."""
    mask = (1 << 64) - 1

    def signed(x):
        x &= mask
        return x - (1 << 64) if x >> 63 else x

    a, b, c, d = 1, 2, 3, 4
    for i in range(N):
        a = signed((a ^ i) * 5 + 1)
        b = signed((b + i) ^ signed(b << 3))
        c = signed((c ^ (c >> 7)) + 3 * i)
        d = signed((d - i) ^ signed(d << 5))
    return np.array([a & 0xFFFFFFFF, b & 0xFFFFFFFF, c & 0xFFFFFFFF, d & 0xFFFFFFFF], dtype=np.uint32).view(np.int32)


def test_packing_saves_cycles_and_keeps_values(tools, tmp_path):
    case = tmp_path / "case.json"
    case.write_text(json.dumps({
        "name": "checksum", "kernel": "checksum_kernel", "grid": [1],
        "args": [{"name": "out_ptr", "kind": "tensor", "dtype": "i32", "shape": [4], "output": True},
                 {"name": "n", "kind": "scalar", "dtype": "i32", "value": N}]}))
    cycles = {}
    for pack in ("on", "off"):
        kernel = tools.compile(KERNELS / "checksum.c", "--kind=aiv", f"--pack={pack}")
        out = tmp_path / pack
        done = tools.run(kernel, case, "--out", out)
        assert done.code == 0, done.err
        cycles[pack] = json.loads((out / "summary.json").read_text())["cycles"]
        written = next(out.glob("*.npz"))
        np.testing.assert_array_equal(np.load(written)["out_out_ptr"], checksums())
    assert cycles["off"] >= 1.10 * cycles["on"], cycles


def test_occupancy_is_printed(tools):
    done = tools.call("dlsim", "info", tools.compile(KERNELS / "checksum.c", "--kind=aiv"))
    assert done.code == 0
    assert "bundle" in done.out
