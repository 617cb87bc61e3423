"""Blocks with more flags than ids: the units are ordered, and a long block runs about as fast as a short one."""

import json

import numpy as np
import pytest

TILE = "memref<64xf32, #npu.space<ub>>"


def chain(steps, buffers=100):
    """`steps` times a load, a vector command and a store, through buffers of their own, in one loop."""
    lines = ['func.func @chain(%x: i64 {npu.pointee = f32}, %y: i64 {npu.pointee = f32}, %n: i64) attributes {dl.grid_rank = 1 : i64, dl.order = "rows", npu.kind = "aiv"} {',
             "%c0 = arith.constant 0 : i64", "%c1 = arith.constant 1 : i64", "%m = arith.constant 64 : i64", "scf.for %i = %c0 to %n step %c1 : i64 {"]
    lines += [f'%b{b} = npu.alloc {{name = "b{b}"}} : {TILE}' for b in range(min(steps, buffers))]
    for step in range(steps):
        b = f"%b{step % buffers}"
        lines += [f"npu.copy_in {b}[%c0, %c0], %x rows %c1 cols %m stride %c0 {{arg = 0 : i64}} : {TILE}",
                  f"npu.vunary relu {b}, {b} : {TILE}, {TILE}",
                  f"npu.copy_out {b}[%c0, %c0], %y rows %c1 cols %m stride %c0 {{arg = 1 : i64}} : {TILE}"]
    return "\n".join(lines + ["} {dl.parallel}", "return", "}"])


def cycles(tools, folder, steps, *options):
    x = np.linspace(-1, 1, 64, dtype=np.float32)
    case = {"name": "chain", "kernel": "chain", "grid": [1, 1, 1],
            "args": [{"name": name, "kind": "tensor", "dtype": "f32", "shape": [64], "output": name == "y"} for name in "xy"]
            + [{"name": "n", "kind": "scalar", "dtype": "i64", "value": 4}]}
    (folder / "chain.json").write_text(json.dumps(case))
    np.savez(folder / "chain.npz", in_x=x, in_y=np.zeros_like(x), out_y=np.maximum(x, 0))
    source = folder / f"chain{steps}.mlir"
    source.write_text(chain(steps))
    kernel = tools.compile(source, *options)
    done = tools.run(kernel, folder / "chain.json", "--check", "--cores=1", "--out", folder / "out")
    assert done.code == 0, done.out + done.err
    return json.loads((folder / "out" / "summary.json").read_text())["cycles"]


@pytest.mark.parametrize("slots", ["1", "2"])
def test_a_long_block_is_no_cliff(tools, tmp_path, slots):
    short, long = (cycles(tools, tmp_path, steps, f"--multibuffer={slots}") / steps for steps in (40, 300))
    assert long < 1.5 * short
