"""What does it gain to make whole runs of bytes of accesses that are not contiguous?

Access patterns (convolutions of ResNet-50 as implicit products, a transpose, rows of a table by index, every third element, pairs and
structures taken apart) lowered in three ways: element by element through the scalar unit (off), a burst for each element or piece (copy), and
whole runs that are rearranged on chip (full). A contiguous copy of as many bytes is beside them. Bursts that cost nothing (no time between
bursts and requests, reads of 16 bytes, as many in flight as there are, no waiting for one another at a line) are the ablation.
"""

from pathlib import Path

from experiments.runner.cases import Case, triton
from experiments.runner.counters import basic
from experiments.runner.workloads import OWN_TILES

NAME = "coalescing"
TITLE = "Coalescing of accesses"
QUESTION = "What do accesses that are not contiguous cost, lowered element by element, burst by burst and in whole runs?"
CLAIMS = (6,)

KERNELS = Path(__file__).parent / "kernels"
MODES = ("off", "copy", "full")
FREE = tuple(word for key in ("burst_cycles=0", "request_cycles=0", "command_cycles=0", "read_floor=16", "pieces=[512,256,128,64,32,16]", "read_window=4096",
                              "write_window=4096") for word in ("-D", f"dma.{key}")) + ("-D", "l2.same_line_cycles=0", "-D", "l2.shared_line_cycles=0")
# Height and width, channels in and out of the 3 x 3 layers.
RESNET = {"conv2_x": (56, 64), "conv3_x": (28, 128), "conv4_x": (14, 256), "conv5_x": (7, 512)}
# Patterns of which `copy` makes a burst for each element.
ELEMENTWISE = ("deinterleave", "every third element", "structures to arrays")


def own(labels, name, tensors, n):
    """A kernel of this folder over n elements (1024 a program): tensors are (name, elements), all f32."""
    arguments = [{"name": tensor, "kind": "tensor", "dtype": "f32", "shape": [size], "output": tensor == "y_ptr", "init": "zeros"} for tensor, size in tensors]
    arguments.append({"name": "n", "kind": "scalar", "dtype": "i32", "value": n})
    return Case(labels, KERNELS / f"{name}.ttir", {"name": name, "kernel": name, "grid": [-(-n // 1024), 1, 1], "args": arguments})


def conv2d(labels, side, channels):
    """A 3 x 3 convolution of one image, padded by one, f16."""
    scalars = {**dict.fromkeys("HWPQ", side), "B": 1, "C": channels, "KO": channels, "R": 3, "S": 3}
    return triton("tuned_conv2d_128x128x64", labels, [-(-side * side // 128), -(-channels // 128)], scalars,
                  {"x_ptr": [1, side, side, channels], "w_ptr": [channels, 3, 3, channels], "y_ptr": [1, side, side, channels]})


def patterns(n):
    """{pattern: (function that makes a point, bytes of the result)}, of about n elements."""
    side = int(n**0.5) // 128 * 128
    rows = n // 1280
    return {
        "transpose": (lambda labels: triton("tuned_transpose_128x128", labels, [side // 128, side // 128], {"M": side, "N": side},
                                                    dict.fromkeys(("x_ptr", "y_ptr"), [side, side])), 2 * side * side),
        "rows by index": (lambda labels: triton("embedding_gather", labels, [-(-rows // 16), 10], {"n": rows, "D": 1280},
                                                        {"ids_ptr": [rows], "table_ptr": [4096, 1280], "y_ptr": [rows, 1280]},
                                                        inputs={"ids_ptr": [37 * i % 4096 for i in range(rows)]}), 2 * rows * 1280),
        "deinterleave": (lambda labels: triton("deinterleave", labels, [n // 1024], {"n": n // 2},
                                                       {"x_ptr": [n], "even_ptr": [n // 2], "odd_ptr": [n // 2]}), 4 * n),
        "every third element": (lambda labels: own(labels, "strided_copy", [("x_ptr", 3 * n), ("y_ptr", n)], n), 4 * n),
        "structures to arrays": (lambda labels: own(labels, "aos_to_soa", [("x_ptr", n), ("y_ptr", n)], n // 4), 4 * n),
    }


def cases(quick=True):
    points = []

    def add(pattern, make, mode, free="no"):
        # With values: elements that go through the scalar unit are read by it.
        run = ("-q", *FREE) if free == "yes" else ("-q",)
        point = make({"pattern": pattern, "mode": mode, "bursts_free": free})
        points.append(Case(point.labels, point.kernel, point.launch, (*OWN_TILES, f"--coalesce={mode}"), run, inputs=point.inputs))

    layers = dict(list(RESNET.items())[1:3]) if quick else RESNET
    for name, (side, channels) in layers.items():
        for mode in MODES:
            add(f"{name} ({side} x {side} x {channels})", lambda labels, side=side, channels=channels: conv2d(labels, side, channels), mode)
    n = (512 if quick else 4096) * 1024
    for pattern, (make, _) in patterns(n).items():
        for mode in MODES:
            add(pattern, make, mode)
        for mode in MODES[1:]:
            add(pattern, make, mode, "yes")
    # As many bytes as the results have.
    for pattern, (_, size) in patterns(n).items():
        add(f"contiguous, as {pattern}", lambda labels, size=size: own(labels, "contiguous_copy", [("x_ptr", size // 4), ("y_ptr", size // 4)], size // 4), "full")
    return points


def row(case, summary):
    counters = {key: value for key, value in basic(summary).items() if key in ("time_us", "cycles", "hbm_read_MB", "l2_read_hit_ratio")}
    requests = sum(core["gm"][key] for core in summary["cores"] for key in ("r0_hit", "r0_miss", "r1_hit", "r1_miss"))
    return {**case.labels, **counters, "read_requests": requests}


def mean(values):
    """Geometric mean."""
    product = 1.0
    for value in values:
        product *= value
    return product ** (1 / len(values))


def numbers(table):
    times = {free: table[table.bursts_free == free].set_index(["pattern", "mode"]).time_us for free in ("no", "yes")}
    as_is = times["no"]
    named = [pattern for pattern in table.pattern.unique() if not pattern.startswith("contiguous")]
    layers = [pattern for pattern in named if pattern.startswith("conv")]
    over = {mode: {p: as_is[p, mode] / as_is[p, "full"] for p in named} for mode in ("off", "copy")}
    contiguous = {p: as_is[p, "full"] / as_is[f"contiguous, as {p}", "full"] for p in named if p not in layers}
    requests = table[table.bursts_free == "no"].set_index(["pattern", "mode"]).read_requests
    return {
        "off": over["off"], "copy": over["copy"], "contiguous": contiguous, "layers": layers,
        "off_mean": mean(list(over["off"].values())), "copy_mean": mean(list(over["copy"].values())),
        "off_most": max(over["off"], key=over["off"].get), "copy_most": max(over["copy"], key=over["copy"].get),
        "layers_off": mean([over["off"][p] for p in layers]), "layers_share": 100 / mean([over["copy"][p] for p in layers]),
        "contiguous_most": max(contiguous, key=contiguous.get),
        "requests": mean([requests[p, "copy"] / requests[p, "full"] for p in ELEMENTWISE]),
        "elements_copy": mean([over["copy"][p] for p in ELEMENTWISE]),
        "free_elements_copy": mean([times["yes"][p, "copy"] / times["yes"][p, "full"] for p in ELEMENTWISE]),
    }


def findings(n):
    near = [p for p, factor in n["contiguous"].items() if factor <= 2]
    return [
        f"Element by element, the patterns take {n['off_mean']:.1f} times the time of whole runs (geometric mean; most: {n['off_most']}, {n['off'][n['off_most']]:.1f}); "
        f"a burst for each element or piece takes {n['copy_mean']:.1f} times (most: {n['copy_most']}, {n['copy'][n['copy_most']]:.1f}).",
        f"Convolutions of ResNet-50: whole runs are {n['layers_off']:.1f} times as fast as element by element; burst by burst they reach {n['layers_share']:.0f} % of the speed of whole runs.",
        f"Whole runs against a contiguous copy of as many bytes: {', '.join(f'{p} {factor:.1f}' for p, factor in n['contiguous'].items())}; "
        f"within twice its time: {', '.join(near) or 'none'}. The furthest is {n['contiguous_most']}.",
        f"Where single elements are picked, bursts make {n['requests']:.0f} times the requests of whole runs and take {n['elements_copy']:.1f} times as long. "
        f"Ablation: with bursts that cost nothing they take {n['free_elements_copy']:.1f} times as long.",
    ]


def ablation(n):
    """What the mechanism does, with it and without it in the model: (what, with, without)."""
    return [("gain of whole runs over a burst an element", n["elements_copy"] - 1, n["free_elements_copy"] - 1)]


def draw(table):
    from reports import style

    figure, axes = style.panels(2)
    n = numbers(table)
    names = list(n["off"])
    for number, mode in enumerate(("off", "copy")):
        axes[0].barh([i + 0.2 - 0.4 * number for i in range(len(names))], [n[mode][p] for p in names], 0.38, label=mode, color=style.CYCLE[number])
    axes[0].set_yticks(range(len(names)), names, fontsize=6)
    axes[0].invert_yaxis()
    axes[0].set_xscale("log")
    axes[0].axvline(1, color="grey", linewidth=0.8)
    axes[0].set(xlabel="time over that of whole runs", title="off and copy against full")
    axes[0].legend(loc="upper right")
    beside = list(n["contiguous"])
    axes[1].barh(range(len(beside)), [n["contiguous"][p] for p in beside], 0.6, color=style.CYCLE[2])
    axes[1].set_yticks(range(len(beside)), beside, fontsize=6)
    axes[1].invert_yaxis()
    axes[1].axvline(2, color="grey", linewidth=0.8)
    axes[1].set(xlabel="time over that of a contiguous copy", title="full against a contiguous copy")
    return figure
