"""What is slow to write down is not slow to run: each way to write a kernel against the plain way."""

import json

import numpy as np
import pytest

from tests.e2e import cliff_kernels

LAUNCH = 900  # cycles before the first core starts


def tensor(name, value, output=False):
    return {"name": name, "kind": "tensor", "dtype": cliff_kernels.element(value.dtype), "shape": list(value.shape), "output": output}


@pytest.fixture(scope="module")
def cycles(tools, tmp_path_factory):
    """Cycles of a kernel, whose values are checked; each is run once."""
    known, folder = {}, tmp_path_factory.mktemp("cliffs")

    def of(kernel):
        if kernel.name in known:
            return known[kernel.name]
        path = folder / kernel.name
        before = np.zeros_like(kernel.expected)
        case = {"name": kernel.name, "kernel": kernel.name, "grid": [kernel.grid],
                "args": [*(tensor(name, value) for name, value in kernel.tensors.items()), tensor("o", before, True),
                         *({"name": name, "kind": "scalar", "dtype": "i64", "value": value} for name, value in kernel.scalars.items())]}
        path.with_suffix(".json").write_text(json.dumps(case))
        np.savez(path.with_suffix(".npz"), in_o=before, **{f"in_{name}": value for name, value in kernel.tensors.items()})
        path.with_suffix(".ttir").write_text(kernel.text)
        done = tools.run(tools.compile(path.with_suffix(".ttir")), path.with_suffix(".json"), "--out", path)
        assert done.code == 0, done.out + done.err
        with np.load(path / "outputs.npz") as results:
            got = results["out_o"].reshape(-1)
        expected = kernel.expected.reshape(-1)
        if "layer_norm" in kernel.name:
            np.testing.assert_allclose(got.astype(np.float64), expected.astype(np.float64), rtol=2e-3, atol=2e-3)
        else:
            np.testing.assert_array_equal(got, expected)
        known[kernel.name] = json.loads((path / "summary.json").read_text())["cycles"] - LAUNCH
        return known[kernel.name]
    return of


@pytest.mark.parametrize("written, plain, limit", cliff_kernels.PAIRS, ids=[written.name for written, _, _ in cliff_kernels.PAIRS])
def test_as_fast_as_the_plain_way(cycles, written, plain, limit):
    took, asked = cycles(written), limit * cycles(plain)
    assert took <= asked
