"""What do bank conflicts in the unified buffer cost, and what cures them?

One vector instruction over and over with its operands at chosen places of UB: the published kinds of layout, a sweep of the distance at
which the blocks of a repeat are written, and a change of layout (rows to fractals) with and without one block of padding. A copy of the
chip whose bank groups serve any number of rows in a cycle is the ablation.
"""

from experiments.runner import micro

NAME = "ub_banks"
TITLE = "Bank conflicts in the unified buffer"
QUESTION = "What do conflicts of operands in UB's banks cost, by layout and by stride, and does padding cure them?"
CLAIMS = (4,)

REPEATS, ITERATIONS = 64, 200
# name: addresses of src0, src1, dst; block and repeat strides of src1 where they are not 1 and 8.
LAYOUTS = {
    "no conflict": (0x0, 0x10100, 0x20000),
    "sources in one bank": (0x0, 0x4000, 0x10000),
    "sources in one group": (0x0, 0x10000, 0x20100),
    "source and result in one bank": (0x0, 0x10100, 0x4020),
    "the same, rows aligned": (0x0, 0x10100, 0x4000),
    "one source twice": (0x0, 0x0, 0x10100),
    "result over a source": (0x0, 0x10100, 0x10100),
    "source 1 one block for all": (0x0, 0x10100, 0x20000, 0, 0),
}
STRIDES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 32, 33)
FREE = ("-D", "ub.reads_per_group=64", "-D", "ub.writes_per_group=64")


def strides(dst=(1, 8), src0=(1, 8), src1=(1, 8)):
    """The configuration word of a vector command: block strides, repeat strides, repeats."""
    blocks = dst[0] | src0[0] << 8 | src1[0] << 16
    return blocks | dst[1] << 24 | src0[1] << 32 | src1[1] << 40 | REPEATS << 48


def instruction(labels, operation, kind, word, dst, src0, src1=0, free="no"):
    labels = {**labels, "banks_free": free}
    return micro("vector_loop", labels, "aiv", (),
                 {"iterations": ITERATIONS, "dst": dst, "src0": src0, "src1": src1, "strides": word},
                 (f"OP={operation}", f"KIND={kind}", "DTYPE=__dl_f32"), FREE if free == "yes" else (), cores=1)


def relayout(rows, columns, write_stride, free="no"):
    """Rows to fractals in UB: blocks of a row are written `write_stride` blocks apart."""
    labels = {"part": "padding", "layout": f"{rows} x {columns}", "stride": write_stride, "banks_free": free}
    return micro("nd2nz_ub", labels, "aiv", (("x", "f16", (rows, columns)), ("y", "f16", (rows, columns))),
                 {"rows": rows, "columns": columns, "tile_rows": 144, "write_stride": write_stride}, (), FREE if free == "yes" else ())


def cases(quick=True):
    points = []
    for free in ("no", "yes"):
        for name, (src0, src1, dst, *extra) in LAYOUTS.items():
            points.append(instruction({"part": "layouts", "layout": name, "stride": 1}, "add", 2,
                                      strides(src1=tuple(extra) or (1, 8)), dst, src0, src1, free))
        for stride in STRIDES if quick else range(1, 49):
            points.append(instruction({"part": "strides", "layout": "copy", "stride": stride}, "copy", 1,
                                      strides(dst=(stride, 1)), 0x10100, 0x0, 0, free))
        side = 2304 if quick else 8192
        points += [relayout(side, side - side % 128, stride, free) for stride in (144, 145)]
    return points


def row(case, summary):
    vector = [core["units"]["V"] for core in summary["cores"] if "V" in core["units"]]
    busy = sum(unit["busy"] for unit in vector)
    repeats = REPEATS * ITERATIONS if case.labels["part"] != "padding" else 0
    return {**case.labels, "time_us": summary["time_us"], "vector_busy_cycles": busy,
            "cycles_per_repeat": busy / repeats if repeats else 0.0,
            "vector_us": busy / max(len(vector), 1) / summary["clock_mhz"]}


def numbers(table):
    as_is, free = table[table.banks_free == "no"], table[table.banks_free == "yes"]

    def layouts(part):
        return part[part.part == "layouts"].set_index("layout").cycles_per_repeat

    def by_stride(part):
        return part[part.part == "strides"].set_index("stride").cycles_per_repeat

    def padding(part):
        return part[part.part == "padding"].set_index("stride")

    cost, base = layouts(as_is), layouts(as_is)["no conflict"]
    copies, padded, padded_free = by_stride(as_is), padding(as_is), padding(free)
    slow = copies[copies > 1.5 * copies.min()]
    return {
        "base": base, "worst": cost.idxmax(), "worst_factor": cost.max() / base, "one_bank_factor": cost["sources in one bank"] / base,
        "read_write_factor": cost["source and result in one bank"] / base, "aligned_factor": cost["the same, rows aligned"] / base,
        "stride_worst": int(copies.idxmax()), "stride_factor": copies.max() / copies.min(),
        "slow_strides": [int(stride) for stride in slow.index], "stride_9_factor": copies[9] / copies.min(),
        "stride_16_factor": copies[16] / copies.min(), "stride_17_factor": copies[17] / copies.min(),
        "padding_vector_factor": padded.vector_us[144] / padded.vector_us[145], "padding_task_factor": padded.time_us[144] / padded.time_us[145],
        "free_one_bank_factor": layouts(free)["sources in one bank"] / layouts(free)["no conflict"],
        "free_worst_factor": layouts(free).max() / layouts(free)["no conflict"], "free_stride_factor": by_stride(free).max() / by_stride(free).min(),
        "free_padding_factor": padded_free.vector_us[144] / padded_free.vector_us[145],
    }


def findings(n):
    strides_ = ", ".join(map(str, n["slow_strides"]))
    cure = ": one block of padding is the cure" if n["stride_17_factor"] < 0.5 * n["stride_16_factor"] else ""
    return [
        f"An addition without conflicts takes {n['base']:.2f} cycles a repeat of 256 bytes; with both sources in one bank it takes {n['one_bank_factor']:.2f} times as long, "
        f"with source and result in one bank {n['read_write_factor']:.2f} times, and {n['aligned_factor']:.2f} times when their rows are aligned. The worst of the layouts is "
        f"\"{n['worst']}\" ({n['worst_factor']:.2f}).",
        f"A copy that writes its blocks apart is up to {n['stride_factor']:.1f} times slower (stride {n['stride_worst']}); slow strides: {strides_ or 'none'}. "
        f"Stride 16 costs a factor of {n['stride_16_factor']:.1f}, stride 17 one of {n['stride_17_factor']:.1f}{cure}.",
        f"In the change of layout from rows to fractals one block of padding (145 instead of 144) makes the vector unit's time {n['padding_vector_factor']:.2f} times shorter "
        f"and the task {n['padding_task_factor']:.2f} times: the rest of the task is transfers.",
        f"Ablation: when a bank group serves any number of rows in a cycle, the strides differ by a factor of {n['free_stride_factor']:.2f}, padding gains {n['free_padding_factor']:.2f} "
        f"in vector time and the layouts differ by {n['free_worst_factor']:.2f} (what is left is source and result in one bank, which bank groups do not decide).",
    ]


def ablation(n):
    """What the mechanism does, with it and without it in the model: (what, with, without)."""
    return [("cost of the worst stride", n["stride_factor"] - 1, n["free_stride_factor"] - 1),
            ("vector time gained by padding", n["padding_vector_factor"] - 1, n["free_padding_factor"] - 1),
            ("cost of sources in one bank", n["one_bank_factor"] - 1, n["free_one_bank_factor"] - 1)]


def draw(table):
    from reports import style

    figure, axes = style.panels(3)
    parts = {"as it is": table[table.banks_free == "no"], "groups serve all rows": table[table.banks_free == "yes"]}
    layouts = {label: part[part.part == "layouts"] for label, part in parts.items()}
    names = list(layouts["as it is"].layout)
    for number, (label, part) in enumerate(layouts.items()):
        axes[0].barh([i + 0.2 - 0.4 * number for i in range(len(names))], part.cycles_per_repeat, 0.38, label=label,
                     color=style.CYCLE[number])
    axes[0].set_yticks(range(len(names)), names, fontsize=6)
    axes[0].invert_yaxis()
    axes[0].set(xlabel="cycles a repeat", title="f32 addition by layout", xlim=(0, 1.6 * layouts["as it is"].cycles_per_repeat.max()))
    axes[0].legend(loc="lower right")
    for number, (label, part) in enumerate(parts.items()):
        copies = part[part.part == "strides"]
        axes[1].plot(copies.stride, copies.cycles_per_repeat, marker=style.MARKERS[number], color=style.CYCLE[number], label=label)
    axes[1].set(xlabel="distance of the written blocks (32 B)", ylabel="cycles a repeat", title="f32 copy by write stride")
    axes[1].set_ylim(top=1.3 * axes[1].get_ylim()[1])
    axes[1].legend(loc="upper left")
    padding = {label: part[part.part == "padding"].sort_values("stride").vector_us for label, part in parts.items()}
    style.bars(axes[2], ["144 blocks", "145 (padded)"], padding)
    axes[2].set(ylabel="vector unit (us, mean of cores)", title="rows to fractals")
    axes[2].set_ylim(0, 1.3 * max(map(max, padding.values())))
    axes[2].legend()
    return figure
