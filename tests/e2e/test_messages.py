"""What kernels print, and assertions that fail."""

import numpy as np
import pytest

from tests.e2e.language import builder

PRINT = """%pid = tt.get_program_id x : i32
tt.print " values: " {hex = false, isSigned = array<i32: 1, 0, 1, 1>} : %pid, %k, %x, %f : i32, i32, tensor<2x3xi32>, f32 loc("kernel.py":7:0)
%r = arith.addi %x, %x : tensor<2x3xi32>"""


def run(tools, folder, probe, *options):
    source, case = builder.write(probe, folder)
    return tools.run(tools.compile(source), case, *options)


def test_print(tools, tmp_path):
    x = np.arange(6, dtype=np.int32).reshape(2, 3) - 2
    probe = builder.Probe("print", PRINT, {"x": x}, [x + x], scalars={"k": ("i32", -1), "f": ("f32", 0.5)}, grid=(2, 1, 1))
    done = run(tools, tmp_path, probe, "--check")
    assert done.code == 0, done.err
    for program in (0, 1):
        line = f"kernel.py:7: program ({program}) on AIV{program}: values: {program} 4294967295 [[-2, -1, 0], [1, 2, 3]] 0.5"
        assert done.out.count(line + "\n") == 1, done.out


def test_hexadecimal_and_other_types(tools, tmp_path):
    x = np.array([1.5, -2.0], np.float16)
    text = """tt.print "f16 and bits" {hex = true, isSigned = array<i32: 1, 1, 1>} : %x, %b, %k : tensor<2xf16>, tensor<2xi1>, i8
%r = arith.addf %x, %x : tensor<2xf16>"""
    probe = builder.Probe("print", text, {"x": x, "b": np.array([True, False])}, [x + x], scalars={"k": ("i8", -1)})
    done = run(tools, tmp_path, probe)
    assert done.code == 0, done.err
    assert "program (0) on AIV0: f16 and bits [1.5, -2] [true, false] 0xff\n" in done.out, done.out


def test_a_warm_up_prints_nothing(tools, tmp_path):
    x = np.zeros((2, 3), np.int32)
    probe = builder.Probe("print", PRINT, {"x": x}, [x], scalars={"k": ("i32", 1), "f": ("f32", 0.5)})
    done = run(tools, tmp_path, probe, "--warmup=2")
    assert done.out.count("kernel.py:7: program (0)") == 1, done.out


ASSERT = """%limit = arith.constant dense<100> : tensor<40xi32>
%small = arith.cmpi slt, %x, %limit : tensor<40xi32>
tt.assert %small, "too large" : tensor<40xi1> loc("kernel.py":9:0)
%zero = arith.constant 0 : i32
%positive = arith.cmpi sgt, %k, %zero : i32
tt.assert %positive, "k must be positive" : i1 loc("kernel.py":10:0)
%r = arith.addi %x, %x : tensor<40xi32>"""


@pytest.mark.parametrize("largest, k, words", [(99, 1, ()), (100, 1, (":9 (pc", "assertion failed: too large")),
                                               (99, 0, (":10 (pc", "assertion failed: k must be positive"))])
def test_assert(tools, tmp_path, largest, k, words):
    x = np.arange(40, dtype=np.int32)
    x[33] = largest
    done = run(tools, tmp_path, builder.Probe("assert", ASSERT, {"x": x}, [x + x], scalars={"k": ("i32", k)}), "--out", tmp_path / "out")
    assert done.code == (3 if words else 0), done.err
    for word in words:
        assert word in done.err, done.err
    assert bool(words) != (tmp_path / "out" / "outputs.npz").exists()
