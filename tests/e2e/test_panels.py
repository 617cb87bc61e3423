"""Steps of K that share L1 tiles: the values are those of steps with tiles of their own, bit for bit, and numpy's."""

import json

import numpy as np
import pytest

from tests.e2e.conftest import CASES
from tests.e2e.panel_kernels import Form, product

STORAGE = {"f16": np.float16, "f32": np.float32, "i8": np.int8}

FORMS = [Form(element, walk, masked, rounds=2) for element in ("f16", "i8", "f32") for walk in ("index", "carried", "counted")
         for masked in (True, False)]
FORMS += [Form("f16", walk, True, a_columns, b_columns) for walk in ("index", "carried") for a_columns in (False, True)
          for b_columns in (False, True) if a_columns or b_columns]
FORMS += [Form("i8", "index", True, True, True), Form("f32", "carried", True, True, True)]
# Sums that fill L0C; with HALVES they are computed and stored in halves.
HALVES = "--multibuffer=l0c:2"
WIDE = [Form("f16", m=128, n=256, block=64, rounds=3), Form("f16", "carried", True, True, True, 3, 128, 256, 64),
        Form("i8", "counted", True, False, True, 3, 128, 256, 128), Form("f32", m=128, n=224, rounds=2)]
FORMS += WIDE


def operands(form, k):
    rng = np.random.default_rng(k)
    shapes = (form.rounds * form.m, k), (k, form.n)
    if form.element == "i8":
        return [rng.integers(-128, 128, shape).astype(np.int8) for shape in shapes]
    return [rng.standard_normal(shape).astype(STORAGE[form.element]) for shape in shapes]


def launch(tools, folder, form, k, *options, depth=None):
    """What the kernel leaves in memory, and what it should be; `depth`: what the kernel is told of K, if not the truth."""
    a, b = operands(form, k)
    wide = np.int64 if form.element == "i8" else np.float64
    expected = (a.astype(wide) @ b.astype(wide)).astype(np.int32 if form.element == "i8" else np.float32)
    tensors = {"a_ptr": np.ascontiguousarray(a.T) if form.a_columns else a, "b_ptr": np.ascontiguousarray(b.T) if form.b_columns else b,
               "o_ptr": np.ones_like(expected)}
    dtypes = {"a_ptr": form.element, "b_ptr": form.element, "o_ptr": "i32" if form.element == "i8" else "f32"}
    args = [{"name": name, "kind": "tensor", "dtype": dtypes[name], "shape": list(value.shape), "output": name == "o_ptr"}
            for name, value in tensors.items()]
    args.append({"name": "K", "kind": "scalar", "dtype": "i32", "value": k if depth is None else depth})
    case = folder / "product.json"
    case.write_text(json.dumps({"name": "product", "kernel": "product", "grid": [1, 1, 1], "args": args}))
    np.savez(folder / "product.npz", **{f"in_{name}": value for name, value in tensors.items()})
    source = folder / "product.ttir"
    source.write_text(product(form))
    out = folder / "_".join(("out", *options)).replace("=", "_")
    done = tools.run(tools.compile(source, *options), case, "--out", out, "--check")
    assert done.code == 0, done.out + done.err
    with np.load(out / "outputs.npz") as results:
        return results["out_o_ptr"], expected


# Of 32 columns a step: less than one step, less than a panel, a ragged panel, whole ones.
DEPTHS = (20, 72, 300, 512)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_values(tools, tmp_path, form):
    for k in DEPTHS if form.masked else sorted({max(k // form.block, 1) * form.block for k in DEPTHS}):
        alone, expected = launch(tools, tmp_path, form, k, "--k-panel=off")
        assert np.allclose(alone, expected, rtol=0, atol=0 if form.element == "i8" else 1e-5 * np.abs(expected).max()), k
        for options in [("--k-panel=auto",), ("--k-panel=3",)] + [("--k-panel=3", HALVES)] * (form in WIDE):
            shared, _ = launch(tools, tmp_path, form, k, *options)
            assert np.array_equal(shared, alone), (k, options)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_forms_are_recognised(tools, tmp_path, form):
    source = tmp_path / "product.ttir"
    source.write_text(product(form))
    done = tools.call("dlc", source, "-o", tmp_path / "k.dlk", "--k-panel=3", "--explain")
    assert done.code == 0 and "3 steps of K" in done.err, done.err


@pytest.mark.parametrize("form", [Form(rounds=2), *WIDE], ids=lambda form: form.name)
def test_no_steps_give_zero(tools, tmp_path, form):
    for options in (("--k-panel=off",), ("--k-panel=auto",), ("--k-panel=auto", HALVES)):
        actual, _ = launch(tools, tmp_path, form, 64, *options, depth=0)
        assert not actual.any(), options


def test_stores_hide_behind_products(tools, tmp_path):
    """With short sums a store takes a good part of the time, unless the cube goes on meanwhile: tiles that L0C holds twice
    and tiles that it holds once, whose blocks the cube takes back one by one, keep the cube as busy."""
    busy = {}
    for n in (256, 128):
        form = Form("f16", m=128, n=n, block=64, rounds=24)
        folder = tmp_path / str(n)
        folder.mkdir()
        actual, expected = launch(tools, folder, form, 256)
        assert np.allclose(actual, expected, rtol=0, atol=1e-5 * np.abs(expected).max())
        cycles = json.loads((folder / "out" / "summary.json").read_text())["cycles"]
        busy[n] = form.rounds * form.m * n * 256 / 4096 / cycles
    assert busy[256] > max(busy[128], 0.75), busy


def test_wide_rows_are_faster(tools, tmp_path):
    """128-byte rows by themselves keep the copies to L1 from their rate."""
    form, cycles = Form("f16", m=128, n=128, block=32), {}
    for option in ("off", "auto"):
        launch(tools, tmp_path, form, 2048, f"--k-panel={option}")
        summary = tmp_path / f"out_--k-panel_{option}" / "summary.json"
        cycles[option] = json.loads(summary.read_text())["cycles"]
    assert cycles["auto"] < 0.9 * cycles["off"]


def grid_matmul(tools, folder, m, n, k, options, run=()):
    """Runs the matmul of 128 x 256 x 64 tiles, checks its values, returns what the compiler said and the summary."""
    rng = np.random.default_rng(k)
    a, b = rng.standard_normal((m, k)).astype(np.float16), rng.standard_normal((k, n)).astype(np.float16)
    tensors = {"a_ptr": a, "b_ptr": b, "c_ptr": np.zeros((m, n), np.float16)}
    case = json.loads((CASES / "tuned_matmul_grid2d_128x256x64.json").read_text())
    for argument in case["args"]:
        if argument["name"] in tensors:
            argument["shape"] = list(tensors[argument["name"]].shape)
        else:
            argument["value"] = {"M": m, "N": n, "K": k}[argument["name"]]
    case["grid"] = [-(-m // 128), -(-n // 256), 1]
    (folder / "mm.json").write_text(json.dumps(case))
    np.savez(folder / "mm.npz", **{f"in_{name}": value for name, value in tensors.items()})
    said = tools.call("dlc", CASES / "tuned_matmul_grid2d_128x256x64.ttir", "-o", folder / "mm.dlk", "--explain", *options)
    assert said.code == 0, said.err
    done = tools.run(folder / "mm.dlk", folder / "mm.json", "--out", folder / "out", "--check", *run)
    assert done.code == 0, done.out + done.err
    expected = a.astype(np.float64) @ b.astype(np.float64)
    with np.load(folder / "out" / "outputs.npz") as outputs:
        assert np.abs(outputs["out_c_ptr"] - expected).max() < 1e-3 * np.abs(expected).max()
    return said.err, json.loads((folder / "out" / "summary.json").read_text())


@pytest.mark.parametrize("options", [(), (HALVES,)])
@pytest.mark.parametrize("k", [40, 456, 1480])
def test_offsets_along_k(tools, tmp_path, k, options):
    """With --shuffle-k each core begins with another panel: sums in another order, of the same products."""
    said, _ = grid_matmul(tools, tmp_path, 200, 700, k, ("--shuffle-k", *options))
    assert "4 steps of K" in said and ("fills L0C" in said) == (HALVES in options), said


@pytest.mark.parametrize("k", [200, 456, 900, 1480])
@pytest.mark.parametrize("slots", [3, 2])
def test_kept_panels(tools, tmp_path, k, slots):
    """Tasks of one core that lie below each other share B: what L1 holds of it is not loaded again, in each order of tasks."""
    options, read = ("--multibuffer=l1:2",) if slots == 2 else (), {}
    for order, cores in ("serpentine:1:columns", 1), ("serpentine:1:columns", 12), ("serpentine:1", 1), ("diagonal:2", 2):
        folder = tmp_path / f"{order.replace(':', '_')}_{cores}"
        folder.mkdir()
        said, summary = grid_matmul(tools, folder, 700, 512, k, ("--shuffle-k", f"--order={order}", *options), ("-D", f"chip.clusters={cores}"))
        assert said.count("keep:") == 2, said
        read[order, cores] = summary["l2"]["read_hit"] + summary["l2"]["read_miss"]
    if k >= slots * 256:  # rows of four words, the last panel a short one; five tasks of six in two columns
        kept = 2 * 5 * 4 * ((slots - 1) * 256 + k % 256)
        assert read["serpentine:1:columns", 12] - read["serpentine:1:columns", 1] >= kept, read


def test_gathered_rows(tools, tmp_path):
    """A convolution: rows of A that scalar code finds, channels in four steps, the last of them a short one."""
    image, channels, filters = 14, 240, 128  # rows of whole 32-byte blocks: others pass nd2nz at a rate that hides the difference
    case = json.loads((CASES / "tuned_conv2d_128x128x64.json").read_text())
    scalars = {"B": 1, "H": image, "W": image, "C": channels, "KO": filters, "P": image, "Q": image}
    tensors = {"x_ptr": [1, image, image, channels], "w_ptr": [filters, 3, 3, channels], "y_ptr": [1, image, image, filters]}
    for argument in case["args"]:
        if argument["name"] in tensors:
            argument.update(shape=tensors[argument["name"]], init="zeros" if argument["name"] == "y_ptr" else "normal(1)")
        elif argument["name"] in scalars:
            argument["value"] = scalars[argument["name"]]
    case["grid"] = [-(-image * image // 128), -(-filters // 128), 1]
    path = tmp_path / "conv.json"
    path.write_text(json.dumps(case))
    results, cycles = {}, {}
    for option in ("off", "auto"):
        kernel = tools.compile(CASES / "tuned_conv2d_128x128x64.ttir", f"--k-panel={option}")
        done = tools.run(kernel, path, "--out", tmp_path / option, "--check")
        assert done.code == 0, done.out + done.err
        with np.load(tmp_path / option / "outputs.npz") as outputs:
            results[option] = outputs["out_y_ptr"]
        cycles[option] = json.loads((tmp_path / option / "summary.json").read_text())["cycles"]
    assert results["off"].any() and np.array_equal(results["auto"], results["off"])
    assert cycles["auto"] < 0.6 * cycles["off"], cycles


@pytest.mark.parametrize("wish", ["0", "65", "wide", ""])
def test_bad_wish(tools, tmp_path, wish):
    source = tmp_path / "product.ttir"
    source.write_text(product(Form()))
    done = tools.call("dlc", source, "-o", tmp_path / "k.dlk", f"--k-panel={wish}")
    assert done.code == 2 and "--k-panel" in done.err
