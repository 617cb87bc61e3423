"""Case files may call integers unsigned or truth values, where Triton's IR knows widths only."""

import json

import numpy as np
import pytest

from tests.e2e.language import builder

TEXT = """%m = tt.splat %k : i32 -> tensor<64xi32>
%s = arith.addi %x, %m : tensor<64xi32>
%r0 = arith.divui %s, %m : tensor<64xi32>
%r1 = arith.cmpi ugt, %s, %m : tensor<64xi32>"""


def unsigned_case(folder, mask_dtype, mask_array, error=0):
    """The kernel of TEXT with a case that says u32 and `mask_dtype`; paths of kernel and case."""
    rng = np.random.default_rng(7)
    x, k = rng.integers(0, 2**32, 64, dtype=np.uint32), np.uint32(0x9000_0001)
    total = x + k
    probe = builder.Probe("unsigned", TEXT, {"x": x}, [total // k, total > k], scalars={"k": ("i32", int(k))})
    source, case = builder.write(probe, folder)
    content = json.loads(case.read_text())
    dtypes = {"x_ptr": "u32", "o0_ptr": "u32", "o1_ptr": mask_dtype, "k": "u32"}
    for arg in content["args"]:
        arg["dtype"] = dtypes[arg["name"]]
    case.write_text(json.dumps(content))
    np.savez(case.with_suffix(".npz"), in_x_ptr=x, out_o0_ptr=total // k + np.uint32(error), out_o1_ptr=(total > k).astype(mask_array))
    return source, case


@pytest.mark.parametrize("dtype, array", [("bool", np.bool_), ("i1", np.int8), ("u8", np.uint8), ("i8", np.int8)])
def test_unsigned_and_truth_values(tools, tmp_path, dtype, array):
    source, case = unsigned_case(tmp_path, dtype, array)
    done = tools.run(tools.compile(source), case, "--out", tmp_path / "out")
    assert done.code == 0, done.out + done.err
    with np.load(tmp_path / "out" / "outputs.npz") as results:
        assert results["out_o0_ptr"].dtype == np.uint32


def test_differences_are_unsigned(tools, tmp_path):
    source, case = unsigned_case(tmp_path, "bool", np.bool_, error=2**32 - 1)
    done = tools.run(tools.compile(source), case)
    assert done.code == 1 and "4294967295" in done.err, done.err


def test_other_widths_are_refused(tools, tmp_path):
    source, case = unsigned_case(tmp_path, "bool", np.bool_)
    case.write_text(case.read_text().replace('"dtype": "u32", "value"', '"dtype": "u64", "value"'))
    done = tools.run(tools.compile(source), case)
    assert done.code == 2 and "'k' is a scalar u64" in done.err and "scalar i32" in done.err, done.err


@pytest.mark.parametrize("dtype", ("f32", "f16", "bf16"))
@pytest.mark.parametrize("value", ("nan", "inf", "-inf", 1.5))
def test_floats_that_are_no_numbers(tools, tmp_path, dtype, value):
    widened = "%w" if dtype != "f32" else "%k"
    text = (f"%w = arith.extf %k : {dtype} to f32\n" if dtype != "f32" else "") + \
        f"%m = tt.splat {widened} : f32 -> tensor<64xf32>\n%r = arith.addf %x, %m : tensor<64xf32>"
    x = np.arange(64, dtype=np.float32)
    probe = builder.Probe("odd", text, {"x": x}, [x + np.float32(value)], scalars={"k": (dtype, value)})
    source, case = builder.write(probe, tmp_path)
    done = tools.run(tools.compile(source), case, "--out", tmp_path / "out")
    assert done.code == 0, done.err
    with np.load(tmp_path / "out" / "outputs.npz") as results:
        np.testing.assert_array_equal(results["out_o0_ptr"], x + np.float32(value))
