"""Kernels that cannot be compiled: op, source line and what is supported; no output."""

import re

import pytest

from conftest import CASES
from tests.e2e import bad_kernels

ADD = re.compile(r"arith\.addf %(\w+), %(\w+) : (tensor<[^>]*>)")

EDITS = {
    "unknown function": (lambda text: ADD.sub(r'tt.extern_elementwise %\1 {libname = "", libpath = "", pure = true, symbol = "__nv_j0f"} : (\3) -> \3', text),
                         "__nv_j0f", "kernels_shared.py:19", "sqrt"),
    "unknown tt operation": (lambda text: ADD.sub(r'"tt.frobnicate"(%\1, %\2) : (\3, \3) -> \3', text),
                             "tt.frobnicate", "kernels_shared.py:19", "supported"),
    "truncated": (lambda text: text[:900], "kernel.ttir"),
    "empty": (lambda text: "", "kernel"),
    "no TTIR": (lambda text: "hello", "kernel.ttir"),
}


@pytest.mark.parametrize("name", EDITS)
def test_message_and_code(tools, tmp_path, name):
    edit, *words = EDITS[name]
    source, target = tmp_path / "kernel.ttir", tmp_path / "kernel.dlk"
    source.write_text(edit((CASES / "vector_add.ttir").read_text()))
    done = tools.call("dlc", source, "-o", target)
    assert done.code in (1, 2), done.err
    for word in words:
        assert word in done.err, done.err
    assert not target.exists() and list(tmp_path.iterdir()) == [source]


KERNELS = bad_kernels.kernels()


@pytest.mark.parametrize("name", KERNELS)
def test_unsupported(tools, tmp_path, name):
    text, words = KERNELS[name]
    source, target = tmp_path / "kernel.ttir", tmp_path / "kernel.dlk"
    source.write_text(text)
    done = tools.call("dlc", source, "-o", target, timeout=20)
    assert done.code == 1, done.err
    for word in words:
        assert word in done.err, done.err
    assert not target.exists()


def test_missing_file_and_bad_option(tools, tmp_path):
    done = tools.call("dlc", tmp_path / "none.ttir", "-o", tmp_path / "x.dlk")
    assert done.code == 2 and "none.ttir: No such file" in done.err, done.err
    assert tools.call("dlc", CASES / "vector_add.ttir", "--no-such-option").code != 0


def test_buffers_that_do_not_fit(tools, tmp_path):
    # A row of 65536 f32 elements is more than the 192 KiB of UB, and its maximum needs all of it.
    text = (CASES / "softmax.ttir").read_text().replace("1024", "65536")
    (tmp_path / "kernel.ttir").write_text(text)
    done = tools.call("dlc", tmp_path / "kernel.ttir", "-o", tmp_path / "kernel.dlk")
    assert done.code == 1 and "ub" in done.err.lower() and "kernels_shared.py" in done.err, done.err
    assert not (tmp_path / "kernel.dlk").exists()
