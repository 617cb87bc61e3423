"""Every bad input gives one clear message, the documented exit code and no output."""

import json
import subprocess

import numpy
import pytest

from conftest import CASES, KERNELS, argument_words, matmul_case


def edited(tmp_path, edit, arrays=None):
    """vector_add's case with changes, in a folder of its own."""
    case = json.loads((CASES / "vector_add.json").read_text())
    edit(case)
    path = tmp_path / "case.json"
    path.write_text(json.dumps(case))
    content = dict(numpy.load(CASES / "vector_add.npz"))
    if arrays:
        arrays(content)
    numpy.savez(tmp_path / "case.npz", **content)
    return path


def set_item(*path, value):
    def edit(case):
        for key in path[:-1]:
            case = case[key]
        if value is None:
            del case[path[-1]]
        else:
            case[path[-1]] = value
    return edit


def check(done, out, code, *words):
    assert done.code == code, (done.out, done.err)
    for word in words:
        assert word in done.err, done.err
    assert len(done.err.strip().splitlines()) <= 3, done.err
    assert not out.exists() or not list(out.iterdir())


CASE_EDITS = {
    "too few arguments": (lambda case: case["args"].pop(), "has 3 arguments", "takes 4"),
    "too many arguments": (lambda case: case["args"].append(
        {"name": "z", "kind": "scalar", "dtype": "i32", "value": 1}), "has 5 arguments", "takes 4"),
    "wrong dtype": (set_item("args", 0, "dtype", value="f16"), "argument 0 'x_ptr' is a tensor of f16", "tensor of f32"),
    "scalar for tensor": (set_item("args", 0, value={"name": "x_ptr", "kind": "scalar", "dtype": "f32", "value": 1}),
                          "argument 0 'x_ptr' is a scalar f32", "tensor of f32"),
    "wrong shape": (set_item("args", 0, "shape", value=[10006]), "in_x_ptr", "(10007,)", "(10006,)"),
    "value too large": (set_item("args", 3, "value", value=1 << 40), "does not fit dtype 'i32'"),
    "no value": (set_item("args", 3, "value", value=None), "'value' is missing"),
    "unknown key": (set_item("gird", value=[1]), "unknown key 'gird'"),
    "grid of words": (set_item("grid", value="x" * 5000), "'grid' must be a list of 1 to 3 integers", "xxx..."),
    "no grid": (set_item("grid", value=None), "'grid' is missing"),
    "grid of zero": (set_item("grid", value=[0, 1, 1]), "case.json: grid extents are 1..2^31 - 1, not 0"),
    "name that is a path": (set_item("args", 2, "name", value="../../out"), "without slashes", '"../../out"'),
    "name of nothing": (set_item("args", 2, "name", value=""), "without slashes"),
    "more than the memory": (set_item("args", 0, value={"name": "x_ptr", "kind": "tensor", "dtype": "f32", "shape": [1 << 37], "init": "arange"}),
                             "512.0 GiB", "of memory", "smaller shapes"),
    "npz of an endless name": (set_item("npz", value="n" * 5000), "File name too long"),
    "unknown init": (set_item("args", 0, "init", value="noise(1)"), "init 'noise(1)' is not one of"),
    "missing npz": (set_item("npz", value="other.npz"), "other.npz: no such file"),
}


@pytest.mark.parametrize("name", CASE_EDITS)
def test_case_file(tools, vector_add, tmp_path, name):
    edit, *words = CASE_EDITS[name]
    path = edited(tmp_path, edit)
    check(tools.run(vector_add[0], path, "--out", tmp_path / "out"), tmp_path / "out", 2, "error:", *words)


ARRAY_EDITS = {
    "missing array": (lambda a: a.pop("in_y_ptr"), "array 'in_y_ptr' is missing"),
    "wrong type": (lambda a: a.update(in_x_ptr=a["in_x_ptr"].astype(numpy.float64)), "in_x_ptr", "'<f8'", "'<f4'"),
    "big endian": (lambda a: a.update(in_x_ptr=a["in_x_ptr"].astype(">f4")), "in_x_ptr", ">f4"),
    "wrong expected shape": (lambda a: a.update(out_out_ptr=a["out_out_ptr"][:-1]), "out_out_ptr", "(10006,)"),
}


@pytest.mark.parametrize("name", ARRAY_EDITS)
def test_arrays(tools, vector_add, tmp_path, name):
    edit, *words = ARRAY_EDITS[name]
    path = edited(tmp_path, lambda case: None, edit)
    check(tools.run(vector_add[0], path, "--out", tmp_path / "out"), tmp_path / "out", 2, "error:", *words)


def test_truncated_npz(tools, vector_add, tmp_path):
    path = edited(tmp_path, lambda case: None)
    whole = path.with_suffix(".npz").read_bytes()
    for share in (0, 0.3, 0.7, 0.99):
        path.with_suffix(".npz").write_bytes(whole[:int(share * len(whole))])
        check(tools.run(vector_add[0], path, "--out", tmp_path / "out"), tmp_path / "out", 2, "case.npz")


def test_case_is_not_json(tools, vector_add, tmp_path):
    (tmp_path / "x.json").write_text("{")
    check(tools.run(vector_add[0], tmp_path / "x.json"), tmp_path / "out", 2, "not JSON")
    (tmp_path / "x.json").write_text('{"grid": ' + "[" * 1000000 + "]" * 1000000 + "}")
    check(tools.run(vector_add[0], tmp_path / "x.json"), tmp_path / "out", 2, "x.json: not a case: nested more than 64 deep")
    check(tools.run(vector_add[0], tmp_path / "none.json"), tmp_path / "out", 2, "none.json")
    check(tools.run(vector_add[0], tmp_path), tmp_path / "out", 2, "is a folder")
    check(tools.run(vector_add[0], "n" * 5000), tmp_path / "out", 2, "File name too long")


def test_damaged_kernels(tools, vector_add, tmp_path):
    whole = vector_add[0].read_bytes()
    for name, content in {"empty": b"", "text": b"hello", "half": whole[:len(whole) // 2], "header": whole[:64]}.items():
        path = tmp_path / f"{name}.dlk"
        path.write_bytes(content)
        for words in (("run", path, "--args", vector_add[1]), ("info", path)):
            check(tools.call("dlsim", *words), tmp_path / "out", 2, f"{name}.dlk")
    check(tools.run("/bin/true", vector_add[1]), tmp_path / "out", 2, "/bin/true")
    check(tools.run(tmp_path / "none.dlk", vector_add[1]), tmp_path / "out", 2, "none.dlk")


def test_every_damaged_byte_is_survived(tools, vector_add, tmp_path):
    whole = vector_add[0].read_bytes()
    path = tmp_path / "damaged.dlk"
    for at in range(0, len(whole), max(1, len(whole) // 40)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xff]) + whole[at + 1:])
        done = tools.run(path, vector_add[1], "--max-cycles=200000")
        assert done.code in (0, 1, 2, 3), (at, done.err)


USAGE = {
    "no kernel": (("run", "--args", "x.json"), "kernel is required"),
    "no case": (("run", "k.dlk"), "--args is required"),
    "unknown option": (("run", "k.dlk", "--args", "x.json", "--fast"), "--fast"),
    "unknown check": (("run", "k.dlk", "--args", "x.json", "--check=luck"), "unknown check 'luck'"),
    "bad window": (("run", "k.dlk", "--args", "x.json", "--out", "o", "--trace=5"), "window '5'"),
    "trace without folder": (("run", "k.dlk", "--args", "x.json", "--trace"), "needs --out"),
    "bad number": (("run", "k.dlk", "--args", "x.json", "--max-cycles=many"), "many"),
    "unknown pmu": (("run", "k.dlk", "--args", "x.json", "--pmu=none"), "none"),
    "empty folder": (("run", "k.dlk", "--args", "x.json", "--out", ""), "--out"),
    "empty chip": (("run", "k.dlk", "--args", "x.json", "--chip", ""), "--chip"),
    "no command": ((), "subcommand is required"),
    "unknown chip": (("chips", "show", "ascend911"), "ascend911"),
}


@pytest.mark.parametrize("name", USAGE)
def test_usage(tools, name):
    words, message = USAGE[name]
    done = tools.call("dlsim", *words)
    assert done.code == 2 and message in done.err, done.err


def test_chip_keys(tools, vector_add, tmp_path):
    out = tmp_path / "out"
    for words, message in ((("-D", "l2.wais=3"), "l2.wais"), (("-D", "l2.ways=many"), "l2.ways"), (("-D", "l2.ways"), "l2.ways"),
                           (("-D", "l2.ways=0"), "l2.ways"), (("-D", 'core.aiv.path.gm_ub.unit="V"'), "core.aiv.path.*.unit: the core has unit MTE2"), (("--chip", "nothing"), "nothing")):
        check(tools.run(*vector_add, "--out", out, *words), out, 2, message)
    chip = tmp_path / "mine.toml"
    chip.write_text("name = \"mine\"\nl2 = 3\n")
    check(tools.run(*vector_add, "--out", out, "--chip", chip), out, 2, "mine.toml")


def test_output_folder_that_cannot_be(tools, vector_add, tmp_path):
    (tmp_path / "file").write_text("")
    done = tools.run(*vector_add, "--out", tmp_path / "file")
    assert done.code == 2 and "file" in done.err
    assert (tmp_path / "file").read_text() == ""


def test_a_folder_in_the_way_of_a_file_leaves_nothing(tools, vector_add, tmp_path):
    out = tmp_path / "out"
    for name in ("summary.json", "Memory.csv", "outputs.npz"):
        (out / name).mkdir(parents=True)
        done = tools.run(*vector_add, "--out", out)
        assert done.code == 2 and name in done.err and "folder" in done.err, done.err
        (out / name).rmdir()
        assert not list(out.iterdir())


def test_output_that_cannot_be_written(tools, vector_add):
    with open("/dev/full", "w") as full:
        for words in (("run", vector_add[0], "--args", vector_add[1]), ("chips",), ("info", vector_add[0])):
            done = subprocess.run([str(tools.bin / "dlsim"), *map(str, words)], stdout=full, stderr=subprocess.PIPE, text=True)
            assert done.returncode == 2 and "standard output cannot be written" in done.stderr, done.stderr


def assemble(tools, tmp_path, text, case, kind="aiv"):
    path = tmp_path / "kernel.s"
    path.write_text(f"\t.globl\tkernel\nkernel:\n{text}\n\texit\n")
    done = tools.call("dlc", path, "-o", tmp_path / "kernel.dlk", f"--kind={kind}", "--entry=kernel", *argument_words(case))
    assert done.code == 0, done.err
    return tmp_path / "kernel.dlk"


FAULTS = {
    "endless": ("\tjmp\tkernel", "cycle"),
    "deadlock": ("\twait_flag.s\tv, 3", "deadlock"),
    "trap": ("\ttrap\t7", "7"),
    "unmapped": ("\tli\tr1, 64\n\tld.d\tr2, [r1, 0]", "0x40"),
    "buffer overflow": ("\tli\tr1, 200000\n\tli\tr2, 0\n\tli\tr3, 64\n\tv.count\tr3, 0\n\tv.dup\tr1, r2, r2, 2\n\tbarrier.all", "UB"),
    "wrong core": ("\tli\tr1, 0\n\tmte1.load.bt\tr1, r1, r1, 0", "mte1"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faulting_programs(tools, tmp_path, name):
    text, word = FAULTS[name]
    case = CASES / "vector_add.json"
    path = tmp_path / "kernel.s"
    path.write_text(f"\t.globl\tkernel\nkernel:\n{text}\n\texit\n")
    built = tools.call("dlc", path, "-o", tmp_path / "kernel.dlk", "--kind=aiv", "--entry=kernel", *argument_words(case))
    if name == "wrong core":  # refused by the assembler already
        assert built.code != 0 and word in built.err
        return
    assert built.code == 0, built.err
    out = tmp_path / "out"
    done = tools.run(tmp_path / "kernel.dlk", case, "--out", out, "--max-cycles=100000")
    assert done.code == 3 and word.lower() in done.err.lower(), done.err
    assert not out.exists() or not list(out.iterdir())


def test_flag_without_a_wait_fails_the_check(tools, tmp_path):
    case = CASES / "vector_add.json"
    kernel = assemble(tools, tmp_path, "\tset_flag.v\tmte2, 1", case)
    done = tools.run(kernel, case, "--check=sync")
    assert done.code == 1 and "never waited for" in done.err


def test_kernel_without_outputs(tools, vector_add, tmp_path):
    path = edited(tmp_path, set_item("args", 2, "output", value=False))
    done = tools.run(vector_add[0], path, "--out", tmp_path / "out")
    assert done.code == 0, done.err
    assert (tmp_path / "out" / "summary.json").exists() and not (tmp_path / "out" / "outputs.npz").exists()


def test_listing_that_cannot_be_written(tools, vector_add):
    with open("/dev/full", "w") as full:
        done = subprocess.run([str(tools.bin / "dl-objdump"), str(vector_add[0])], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and done.stderr.startswith("dl-objdump: error: standard output cannot be written"), done.stderr
