"""Same input, same result."""

import json

import pytest

from conftest import CASES, KERNELS, matmul_case

FILES = ("outputs.npz", "PipeUtilization.csv", "L2Cache.csv", "ResourceConflictRatio.csv", "summary.json", "trace.json")


def contents(folder):
    return {name: (folder / name).read_bytes() for name in FILES}


def test_two_runs_have_identical_files(tools, vector_add, tmp_path):
    for name in "ab":
        assert tools.run(*vector_add, "--out", tmp_path / name, "--trace").code == 0
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_cube_kernel_at_any_quantum(tools, tmp_path):
    kernel = tools.compile(KERNELS / "matmul.c", "--kind=aic")
    case = matmul_case(tmp_path, 384, 512, 192)
    results = []
    for quantum in (1, 100, 4096):
        out = tmp_path / f"q{quantum}"
        assert tools.run(kernel, case, "--out", out, "--trace", f"--quantum={quantum}").code == 0
        results.append(contents(out))
    assert all(result == results[0] for result in results)


def test_recompiling_gives_the_same_binary(tools, tmp_path):
    files = [tmp_path / name for name in ("a.dlk", "b.dlk")]
    for path in files:
        assert tools.call("dlc", KERNELS / "matmul.c", "-o", path, "--kind=aic").code == 0
    assert files[0].read_bytes() == files[1].read_bytes()


def test_number_of_cores_does_not_change_values(tools, tmp_path):
    kernel = tools.compile(KERNELS / "matmul.c", "--kind=aic")
    case = matmul_case(tmp_path, 256, 512, 128)
    values, cycles = [], []
    for cores in (1, 3, 24):
        assert tools.run(kernel, case, "--out", tmp_path / str(cores), f"--cores={cores}").code == 0
        values.append((tmp_path / str(cores) / "outputs.npz").read_bytes())
        cycles.append(json.loads((tmp_path / str(cores) / "summary.json").read_text())["cycles"])
    assert values[0] == values[1] == values[2]
    assert cycles[0] > cycles[1] > cycles[2]


@pytest.mark.parametrize("name", ["softmax", "matmul_ptr_ragged"])
def test_triton_kernels(tools, tmp_path, name):
    kernel = tools.compile(CASES / f"{name}.ttir")
    results = []
    for run in "ab":
        assert tools.run(kernel, CASES / f"{name}.json", "--out", tmp_path / run, "--trace").code == 0
        results.append(contents(tmp_path / run))
    assert results[0] == results[1]


# Options that schedule or place differently must not change a bit of the values.
@pytest.mark.parametrize("name", ["layer_norm", "matmul_ptr_ragged"])
@pytest.mark.parametrize("option", ["--pack=off", "--multibuffer=1", "--sync=barrier-all"])
def test_options_change_no_values(tools, tmp_path, name, option):
    case, values = CASES / f"{name}.json", []
    for run, options in (("plain", ()), ("option", (option,))):
        kernel = tools.compile(CASES / f"{name}.ttir", *options)
        done = tools.run(kernel, case, "--out", tmp_path / run)
        assert done.code == 0, done.err
        values.append((tmp_path / run / "outputs.npz").read_bytes())
    assert values[0] == values[1]
