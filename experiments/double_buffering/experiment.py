"""How much do more buffers gain, where do they not, and why?

Matmul in two tile shapes, softmax, vector addition and attention with 1 to 4 slots for every buffer that two units hand to each other, on all
cores and on one; slots of L1 alone and of L0 alone; strips of the units' work before and after. With barriers instead of flags no
unit runs ahead, so buffers have nothing to hide: the ablation.
"""

from experiments.runner import workloads
from experiments.runner.counters import basic

NAME = "double_buffering"
TITLE = "Double buffering"
QUESTION = "How much time do 1 to 4 buffers save in each kernel, which scope matters, and where do more buffers not help?"
CLAIMS = (1, 7)

SLOTS = (1, 2, 3, 4)
SCOPES = ("l1:1,l0a:1,l0b:1", "l1:2,l0a:1,l0b:1", "l1:1,l0a:2,l0b:2", "l1:2,l0a:2,l0b:2")
WINDOW = (14000, 26000)  # cycles of the strips


def slots_option(kernel, slots):
    """Attention's vector part fills UB with one slot of each buffer; its slots are those of L1."""
    return f"--multibuffer=l1:{slots},l0a:1,l0b:1,l0c:1,ub:1" if kernel.startswith("attention") else f"--multibuffer={slots}"


def kernels(quick):
    """Name of a kernel -> function of the labels that gives its point."""
    k = 1024 if quick else 4096
    rows, heads, length = (6144, 12, 512) if quick else (65536, 32, 4096)
    return {
        "matmul 128x256x64": lambda labels, **m: workloads.matmul(labels, 2048, 2048, k, "128x256x64", **m),
        "matmul 128x256x256": lambda labels, **m: workloads.matmul(labels, 2048, 2048, k, "128x256x256", **m),
        "attention d64": lambda labels, **m: workloads.attention(labels, heads, length, **m),
        "softmax 8x1024": lambda labels, **m: workloads.softmax(labels, rows, **m),
        "vector add 16384": lambda labels, **m: workloads.vector_add(labels, rows * 1024, **m),
    }


def cases(quick=True):
    points = []
    for name, make in kernels(quick).items():
        for slots in SLOTS:
            labels = {"part": "slots", "kernel": name, "slots": slots, "scopes": "all", "sync": "flags", "cores": "all"}
            points.append(make(labels, options=[slots_option(name, slots)]))
        for slots in (1, 2):
            labels = {"part": "ablation", "kernel": name, "slots": slots, "scopes": "all", "sync": "barriers", "cores": "all"}
            points.append(make(labels, options=[slots_option(name, slots), "--sync=barrier-all"]))
    vector = {name: make for name, make in kernels(quick).items() if name.startswith(("softmax", "vector"))}
    for name, make in vector.items():
        for slots in (1, 2):
            labels = {"part": "one core", "kernel": name, "slots": slots, "scopes": "all", "sync": "flags", "cores": "1"}
            points.append(workloads.softmax(labels, 128, options=[f"--multibuffer={slots}"], run=["--cores=1"]) if name.startswith("softmax")
                          else workloads.vector_add(labels, 128 * 1024, options=[f"--multibuffer={slots}"], run=["--cores=1"]))
    tile = "matmul 128x256x64"
    for scopes in SCOPES:
        labels = {"part": "scopes", "kernel": tile, "slots": 0, "scopes": scopes, "sync": "flags", "cores": "all"}
        points.append(kernels(quick)[tile](labels, options=[f"--multibuffer={scopes}"]))
    for slots in (1, 2):
        labels = {"part": "strip", "kernel": tile, "slots": slots, "scopes": "all", "sync": "flags", "cores": "all"}
        points.append(workloads.matmul(labels, 2048, 2048, 1024, "128x256x64", options=[f"--multibuffer={slots}"],
                                       trace=f"{WINDOW[0]}:{WINDOW[1]}", trace_cores=("AIC0",)))
    return points


def row(case, summary):
    spans = [[unit, round(start, 3), round(length, 3)] for _, unit, start, length, name in summary.get("trace", [])
             if not name.startswith(("wait", "set", "stall"))]
    return {**case.labels, **basic(summary), "bound_by": summary["bound_by"].split(":")[0],
            "strip": ";".join(f"{unit} {start} {length}" for unit, start, length in spans)}


def gains(part):
    """Time with one slot over the time with so many, by kernel."""
    times = part.pivot_table(index="kernel", columns="slots", values="time_us", sort=False)
    return times[[1]].values / times


def numbers(table):
    slots = gains(table[table.part == "slots"])
    barriers = gains(table[table.part == "ablation"])
    one = gains(table[table.part == "one core"])
    scopes = table[table.part == "scopes"].set_index("scopes").time_us
    last = table[(table.part == "slots") & (table.slots == 2)].set_index("kernel")
    return {
        "gain": {kernel: 100 * (line[2] - 1) for kernel, line in slots.iterrows()},
        "more": {f"{kernel} ({int(line.last_valid_index())})": 100 * (line[line.last_valid_index()] / line[2] - 1)
                 for kernel, line in slots.iterrows() if line.last_valid_index() > 2},
        "most": slots[2].idxmax(), "most_gain": 100 * (slots[2].max() - 1), "least": slots[2].idxmin(), "least_gain": 100 * (slots[2].min() - 1),
        "least_bound": last.bound_by[slots[2].idxmin()], "least_mte2": 100 * last[[c for c in last if c.endswith("mte2_busy")]].max(axis=1)[slots[2].idxmin()],
        "ablation_gain": {kernel: 100 * (line[2] - 1) for kernel, line in barriers.iterrows()},
        "ablation_most": 100 * (barriers[2] - 1).abs().max(),
        "one_core_gain": {kernel: 100 * (line[2] - 1) for kernel, line in one.iterrows()},
        "l1_gain": 100 * (scopes[SCOPES[0]] / scopes[SCOPES[1]] - 1), "l0_gain": 100 * (scopes[SCOPES[0]] / scopes[SCOPES[2]] - 1),
        "both_gain": 100 * (scopes[SCOPES[0]] / scopes[SCOPES[3]] - 1),
        "cube_before": 100 * table[(table.part == "slots") & (table.slots == 1)].set_index("kernel").aic_m_busy["matmul 128x256x64"],
        "cube_after": 100 * last.aic_m_busy["matmul 128x256x64"],
        "mte2_before": 100 * table[(table.part == "slots") & (table.slots == 1)].set_index("kernel").aic_mte2_busy["matmul 128x256x64"],
        "mte2_after": 100 * last.aic_mte2_busy["matmul 128x256x64"],
    }


def listing(values):
    return ", ".join(f"{name} {value:+.1f} %" for name, value in values.items())


def findings(n):
    return [
        f"Two buffers instead of one make the kernels faster by: {listing(n['gain'])}. {n['most']} gains most, {n['least']} least: with two buffers it is "
        f"{n['least_bound']}, MTE2 {n['least_mte2']:.0f} % busy.",
        f"In the matmul with K steps of 64 the cube's busy ratio goes from {n['cube_before']:.0f} to {n['cube_after']:.0f} %, MTE2's from {n['mte2_before']:.0f} to "
        f"{n['mte2_after']:.0f} % (claim 1 says 65 to 82 % of bandwidth for buffers in L1, claim 7 leaves its table out).",
        f"Which scope: a second slot in L1 alone gains {n['l1_gain']:+.1f} %, in L0A and L0B alone {n['l0_gain']:+.1f} %, in all {n['both_gain']:+.1f} %.",
        f"The most buffers that fit (in brackets) instead of two change the speed by: {listing(n['more'])}.",
        f"On one core, where memory bandwidth is not shared, two buffers gain: {listing(n['one_core_gain'])}.",
        f"Ablation: with barriers instead of flags, so that no unit runs ahead, two buffers gain {listing(n['ablation_gain'])}: "
        + ("the gain is overlap." if n["ablation_most"] < 0.5 * n["most_gain"] else "the gain is not overlap alone."),
    ]


def strip(axis, text, title, style):
    """The units of one core over time, one row each."""
    units = ("MTE2", "MTE1", "M", "FIX")
    spans = [entry.split(" ") for entry in text.split(";") if entry]
    names = [name for name in units if name in {unit for unit, _, _ in spans}]
    for number, name in enumerate(names):
        axis.broken_barh([(float(start), float(length)) for unit, start, length in spans if unit == name], (number - 0.4, 0.8),
                         color=style.CYCLE[units.index(name)])
    axis.set_yticks(range(len(names)), names)
    axis.invert_yaxis()
    axis.set(xlabel="time (us)", title=title)


def ablation(n):
    """What the mechanism does, with it and without it in the model: (what, with, without)."""
    return [("largest gain of two buffers (%), with flags and with barriers", n["most_gain"], n["ablation_most"])]


def draw(table):
    from reports import style

    figure, axes = style.panels(6)
    slots = gains(table[table.part == "slots"])
    for number, (kernel, line) in enumerate(slots.iterrows()):
        axes[0].plot(SLOTS, [line[s] for s in SLOTS], marker=style.MARKERS[number], color=style.CYCLE[number], label=kernel)
    axes[0].set(xlabel="slots of each buffer", ylabel="speed over one slot", xticks=SLOTS, title="all cores")
    axes[0].set_ylim(0.9, 1.1 + 1.35 * (slots.max().max() - 1))
    axes[0].legend(loc="upper right")
    barriers, one = gains(table[table.part == "ablation"]), gains(table[table.part == "one core"])
    names = list(slots.index)
    style.bars(axes[1], [name.replace(" ", "\n", 1) for name in names], {"flags": slots[2], "barriers (ablation)": barriers[2].reindex(names)})
    axes[1].set(ylabel="speed of two slots over one", title="two slots, with and without overlap", ylim=(0, 1.3 * slots[2].max()))
    axes[1].tick_params(axis="x", labelsize=5)
    axes[1].legend()
    scopes = table[table.part == "scopes"]
    style.bars(axes[2], ["none", "L1", "L0", "both"], {"time": scopes.time_us})
    axes[2].set(ylabel="task time (us)", xlabel="scopes with a second slot", title="matmul 128x256x64, by scope")
    style.bars(axes[3], [name.split(" ")[0] for name in one.index], {"one core": one[2], "all cores": slots[2].reindex(one.index)})
    axes[3].set(ylabel="speed of two slots over one", title="vector kernels", ylim=(0, 1.35 * one[2].max()))
    axes[3].legend(loc="upper left")
    strips = table[table.part == "strip"].set_index("slots").strip
    strip(axes[4], strips[1], "AIC0, one slot", style)
    strip(axes[5], strips[2], "AIC0, two slots", style)
    return figure
