"""Neighbouring programs that become one: values are those of programs on their own, bit for bit, and numpy's."""

import json

import numpy as np
import pytest

from tests.e2e.conftest import CASES

# The matmul of Triton's tutorial in tiles of 64 x 64; programs walk eight rows at a time.
KERNEL = CASES / "matmul_ptr_ragged.ttir"


def launch(tools, folder, m, n, k, *options):
    """C = A B by 64 x 64 tiles. Returns it, what it should be, and the run's summary."""
    rng = np.random.default_rng(m + n + k)
    a, b = rng.standard_normal((m, k)).astype(np.float16), rng.standard_normal((k, n)).astype(np.float16)
    case = json.loads(KERNEL.with_suffix(".json").read_text())
    values = {"M": m, "N": n, "K": k, "stride_am": k, "stride_bk": n, "stride_cm": n}
    shapes = {"a_ptr": [m, k], "b_ptr": [k, n], "c_ptr": [m, n]}
    for argument in case["args"]:
        if argument["kind"] == "scalar":
            argument["value"] = values[argument["name"]]
        else:
            argument["shape"] = shapes[argument["name"]]
    case["grid"] = [-(-m // 64) * -(-n // 64), 1, 1]
    case.pop("tolerance", None)
    path = folder / "case.json"
    path.write_text(json.dumps(case))
    np.savez(path.with_suffix(".npz"), in_a_ptr=a, in_b_ptr=b)
    out = folder / "_".join(("out", *options)).replace("=", "_").replace(":", "_")
    done = tools.run(tools.compile(KERNEL, *options), path, "--out", out, "--check")
    assert done.code == 0, done.out + done.err
    with np.load(out / "outputs.npz") as results:
        return results["out_c_ptr"], a.astype(np.float64) @ b.astype(np.float64), json.loads((out / "summary.json").read_text())


# Whole groups; groups at the end of a band of rows that are none, and ragged tiles; fewer rows than a group.
@pytest.mark.parametrize("shape", [(512, 1536, 96), (713, 1400, 72), (48, 4096, 64)], ids=lambda shape: "x".join(map(str, shape)))
def test_values_stay(tools, tmp_path, shape):
    alone, expected, one_by_one = launch(tools, tmp_path, *shape, "--coarsen=off")
    np.testing.assert_allclose(alone.astype(np.float64), expected, rtol=2e-3, atol=2e-2)
    for options in ((), ("--multibuffer=1",), ("--multibuffer=l0c:2",), ("--k-panel=off",), ("--sync=barrier-all",), ("--shuffle-k",)):
        together, _, summary = launch(tools, tmp_path, *shape, *options)
        if options == ("--shuffle-k",):  # another order of sums
            np.testing.assert_allclose(together.astype(np.float64), expected, rtol=2e-3, atol=2e-2)
        else:
            assert together.tobytes() == alone.tobytes(), options
        if shape[0] > 64 and not options:
            assert summary["commands"] < one_by_one["commands"] / 2


def test_small_launch_keeps_its_programs(tools, tmp_path):
    """24 programs are one for each core: two groups would leave most cores without work."""
    _, _, together = launch(tools, tmp_path, 512, 192, 64)
    _, _, alone = launch(tools, tmp_path, 512, 192, 64, "--coarsen=off")
    assert together["cores_used"] == alone["cores_used"] == 24
    assert together["macs"] == alone["macs"]


# Kernels at shapes with programs enough for groups: grid, scalars, tensors.
LAUNCHES = {
    "matmul_block_ptr_nopad": ([5, 41], dict(M=150, N=1300, K=41), dict(a=[150, 41], b=[41, 1300], c=[150, 1300])),
    "matmul_int8_dequant": ([6, 64], dict(M=384, N=4096, K=128), dict(a_ptr=[384, 128], b_ptr=[128, 4096], s_ptr=[4096], c_ptr=[384, 4096])),
    "tuned_matmul_gelu_128x128x64": ([6, 8], dict(M=768, N=1024, K=128), dict(a_ptr=[768, 128], b_ptr=[128, 1024], bias_ptr=[1024], c_ptr=[768, 1024])),
    "conv2d": ([4, 32], dict(KO=1024), dict(w_ptr=[1024, 3, 3, 64], y_ptr=[1, 14, 14, 1024])),
    "conv2d_nchw": ([4, 63], dict(OC=1000), dict(w=[1000, 5, 3, 3], b=[1000], y=[2, 1000, 5, 5])),
}


@pytest.mark.parametrize("name", LAUNCHES)
def test_other_kernels(tools, tmp_path, name):
    """Block pointers, epilogues of vector cores, implicit products of convolutions."""
    grid, scalars, shapes = LAUNCHES[name]
    case = json.loads((CASES / f"{name}.json").read_text())
    case["grid"] = [*grid, 1]
    for number, argument in enumerate(case["args"]):
        argument.pop("tolerance", None)
        if argument["kind"] == "scalar":
            argument["value"] = scalars.get(argument["name"], argument["value"])
        else:
            argument["shape"] = shapes.get(argument["name"], argument["shape"])
            if not argument["output"]:
                argument["init"] = f"normal({number})" if argument["dtype"] != "i8" else f"uniform({number})"
    path = tmp_path / "case.json"
    path.write_text(json.dumps(case))
    results, commands = [], []
    for option in ("--coarsen=off", "--coarsen=on"):
        out = tmp_path / option
        done = tools.run(tools.compile(CASES / f"{name}.ttir", option), path, "--out", out, "--check")
        assert done.code == 0, done.out + done.err
        with np.load(out / "outputs.npz") as outputs:
            results.append({key: value.tobytes() for key, value in outputs.items()})
        commands.append(json.loads((out / "summary.json").read_text())["commands"])
    assert results[0] == results[1]
    assert commands[1] < commands[0]


def test_tiles_too_large_to_join(tools, tmp_path):
    """Panels that L1 holds of one program's tile and not of a group's."""
    options = ("--k-panel=24", "--explain")
    done = tools.call("dlc", KERNEL, "-o", tmp_path / "k.dlk", *options)
    assert done.code == 0 and "coarsening: larger tiles do not compile" in done.err and "computed as one" not in done.err, done.err
    alone, _, summary = launch(tools, tmp_path, 512, 1536, 96, "--coarsen=off", *options)
    together, _, same = launch(tools, tmp_path, 512, 1536, 96, *options)
    assert together.tobytes() == alone.tobytes() and summary["cycles"] == same["cycles"]
