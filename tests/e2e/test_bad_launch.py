"""Launches that the kernel, the case or the chip do not allow; what runs leave in the folder of --out."""

import json

import numpy
import pytest

from conftest import CASES, KERNELS, argument_words, matmul_case
from test_bad_input import check, edited, set_item

EDITS = {
    "another kernel's case": (set_item("kernel", value="softmax_kernel"), "kernel 'softmax_kernel'", "kernel 'vector_add_kernel'"),
    "more axes than the kernel has": (set_item("grid", value=[10, 4]), "4 programs along axis 1", "grid of 1 axis"),
    "an axis too many": (set_item("grid", value=[10, 1, 3]), "3 programs along axis 2"),
    "four axes": (set_item("grid", value=[1, 1, 1, 1]), "list of 1 to 3 integers"),
}


@pytest.mark.parametrize("name", EDITS)
def test_case(tools, vector_add, tmp_path, name):
    edit, *words = EDITS[name]
    path = edited(tmp_path, edit)
    check(tools.run(vector_add[0], path, "--out", tmp_path / "out"), tmp_path / "out", 2, "case.json", *words)


def test_a_case_may_leave_the_kernels_name_out(tools, vector_add, tmp_path):
    path = edited(tmp_path, set_item("kernel", value=None))
    assert tools.run(vector_add[0], path).code == 0


def test_assembly_of_the_compiler_has_no_kernel_name(tools, tmp_path):
    case = CASES / "vector_add.json"
    assembly = tools.compile(case.with_suffix(".ttir"), "--emit=asm", suffix=".s")
    assert tools.run(tools.compile(assembly, *argument_words(case)), case).code == 0


def test_cores_and_quantum(tools, vector_add, tmp_path):
    out = tmp_path / "out"
    for words, message in ((("--cores", "0"), "--cores"), (("--cores", "49"), "has 48 cores of kind aiv"), (("--quantum", "0"), "--quantum")):
        check(tools.run(*vector_add, "--out", out, *words), out, 2, message)
    assert tools.run(*vector_add, "--cores", 48).code == 0
    kernel = tools.compile(KERNELS / "matmul.c", "--kind=aic")
    case = matmul_case(tmp_path, 128, 256, 64)
    check(tools.run(kernel, case, "--cores", 25), out, 2, "has 24 cores of kind aic")
    assert tools.run(kernel, case, "--cores", 24).code == 0


SCALARS = {
    "f32 too large": ("f32", 1e39, "value 1e+39 is beyond the range of dtype 'f32'"),
    "f32 rounded up": ("f32", 3.4028236e38, "beyond the range of dtype 'f32'"),
    "f16 too large": ("f16", -65520, "value -65520 is beyond the range of dtype 'f16'"),
    "bf16 too large": ("bf16", 3.4e38, "beyond the range of dtype 'bf16'"),
    "beyond any number": ("f32", "1e999", '"nan"'),
    "another word": ("f32", "infinity", '"inf"'),
    "a truth value": ("f16", True, "must be a number"),
}


@pytest.mark.parametrize("name", SCALARS)
def test_scalars_out_of_range(tools, vector_add, tmp_path, name):
    dtype, value, words = SCALARS[name]
    path = edited(tmp_path, set_item("args", 3, value={"name": "n_elements", "kind": "scalar", "dtype": dtype, "value": value}))
    check(tools.run(vector_add[0], path, "--out", tmp_path / "out"), tmp_path / "out", 2, "case.json", "argument 3 'n_elements'", words)


def test_chip_numbers_that_no_machine_holds(tools, vector_add, tmp_path):
    out = tmp_path / "out"
    for key, words in (("sync.flag_max=1000000", "legal is 1..255"), ("sync.cross_core_max=1000000", "legal is 1..255"), ("l2.sets=1000000", "legal is"),
                       ("l2.sets=60000", "lines of L2; at most"), ("chip.clusters=1000", "legal is")):
        check(tools.run(*vector_add, "--out", out, "-D", key), out, 2, key.split("=")[0], words)
    check(tools.run(*vector_add, "--out", out, "-D", "chip.clusters=256", "-D", "core.*.per_cluster=8"), out, 2, "4096 cores; at most")


def test_star_for_everything(tools, vector_add, tmp_path):
    check(tools.run(*vector_add, "-D", "*=1"), tmp_path / "out", 2, "override '*=1'", "l2.*")


def test_words_that_are_no_command(tools, tmp_path):
    done = tools.call("dlsim", "infos", "x.dlk")
    assert done.code == 2 and "'infos'" in done.err and "run, info, chips, compare, timeline" in done.err, done.err
    done = tools.call("dlsim", "info", tmp_path)
    assert done.code == 2 and done.err == f"dlsim: error: {tmp_path}: it is a folder; give a .dlk file that dlc wrote\n", done.err


def names(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_run_leaves_nothing_of_an_earlier_one(tools, vector_add, tmp_path):
    out, fresh = tmp_path / "out", tmp_path / "fresh"
    assert tools.run(*vector_add, "--out", out, "--trace", "--instructions").code == 0
    assert {"trace.json", "heat.json", "outputs.npz", "Memory.csv"} < names(out) and any(name.startswith("simulator/") for name in names(out))
    mine = {"notes.txt", "mine.csv", "simulator/mine.csv"}
    for name in mine | {"trace.json.999999999.part"}:
        (out / name).write_text("mine")
    for options in (("--timing-only",), ()):
        assert tools.run(*vector_add, "--out", fresh, *options).code == 0
        assert tools.run(*vector_add, "--out", out, *options).code == 0
        assert names(out) == names(fresh) | mine
    assert all((out / name).read_text() == "mine" for name in mine)
    assert not (tmp_path / "fresh" / "simulator").exists() and [path.name for path in (out / "simulator").iterdir()] == ["mine.csv"]


def test_a_fault_leaves_nothing_of_an_earlier_run(tools, vector_add, tmp_path):
    out = tmp_path / "out"
    assert tools.run(*vector_add, "--out", out, "--trace", "--instructions").code == 0
    assert tools.run(*vector_add, "--out", out, "--max-cycles=2500").code == 3
    assert names(out) == set()
    assert tools.run(*vector_add, "--out", out, "--max-cycles=2500", "--trace").code == 3
    assert names(out) == {"trace.json", "heat.json"}


def test_the_cycle_limit_says_that_programs_take_turns(tools, vector_add):
    done = tools.run(*vector_add, "--cores=1", "--max-cycles=2500")
    assert done.code == 3 and "programs take turns on 1 core: one that waits for a later one never ends" in done.err, done.err
    done = tools.run(*vector_add, "--max-cycles=2500")
    assert done.code == 3 and "cycle limit reached" in done.err and "take turns" not in done.err, done.err


def test_bad_input_leaves_the_earlier_run(tools, vector_add, tmp_path):
    out = tmp_path / "out"
    assert tools.run(*vector_add, "--out", out).code == 0
    before = names(out)
    assert tools.run(*vector_add, "--out", out, "--cores=49").code == 2
    assert tools.run(vector_add[0], tmp_path / "none.json", "--out", out).code == 2
    assert names(out) == before


def test_outputs_that_are_inputs(tools, vector_add, tmp_path):
    case = json.loads(vector_add[1].read_text())
    arrays = dict(numpy.load(CASES / "vector_add.npz"))
    numpy.savez(tmp_path / "outputs.npz", **arrays)
    (tmp_path / "case.json").write_text(json.dumps({**case, "npz": "outputs.npz"}))
    (tmp_path / "summary.json").write_text(json.dumps({**case, "npz": "other.npz"}))
    (tmp_path / "other.npz").write_bytes((tmp_path / "outputs.npz").read_bytes())
    (tmp_path / "link.json").symlink_to(tmp_path / "summary.json")
    before = {name: (tmp_path / name).read_bytes() for name in names(tmp_path)}
    for name, clash in (("case.json", "outputs.npz"), ("summary.json", "summary.json"), ("link.json", "link.json")):
        done = tools.run(vector_add[0], tmp_path / name, "--out", tmp_path)
        assert done.code == 2 and "would overwrite its input" in done.err and clash in done.err, done.err
    assert {name: (tmp_path / name).read_bytes() for name in names(tmp_path)} == before


def test_pictures_and_tables_that_are_inputs(tools, vector_add, tmp_path):
    out = tmp_path / "out"
    assert tools.run(*vector_add, "--out", out, "--trace").code == 0
    before = {name: (out / name).read_bytes() for name in names(out)}
    for words in (("timeline", out, "-o", out / "trace.json"), ("timeline", out, "-o", tmp_path / "out" / ".." / "out" / "heat.json"),
                  ("compare", out / "op_summary.csv", out / "op_summary.csv", "--out", out / "op_summary.csv"),
                  ("compare", out, out, "--out", out / "Memory.csv")):
        done = tools.call("dlsim", *words)
        assert done.code == 2 and "would overwrite" in done.err, done.err
    assert {name: (out / name).read_bytes() for name in names(out)} == before
    for _ in range(2):
        assert tools.call("dlsim", "compare", out, out, "--out", out / "comparison.csv").code == 0
