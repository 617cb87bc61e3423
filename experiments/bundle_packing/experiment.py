"""What do bundles gain, and what the depth of the command queues?

Kernels compiled with bundles and with one word a bundle, from scalar-bound ones (little work a command) to a matmul in large tiles;
the same over the depth of the queues. The ablation makes every transfer start 10000 cycles late, so that no kernel waits for its sequencer.
"""

from dataclasses import replace

from experiments.runner import micro, workloads
from experiments.runner.counters import basic, stalls

NAME = "bundle_packing"
TITLE = "Bundle packing and queue depth"
QUESTION = "What does packing words into bundles gain in scalar-bound and in unit-bound kernels, and how deep must the queues be?"
CLAIMS = (7,)

DEPTHS = (1, 2, 4, 8, 16, 32)
LATE = ("-D", "dma.startup_cycles=10000")
QUEUED = ("matmul 64x64x32", "matmul 128x256x256")


def kernels(quick):
    tokens, rows, side = (256, 192, 1024) if quick else (2048, 2048, 4096)
    return {
        "rope": lambda labels, **m: workloads.rope(labels, tokens, **m),
        "add by scalars": lambda labels, **m: scalar_add(labels, 64 * rows, **m),
        "softmax 8x1024": lambda labels, **m: workloads.softmax(labels, 4 * rows, **m),
        "matmul 64x64x32": lambda labels, **m: workloads.small_matmul(labels, side, side, 512, **m),
        "matmul 128x256x64": lambda labels, **m: workloads.matmul(labels, side, 2 * side, 512, "128x256x64", **m),
        "matmul 128x256x256": lambda labels, **m: workloads.matmul(labels, side, 2 * side, 512, "128x256x256", **m),
    }


def scalar_add(labels, elements, options=(), run=()):
    """fp16 addition by scalar instructions, element by element through UB: nothing but the sequencer works."""
    case = micro("vadd", labels, "aiv", [(name, "f16", (elements,)) for name in "xyz"], {"n": elements, "tile": 256},
                 ("BUFFERS=2", "SCALARS"), (*run,))
    return replace(case, compile_options=(*case.compile_options, *options), run_options=tuple(o for o in case.run_options if o != "--timing-only"),
                   launch={**case.launch, "args": [{**a, "init": "zeros"} if a["name"] in "xy" else a for a in case.launch["args"]]})


def cases(quick=True):
    points = []
    for name, make in kernels(quick).items():
        for late in ("no", "yes"):
            for pack in ("off", "on"):
                labels = {"part": "packing", "kernel": name, "pack": pack, "queue_depth": 32, "late_transfers": late}
                points.append(make(labels, options=[f"--pack={pack}"], run=LATE if late == "yes" else ()))
    for name in QUEUED:
        for depth in DEPTHS:
            labels = {"part": "depth", "kernel": name, "pack": "on", "queue_depth": depth, "late_transfers": "no"}
            points.append(kernels(quick)[name](labels, run=["-D", f"core.aic.queue_depth={depth}"]))
    return points


def row(case, summary):
    occupancy = summary["occupancy"]
    used = [core for core in summary["cores"] if core["bundles"] > 0]
    issue = sum(core["bundles"] for core in used) / max(sum(core["end"] - core["start"] for core in used), 1)
    return {**case.labels, **basic(summary), "words": occupancy["words"], "bundles": occupancy["bundles"],
            "words_per_bundle": occupancy["words_per_bundle"], "issue_ratio": issue, "queue_full_ratio": stalls(summary, "queue full"),
            "scalar_latency_ratio": stalls(summary, "scalar latency"), "icache_ratio": stalls(summary, "instruction cache"),
            "dcache_ratio": stalls(summary, "data cache")}


def gains(table, late):
    """Gain in time (%) of packing, by kernel."""
    part = table[(table.part == "packing") & (table.late_transfers == late)]
    times = part.pivot_table(index="kernel", columns="pack", values="time_us", sort=False)
    return 100 * (times["off"] / times["on"] - 1)


def numbers(table):
    gain, late = gains(table, "no"), gains(table, "yes")
    packed = table[(table.part == "packing") & (table.late_transfers == "no") & (table.pack == "on")].set_index("kernel")
    plain = table[(table.part == "packing") & (table.late_transfers == "no") & (table.pack == "off")].set_index("kernel")
    depth = table[table.part == "depth"].pivot_table(index="kernel", columns="queue_depth", values="time_us", sort=False)
    enough = {kernel: int(next(d for d in DEPTHS if line[d] <= 1.01 * line[32])) for kernel, line in depth.iterrows()}
    return {
        "gain": gain.to_dict(), "most": gain.idxmax(), "most_gain": gain.max(), "least": gain.idxmin(), "least_gain": gain.min(),
        "words": packed.words_per_bundle.to_dict(), "bundle_saving": 100 * (1 - packed.bundles.sum() / plain.bundles.sum()),
        "most_issue": 100 * plain.issue_ratio[gain.idxmax()], "least_issue": 100 * plain.issue_ratio[gain.idxmin()],
        "most_icache": 100 * (plain.icache_ratio[gain.idxmax()] + plain.dcache_ratio[gain.idxmax()]),
        "late_gain": late.to_dict(), "late_most": late.abs().max(), "late_of_most": late[gain.idxmax()],
        "depth_enough": enough, "depth_one": {kernel: line[1] / line[32] for kernel, line in depth.iterrows()},
    }


def listing(values, form="{:+.1f} %"):
    return ", ".join(f"{name} {form.format(value)}" for name, value in values.items())


def findings(n):
    verdict = ("the gain exists only where the sequencer is what is waited for." if n["late_of_most"] < 0.5 * n["most_gain"] else
               "part of the gain is not the sequencer.")
    return [
        f"Packing makes the kernels faster by: {listing(n['gain'])}. It saves {n['bundle_saving']:.0f} % of all bundles; words a bundle: {listing(n['words'], '{:.2f}')}.",
        f"{n['most']} gains most ({n['most_gain']:.1f} %): without bundles its sequencers issue in {n['most_issue']:.0f} % of the cycles and wait for caches in "
        f"{n['most_icache']:.0f} %; {n['least']} gains least ({n['least_gain']:+.1f} %): it issues in {n['least_issue']:.0f} %.",
        f"Queue depth: one entry instead of 32 makes {listing(n['depth_one'], '{:.2f} times as slow')}; within 1 % of 32 entries are {listing(n['depth_enough'], '{} entries')}.",
        f"Ablation: when every transfer starts 10000 cycles late, so that nobody waits for a sequencer, packing gains {listing(n['late_gain'])}: {verdict}",
    ]


def ablation(n):
    """What the mechanism does, with it and without it in the model: (what, with, without)."""
    return [("largest gain of packing (%), as it is and with late transfers", n["most_gain"], n["late_of_most"])]


def draw(table):
    from reports import style

    figure, axes = style.panels(3)
    gain, late = gains(table, "no"), gains(table, "yes")
    names = [name.replace(" ", "\n", 1) for name in gain.index]
    style.bars(axes[0], names, {"as it is": gain, "late transfers (ablation)": late})
    axes[0].set(ylabel="gain of packing (% of time)", title="bundles against one word a bundle")
    axes[0].tick_params(axis="x", labelsize=5)
    axes[0].legend()
    packed = table[(table.part == "packing") & (table.late_transfers == "no")]
    style.bars(axes[1], names, {f"pack {pack}": part.set_index("kernel").words_per_bundle for pack, part in packed.groupby("pack")})
    axes[1].set(ylabel="words a bundle")
    axes[1].tick_params(axis="x", labelsize=5)
    axes[1].set_ylim(0, 1.3 * packed.words_per_bundle.max())
    axes[1].legend(loc="upper left")
    depth = table[table.part == "depth"]
    depth = depth.assign(relative=depth.time_us / depth.groupby("kernel").time_us.transform("last"))
    style.lines(axes[2], depth, "queue_depth", "relative", "kernel")
    axes[2].set(xlabel="entries of each unit's queue", ylabel="time over 32 entries", xscale="log", title="queue depth")
    style.ticks(axes[2], DEPTHS)
    axes[2].legend()
    return figure
