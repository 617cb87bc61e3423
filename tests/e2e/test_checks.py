"""--check: flags that are missing and bytes that nobody wrote are named, with both places; sound kernels pass."""

import json
import re
import shutil

import pytest

from conftest import CASES, KERNELS, REPOSITORY, argument_words
from experiments.validation import builders
from test_bad_input import assemble

KINDS = {"vector_add": (KERNELS / "vector_add.c", "aiv"), "softmax": (CASES / "softmax.ttir", "aiv"), "matmul_ptr": (CASES / "matmul_ptr.ttir", "aic")}
FLAG = re.compile(r"\b(set|wait)_flag\.(\w+)\s+(\w+), (\d+)")


def flags_of(text):
    """(source, target, id) of every flag in the assembly."""
    return sorted({(m[2], m[3], m[4]) if m[1] == "set" else (m[3], m[2], m[4]) for m in map(FLAG.search, text) if m})


def without(text, flag):
    def uses(line):
        m = FLAG.search(line)
        return m and ((m[2], m[3], m[4]) if m[1] == "set" else (m[3], m[2], m[4])) == flag
    # A barrier of the unit alone keeps the slot and orders nothing between units.
    return [re.sub(FLAG, lambda m: "" if m[2] == "s" else f"barrier.{m[2]}", line) if uses(line) else line for line in text]


@pytest.mark.parametrize("name", KINDS)
def test_flags_of_compiled_kernels_are_missed(tools, tmp_path, name):
    source, kind = KINDS[name]
    case = CASES / f"{name}.json"
    # Joined programs are code of their own, which small launches do not run.
    options = [f"--kind={kind}"] if source.suffix == ".c" else ["--coarsen=off"]
    done = tools.call("dlc", source, "--emit=asm", "-o", tmp_path / "k.s", "--no-debug-info", *options)
    assert done.code == 0, done.err
    text = (tmp_path / "k.s").read_text().splitlines()
    flags = flags_of(text)
    assert len(flags) >= 3

    def findings(lines):
        (tmp_path / "k2.s").write_text("\n".join(lines) + "\n")
        built = tools.call("dlc", tmp_path / "k2.s", "-o", tmp_path / "k2.dlk", f"--kind={kind}", *argument_words(case))
        assert built.code == 0, built.err
        return tools.run(tmp_path / "k2.dlk", case, "--check=race", "--quiet", "--cores=2")

    assert findings(text).code == 0
    reported = 0
    for flag in flags:
        done = findings(without(text, flag))
        if done.code == 0:  # other flags happen to order the same accesses: the values, which were compared, are right
            continue
        assert done.code == 1 and "check race:" in done.err and "no flag orders them" in done.err, (flag, done.err)
        reported += 1
    assert reported >= 2 / 3 * len([f for f in flags if f[0] != "s"]), (reported, flags)  # the scalar unit issues in order


# One block of 32 bytes into UB at 0; what follows stores it.
LOAD = """\tsreg\tr1, 3
\tld.d\tr2, [r1, 0]
\tld.d\tr9, [r1, 16]
\tli\tr3, 0
\tli\tr4, 1
\tlih\tr4, 32
\tmte2.copy.ub\tr3, r2, r4, r3, r3, r3, 2
"""
STORE = "\tmte3.copy.ub\tr9, r3, r4, r3, r3, 2\n"


def test_a_store_that_does_not_wait_for_its_load(tools, tmp_path):
    case = CASES / "vector_add.json"
    done = tools.run(assemble(tools, tmp_path, LOAD + STORE, case), case, "--check=race,init", "--cores=1", "--quiet")
    assert done.code == 1
    assert re.search(r"check race: AIV0: MTE\d at pc 0x\w+.* (reads|writes) UB 0x0, which MTE\d at pc 0x\w+.* (reads|writes); no flag", done.err), done.err


def test_flags_and_barriers_order(tools, tmp_path):
    case = CASES / "vector_add.json"
    for order in ("\tset_flag.mte2\tmte3, 0\n\twait_flag.mte3\tmte2, 0\n", "\tbarrier.all\n",
                  "\tset_flag.mte2\ts, 0\n\twait_flag.s\tmte2, 0\n"):
        done = tools.run(assemble(tools, tmp_path, LOAD + order + STORE, case), case, "--check=race,init", "--cores=1", "--quiet")
        assert "check" not in done.err, (order, done.err)


# Offsets of zero at 512, then v.gather from UB at 0.
GATHER = """\tli\tr5, 512
\tli\tr6, 0x08010101
\tlih\tr6, 0x10808
\tv.dup\tr5, r3, r6, 2
%s\tli\tr7, 1024
\tv.gather\tr7, r3, r5, r6, 2
"""


def test_what_a_gather_picks(tools, tmp_path):
    case = CASES / "vector_add.json"
    done = tools.run(assemble(tools, tmp_path, LOAD + GATHER % "", case), case, "--check=race,init", "--cores=1", "--quiet")
    assert done.code == 1 and re.search(r"check race: AIV0: (V|MTE2) at pc .* UB 0x0, which (V|MTE2) at pc", done.err), done.err
    flags = "\tset_flag.mte2\tv, 0\n\twait_flag.v\tmte2, 0\n"
    done = tools.run(assemble(tools, tmp_path, LOAD + GATHER % flags, case), case, "--check=race,init", "--cores=1", "--quiet")
    assert "check" not in done.err, done.err
    done = tools.run(assemble(tools, tmp_path, "\tli\tr3, 0\n" + GATHER % "", case), case, "--check=race,init", "--cores=1", "--quiet")
    assert done.code == 1 and "check init: AIV0: V" in done.err and "reads UB 0x0" in done.err, done.err


def test_bytes_that_nobody_wrote(tools, tmp_path):
    case = CASES / "vector_add.json"
    longer = LOAD + "\tbarrier.all\n\tlih\tr4, 64\n" + STORE  # 64 bytes, 32 were loaded
    done = tools.run(assemble(tools, tmp_path, longer, case), case, "--check=init", "--cores=1", "--quiet")
    assert done.code == 1 and "check init: AIV0: MTE3" in done.err and "reads UB 0x20" in done.err, done.err
    scalar = "\tli\tr1, 64\n\tldub.w\tr2, [r1, 0]"
    done = tools.run(assemble(tools, tmp_path, scalar, case), case, "--check=init", "--cores=1", "--quiet")
    assert done.code == 1 and "check init: AIV0: S" in done.err and "reads UB 0x40" in done.err, done.err


# Attention by hand: scores, probabilities and sums pass between cube and vector cores through global memory.
@pytest.mark.parametrize("flag", (None, "S_READY", "P_READY", "O_READY", "S_FREE"))
def test_cross_core_flags_order_global_memory(tools, tmp_path, flag):
    case = builders.attention("ascend910b1", 1, 2048, chunk=4).runner_case("attention")
    (tmp_path / "case.json").write_text(json.dumps(case.launch))
    shutil.copytree(case.kernel.parent, tmp_path / "micro")
    for path in (tmp_path / "micro").glob("attention_*.h"):
        text, found = re.subn(rf"__dl_x(set|wait)_\w+\(GROUP_MODE \| {flag}\);", ";", path.read_text())
        assert found or not flag
        path.write_text(text)
    built = tools.call("dlc", tmp_path / "micro" / "attention.c", "-o", tmp_path / "k.dlk", "--chip=ascend910b1", *case.compile_options)
    assert built.code == 0, built.err
    done = tools.run(tmp_path / "k.dlk", tmp_path / "case.json", "--check=race", "--timing-only", "--quiet")
    if not flag:
        assert done.code == 0 and "check" not in done.err, done.err
        return
    assert done.code == 1, done.err
    assert re.search(r"check race: AI[CV]\d+: \w+ at pc 0x\w+ \(attention_\w+\.h:\d+\) (reads|writes) GM 0x\w+, "
                     r"which AI[CV]\d+: \w+ at pc 0x\w+ \(attention_\w+\.h:\d+\) (reads|writes); no flag orders them", done.err), done.err
