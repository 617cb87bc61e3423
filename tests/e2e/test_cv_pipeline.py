"""Kernels whose loops go back and forth between cube and vector cores: the same values at every depth of the pipeline, for any number
of iterations."""

import json

import numpy as np
import pytest

from experiments.device import cases as launches
from tests.e2e.conftest import CASES, REPOSITORY
from tests.e2e.test_dot import operand

TTIR = REPOSITORY / "experiments" / "device" / "ttir"
DEPTHS = (1, 2, 3, 4, "auto")
TASKS = 80  # some cores get four, others three
MIXED = ("flash_attention", "flash_attention_causal", "tuned_attention_d64_128x128", "tuned_attention_d128_128x128",
         "tuned_attention_d128_causal_128x128", "tuned_matmul_gelu_128x128x64", "tuned_matmul_int8_per_token_128x256x128")


def chain(rows):
    """Text of a kernel that, in task t, runs a chain of two products t % 7 times: scores, their largest per row, a product with the
    scores, a rescaled sum of these."""
    tile, line, column = f"tensor<{rows}x32xf32>", f"tensor<{rows}xf32>", f"tensor<{rows}x1xf32>"
    return f"""tt.func public @chain(%a_ptr: !tt.ptr<f16>, %b_ptr: !tt.ptr<f16>, %o_ptr: !tt.ptr<f32>) {{
  %pid = tt.get_program_id x : i32
  %seven = arith.constant 7 : i32
  %n = arith.remsi %pid, %seven : i32
{operand("a", "f16", rows, 32, False)}  %a = tt.load %ap : tensor<{rows}x32x!tt.ptr<f16>>
  %zeros = arith.constant dense<0.0> : {tile}
  %least = arith.constant dense<0.0> : {line}
  %quarter = arith.constant dense<0.25> : {tile}
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant 1024 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros, %m = %least, %at = %c0) -> ({tile}, {line}, i32) : i32 {{
    %b_tile_ptr = tt.addptr %b_ptr, %at : !tt.ptr<f16>, i32
{operand("b_tile", "f16", 32, 32, False)}    %b = tt.load %b_tilep : tensor<32x32x!tt.ptr<f16>>
    %s = tt.dot %a, %b, %zeros : tensor<{rows}x32xf16> * tensor<32x32xf16> -> {tile}
    %e = arith.mulf %s, %quarter : {tile}
    %largest = "tt.reduce"(%e) <{{axis = 1 : i32}}> ({{
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tt.reduce.return %z : f32
    }}) : ({tile}) -> {line}
    %new = arith.maxnumf %m, %largest : {line}
    %less = arith.subf %m, %new : {line}
    %alpha = math.exp %less : {line}
    %alphas = tt.expand_dims %alpha {{axis = 1 : i32}} : {line} -> {column}
    %wide = tt.broadcast %alphas : {column} -> {tile}
    %scaled = arith.mulf %acc, %wide : {tile}
    %p = arith.truncf %e : {tile} to tensor<{rows}x32xf16>
    %sum = tt.dot %p, %b, %scaled : tensor<{rows}x32xf16> * tensor<32x32xf16> -> {tile}
    %next = arith.addi %at, %size : i32
    scf.yield %sum, %new, %next : {tile}, {line}, i32
  }}
  %last = tt.expand_dims %r#1 {{axis = 1 : i32}} : {line} -> {column}
  %lasts = tt.broadcast %last : {column} -> {tile}
  %result = arith.addf %r#0, %lasts : {tile}
  %own = arith.constant {32 * rows} : i32
  %out = arith.muli %pid, %own : i32
  %o_tile_ptr = tt.addptr %o_ptr, %out : !tt.ptr<f32>, i32
{operand("o_tile", "f32", rows, 32, False)}  tt.store %o_tilep, %result : tensor<{rows}x32x!tt.ptr<f32>>
  tt.return
}}
"""


def chain_values(a, b):
    """What chain() computes, task by task."""
    results = []
    for task in range(TASKS):
        acc, m = np.zeros((len(a), 32), np.float32), np.zeros(len(a), np.float32)
        for i in range(task % 7):
            e = a.astype(np.float32) @ b[i].astype(np.float32) * np.float32(0.25)
            new = np.maximum(m, e.max(1))
            acc = acc * np.exp(m - new)[:, None] + e.astype(np.float16).astype(np.float32) @ b[i].astype(np.float32)
            m = new
        results.append(acc + m[:, None])
    return np.stack(results)


# 32 rows are two halves; 31 cannot be shared, so that the second vector core repeats what the first one does.
@pytest.mark.parametrize("rows", [32, 31])
def test_iterations(tools, tmp_path, rows):
    rng = np.random.default_rng(7)
    a, b = rng.standard_normal((rows, 32)).astype(np.float16), rng.standard_normal((7, 32, 32)).astype(np.float16)
    expected = chain_values(a, b)
    (tmp_path / "chain.ttir").write_text(chain(rows))
    args = [{"name": name, "kind": "tensor", "dtype": dtype, "shape": list(value.shape), "output": name == "o_ptr"}
            for name, dtype, value in (("a_ptr", "f16", a), ("b_ptr", "f16", b), ("o_ptr", "f32", expected))]
    (tmp_path / "chain.json").write_text(json.dumps({"name": "chain", "kernel": "chain", "grid": [TASKS, 1, 1], "args": args}))
    np.savez(tmp_path / "chain.npz", in_a_ptr=a, in_b_ptr=b, in_o_ptr=np.full_like(expected, -1))
    outputs = []
    for depth in DEPTHS:
        kernel = tools.compile(tmp_path / "chain.ttir", f"--cv-pipeline={depth}")
        done = tools.run(kernel, tmp_path / "chain.json", "--out", tmp_path / "out", "--check")
        assert done.code == 0, done.out + done.err
        outputs.append(np.load(tmp_path / "out" / "outputs.npz")["out_o_ptr"])
    scale = np.abs(expected).max(axis=-1, keepdims=True)
    assert (np.abs(outputs[0] - expected) <= 2e-3 * scale).all()
    for depth, output in zip(DEPTHS, outputs):
        assert (output == outputs[0]).all(), depth


@pytest.mark.parametrize("name", MIXED)
def test_depths(tools, tmp_path, name):
    outputs = []
    for depth in DEPTHS:
        kernel = tools.compile(CASES / f"{name}.ttir", f"--cv-pipeline={depth}")
        done = tools.run(kernel, CASES / f"{name}.json", "--out", tmp_path, "--check")
        assert done.code == 0, done.out + done.err
        with np.load(tmp_path / "outputs.npz") as results:
            outputs.append({key: results[key] for key in results.files})
    for depth, output in zip(DEPTHS, outputs):
        assert all((output[key] == outputs[0][key]).all() for key in outputs[0]), depth


def attention_values(q, k, v, causal):
    """Softmax of scaled scores times values, in f64."""
    scores = np.einsum("hqd,hkd->hqk", q, k, dtype=np.float64) * q.shape[-1] ** -0.5
    if causal:
        scores[:, ~np.tri(scores.shape[1], dtype=bool)] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("hqk,hkd->hqd", weights / weights.sum(-1, keepdims=True), v, dtype=np.float64)


# Tiles of so many keys need products in pieces of columns and of terms, and rows in pieces.
@pytest.mark.parametrize("options", [(), ("--cv-pipeline=1", "--multibuffer=1"), ("--cv-pipeline=2", "--sync=barrier-all")])
@pytest.mark.parametrize("head, keys, causal", [(128, 256, False), (128, 512, False), (64, 256, True)])
def test_many_keys(tools, tmp_path, head, keys, causal, options):
    heads, length = 1, 1024
    case = launches.attention(heads, length, head, 128, keys, causal)
    rng = np.random.default_rng(3)
    q, k, v = (rng.standard_normal((heads, length, head)).astype(np.float16) for _ in range(3))
    args = [{"name": a.name, "kind": "tensor", "dtype": a.dtype, "shape": list(a.shape), "output": a.output} for a in case.arguments[:4]]
    args += [{"name": name, "kind": "scalar", "dtype": "f32" if isinstance(value, float) else "i32", "value": value} for name, value in case.arguments[4:]]
    (tmp_path / "a.json").write_text(json.dumps({"name": "a", "kernel": case.kernel, "grid": [*case.grid, 1], "args": args}))
    np.savez(tmp_path / "a.npz", in_q_ptr=q, in_k_ptr=k, in_v_ptr=v, in_o_ptr=np.full_like(q, -9))
    kernel = tools.compile(TTIR / case.text, *options)
    done = tools.run(kernel, tmp_path / "a.json", "--out", tmp_path / "out", "--check")
    assert done.code == 0, done.out + done.err
    output = np.load(tmp_path / "out" / "outputs.npz")["out_o_ptr"]
    assert np.abs(output - attention_values(q, k, v, causal)).max() < 4e-3


def test_overlap_saves_time(tools, tmp_path):
    cycles = {}
    for depth in (1, 2, 4):
        kernel = tools.compile(CASES / "tuned_attention_d128_128x128.ttir", f"--cv-pipeline={depth}")
        tools.run(kernel, CASES / "tuned_attention_d128_128x128.json", "--timing-only", "--out", tmp_path)
        cycles[depth] = json.loads((tmp_path / "summary.json").read_text())["cycles"]
    assert cycles[2] < 0.8 * cycles[1]
    assert cycles[4] <= cycles[2]
