"""Each micro kernel computes what it says: its launches as the validation builds them, with values, against numpy."""

import json
import math
import os

import numpy
import pytest

from experiments.runner import Tools, sweep
from experiments.runner.generate import from_bf16, tensor
from experiments.validation import builders
from experiments.validation.model import KERNELS, Launch

CHIP = "ascend910b1"


@pytest.fixture(scope="module")
def tools():
    return Tools(os.environ.get("DLSIM_BIN"))  # without a build this fails and says what to build


def floats(array, dtype):
    return from_bf16(array) if dtype == "bf16" else array


def run(launch, inits, folder, tools, outputs=(), checks="mem,race,init,sync", scales={}):
    """Runs a launch with values and checks; returns the arrays of its tensors, inputs as generated."""
    case = launch.runner_case("values")
    for argument in case.launch["args"]:
        if argument["kind"] == "tensor":
            argument["output"] = argument["name"] in outputs
            argument["init"] = inits.get(argument["name"], "zeros")
            argument["scale"] = scales.get(argument["name"], 1.0)
    (folder / "launch.json").write_text(json.dumps(case.launch))
    tools.run("dlc", case.kernel, "-o", folder / "kernel.dlk", f"--chip={case.chip}", *case.compile_options)
    options = [option for option in case.run_options if option != "--timing-only"]
    tools.run("dlsim", "run", folder / "kernel.dlk", "--args", folder / "launch.json", *(("--out", folder / "out") if outputs else ()), f"--check={checks}", *options)
    arrays = {argument["name"]: floats(tensor(argument), argument["dtype"]) for argument in case.launch["args"]
              if argument["kind"] == "tensor" and argument["name"] not in outputs}
    if outputs:
        found = numpy.load(folder / "out" / "outputs.npz")
        dtypes = {argument["name"]: argument.get("dtype") for argument in case.launch["args"]}
        arrays |= {name: floats(found[f"out_{name}"], dtypes[name]) for name in outputs}
    return arrays


def close(got, expected, relative):
    largest = numpy.abs(expected).max(axis=-1, keepdims=True)
    return bool((numpy.abs(got.astype(numpy.float64) - expected) <= relative * largest + 1e-30).all())


MATMULS = {
    "rows": dict(m=256, n=512, k=256, base=(128, 256, 64)),
    "ragged": dict(m=200, n=300, k=208, base=(128, 256, 64), step=(2, 2)),
    "deep panels, columns": dict(m=256, n=512, k=512, base=(128, 256, 64), step=(4, 2), order="columns"),
    "diagonal": dict(m=384, n=1024, k=128, base=(128, 256, 64), order="diagonal"),
    "swizzle, shifted K": dict(m=384, n=512, k=256, base=(64, 128, 64), order="swizzle", swizzle=2, k_shift=1),
    "blocks of cores, bands": dict(m=512, n=512, k=128, base=(64, 128, 64), grid=(2, 2), single=(128, 256), m_parts=2),
    "B as it stands": dict(m=160, n=320, k=192, base=(128, 128, 64), b="kn", step=(2, 2)),
    "fractals": dict(m=128, n=256, k=128, base=(64, 128, 64), b="nz", a="nz"),
    "one buffer each": dict(m=128, n=256, k=256, base=(64, 128, 64), l1=(1, 1), l0=1),
    "A whole": dict(m=128, n=512, k=256, base=(64, 128, 64), step=(4, 2), l1=(1, 2), a_whole=True),
    "B whole": dict(m=512, n=128, k=256, base=(64, 128, 64), step=(2, 4), l1=(2, 1), b_whole=True, b="kn"),
    "parts of K": dict(m=64, n=128, k=512, base=(64, 128, 64), k_parts=4, out="f32"),
    "i8": dict(m=128, n=256, k=256, base=(64, 128, 128), dtype="i8", out="i32"),
    "f32": dict(m=32, n=128, k=64, base=(16, 128, 32), dtype="f32", out="f32"),
    "bf16": dict(m=128, n=128, k=128, base=(64, 128, 64), dtype="bf16", out="f32"),
    "two loads an operand": dict(m=128, n=144, k=96, base=(64, 128, 32), loads=2),
    "two loads, B as it stands": dict(m=128, n=256, k=128, base=(64, 128, 64), loads=2, b="kn"),
    "img2col": dict(m=200, n=256, k=128, base=(128, 256, 64), step=(2, 2), img2col=True),
    "flags of each operand": dict(m=128, n=256, k=256, base=(64, 128, 64), l0_flags=2, cores=1),
    "unit flag": dict(m=256, n=512, k=128, base=(128, 256, 64), unit_flag=True, cores=1),
    "unit flag, two tiles of C": dict(m=256, n=256, k=128, base=(64, 128, 64), unit_flag=True, c_slots=2, cores=1),
}


@pytest.mark.parametrize("name", MATMULS)
def test_matmul(name, tmp_path, tools):
    options = dict(MATMULS[name])
    m, n, k, base = (options.pop(key) for key in ("m", "n", "k", "base"))
    arrays = run(builders.matmul(CHIP, m, n, k, base, **options), {"a": "normal(1)", "b": "normal(2)"}, tmp_path, tools, ("c",))
    dtype = options.get("dtype", "f16")
    wide = numpy.int64 if dtype == "i8" else numpy.float64
    a, b = arrays["a"].astype(wide), arrays["b"].astype(wide)
    c0 = {"f16": 16, "bf16": 16, "i8": 32, "f32": 8}[dtype]
    if options.get("a") == "nz":
        a = a.reshape(k // c0, m, c0).transpose(1, 0, 2).reshape(m, k)
    layout = options.get("b", "nk")
    if layout == "nk":
        b = b.T
    elif layout == "kn":
        b = b.reshape(k, n)
    else:
        b = b.reshape(n // c0, k, c0).transpose(1, 0, 2).reshape(k, n)
    if dtype == "i8":
        assert (arrays["c"] == a @ b).all()
    else:
        assert close(arrays["c"], a @ b, 2e-3 if options.get("out", "f16") == "f16" else 2e-5)


@pytest.mark.parametrize("options", [dict(), dict(buffers=2), dict(buffers=2, bypass=True, gap=256), dict(work=3), dict(cores=5)], ids=str)
def test_vadd(options, tmp_path, tools):
    arrays = run(builders.vadd(CHIP, 48 * 2048, 1024, **options), {"x": "normal(1)", "y": "normal(2)"}, tmp_path, tools, ("z",))
    assert (arrays["z"] == arrays["x"] + arrays["y"]).all()


@pytest.mark.parametrize("target", ["f16", "bf16"])
def test_cast(target, tmp_path, tools):
    arrays = run(builders.elementwise(CHIP, "CAST", 48 * 1024, 1024, "f32", target), {"x": "normal(1)"}, tmp_path, tools, ("y",))
    assert close(arrays["y"], arrays["x"].astype(numpy.float64), 2.0**-8 if target == "bf16" else 2.0**-11)


def test_gelu(tmp_path, tools):
    arrays = run(builders.elementwise(CHIP, "GELU", 48 * 1024, 1024, "f32", "f32"), {"x": "normal(1)"}, tmp_path, tools, ("y",))
    x = arrays["x"].astype(numpy.float64)
    expected = 0.5 * x * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    assert numpy.abs(arrays["y"] - expected).max() < 1e-5


@pytest.mark.parametrize("rows,columns,size", [(100, 512, 4), (64, 1024, 4), (64, 512, 2)])
def test_rms_norm(rows, columns, size, tmp_path, tools):
    inits = {"x1": "normal(1)", "x2": "normal(2)", "gamma": "normal(3)", "bias": "normal(4)"}
    arrays = run(builders.rms_norm(CHIP, rows, columns, size), inits, tmp_path, tools, ("y",))
    x = arrays["x1"].astype(numpy.float64) + arrays["x2"]
    expected = x / numpy.sqrt((x**2).mean(axis=1, keepdims=True)) * arrays["gamma"] + arrays["bias"]
    assert close(arrays["y"], expected, 1e-2 if size == 2 else 1e-4)


def test_softmax(tmp_path, tools):
    arrays = run(builders.softmax(CHIP, 1000), {"x": "normal(1)"}, tmp_path, tools, ("y",), scales={"x": 4.0})
    x = arrays["x"].astype(numpy.float64)
    e = numpy.exp(x - x.max(axis=1, keepdims=True))
    assert close(arrays["y"], e / e.sum(axis=1, keepdims=True), 2.0**-10)


@pytest.mark.parametrize("write_stride", [144, 145])
def test_nd2nz_ub(write_stride, tmp_path, tools):
    rows, columns = 288, 256
    launch = Launch("nd2nz_ub", "aiv", CHIP, (("x", "f16", (rows, columns)), ("y", "f16", (rows, columns))),
                    (("rows", rows), ("columns", columns), ("tile_rows", 144), ("write_stride", write_stride)))
    arrays = run(launch, {"x": "normal(1)"}, tmp_path, tools, ("y",))
    expected = arrays["x"].reshape(rows, columns // 16, 16).transpose(1, 0, 2)
    assert (arrays["y"].reshape(expected.shape) == expected).all()


ATTENTIONS = {
    "one tile": dict(heads=1, length=512, cores=1),
    "several tasks a core": dict(heads=3, length=1024, cores=2),
    "chunks of unequal size": dict(heads=1, length=2560, cores=2, depth=1, p_slots=2, chunk=4),
    "half the rows": dict(heads=3, length=512, block=128, cores=2),
    "one slot each": dict(heads=2, length=1024, s_slots=1, p_slots=1, depth=1, cores=1),
    "deep": dict(heads=2, length=1024, s_slots=3, p_slots=4, depth=3, block=128, cores=3),
    "more steps between the products than tiles": dict(heads=6, length=512, depth=2, cores=2),
    "scores in f16": dict(heads=1, length=1536, s_f16=True, cores=2),
    "scores in f16, chunks": dict(heads=1, length=1536, block=128, s_f16=True, cores=3, chunk=2),
    "idle cores": dict(heads=1, length=512, cores=5),
}


def attention_errors(heads, length, folder, tools, scales, **options):
    """The kernel's output and what float64 gives."""
    launch = builders.attention(CHIP, heads, length, **options)
    arrays = run(launch, {name: f"normal({i})" for i, name in enumerate("qkv", 1)}, folder, tools, ("o",), scales=scales)
    q, k, v = (arrays[name].astype(numpy.float64).reshape(heads, length, 128) for name in "qkv")
    scores = q @ k.transpose(0, 2, 1) / math.sqrt(128)
    weights = numpy.exp(scores - scores.max(axis=2, keepdims=True))
    return arrays["o"].reshape(heads, length, 128), weights @ v / weights.sum(axis=2, keepdims=True)


@pytest.mark.parametrize("name", ATTENTIONS)
def test_attention(name, tmp_path, tools):
    got, expected = attention_errors(folder=tmp_path, tools=tools, scales={}, **ATTENTIONS[name])
    # P is f16, and so are the scores if asked for: relative errors of 2^-11 in many terms of either sign.
    assert close(got, expected, 4e-3 if ATTENTIONS[name].get("s_f16") else 2e-3)


def test_attention_of_large_scores(tmp_path, tools):
    """One key in a few decides, and the largest score of a row differs much from tile to tile."""
    got, expected = attention_errors(1, 1024, tmp_path, tools, {"q": 4.0, "k": 4.0}, cores=1)
    assert close(got, expected, 2e-3)


@pytest.mark.parametrize("s_f16,least", [(False, 0.48), (True, 0.55)])
def test_attention_keeps_the_cube_busy(s_f16, least, tmp_path, tools):
    """All cores with four tasks of four tiles each: what the published AscendC kernel gets of a 910B, 48 %, and more with scores in f16."""
    case = builders.attention(CHIP, 12, 2048, s_f16=s_f16).runner_case("speed")
    assert sweep.simulate(case, sweep.compiled(case, tools, tmp_path), tools)["mac_efficiency"] > least


# These have no result: they run to their end without a fault or a warning of the checks.
QUIET = {
    "copy to UB": builders.copy_in(CHIP, 48 * 64, 512, (16, 64)),
    "copy to L1": builders.copy_in(CHIP, 24 * 64, 512, (64, 64), unit="l1", shared=True, rotate=1),
    "copy past L2": builders.copy_in(CHIP, 48 * 64, 512, (16, 64), bypass=True, passes=2),
    "vector": builders.vector_loop(CHIP, "add", 10, 64, dst=0x20000, src0=0, src1=0x10100),
    "vector, one source": builders.vector_loop(CHIP, "exp", 10, 64, dst=0x20000, src0=0, barrier=True),
} | {f"step {step}": builders.steps(CHIP, step, 10, bytes_=4096) for step in range(7)} | {
    f"cube step {step}": builders.cube_steps(CHIP, step, 10, 8, 4, 4) for step in (0, 1, 2)}


@pytest.mark.parametrize("name", QUIET)
def test_kernels_without_a_result(name, tmp_path, tools):
    # Not init: they take operands from memory that nothing has written, and use no value.
    run(QUIET[name], {"x": "normal(1)"}, tmp_path, tools, checks="mem,race,sync")  # raises if the program faults or a check fails


def test_every_micro_kernel_is_run_here():
    here = {"matmul", "vadd", "elementwise", "rms_norm", "softmax", "nd2nz_ub", "attention"} | {launch.kernel for launch in QUIET.values()}
    assert here == {path.stem for path in KERNELS.glob("*.c")}
