"""Where does each kernel turn from compute-bound to memory-bound?

Matmul, softmax and vector addition over the number of cores, the bandwidth of HBM and the size of the L2; all points on a roofline.
A chip with eight times the HBM bandwidth is the ablation: the ceiling that the memory-bound kernel meets is gone.
"""

from experiments.runner import workloads
from experiments.runner.counters import basic

NAME = "scaling"
TITLE = "Scaling and rooflines"
QUESTION = "How do kernels scale from 1 to 24 cores, and where do they turn from compute-bound to memory-bound?"
CLAIMS = (1,)

HBM = 13.84  # bytes a cycle and channel of the chip file
CORES = (1, 2, 4, 8, 12, 16, 20, 24)
# Work of an element, and the vector unit's rate are only used to place vector kernels on the roofline by bytes; cubes by MACs.
PEAK_TFLOPS, PEAK_TBS = 2 * 4096 * 24 * 1.85e9 / 1e12, 1.6384


ROUND = [digit * power for power in (1, 10, 100, 1000) for digit in (1, 2, 5)]


def kernels(quick):
    m, k, n = (1536, 512, 4 << 20) if quick else (4096, 4096, 16 << 20)
    return {
        "matmul 128x256x256": lambda labels, **more: workloads.matmul(labels, m, 2 * m, k, **more),
        "softmax 8x1024": lambda labels, **more: workloads.softmax(labels, n >> 10, **more),
        "vector add 16384": lambda labels, **more: workloads.vector_add(labels, 4 * n, **more),
    }


def used(kernel, cores):
    """Cores of the kernel's kind when so many of the 24 clusters are used."""
    return cores if kernel.startswith("matmul") else 2 * cores


def cases(quick=True):
    points = []
    for kernel, make in kernels(quick).items():
        for cores in CORES if not quick else (1, 4, 8, 16, 24):
            for factor in (1, 8):
                labels = {"part": "cores", "kernel": kernel, "clusters": cores, "hbm_factor": factor, "l2_MiB": 192}
                run = [f"--cores={used(kernel, cores)}"] + (["-D", f"hbm.channel_bytes={HBM * factor}"] if factor != 1 else [])
                points.append(make(labels, run=run))
        for factor in (0.125, 0.25, 0.5, 2):
            labels = {"part": "hbm", "kernel": kernel, "clusters": 24, "hbm_factor": factor, "l2_MiB": 192}
            points.append(make(labels, run=["-D", f"hbm.channel_bytes={HBM * factor}"]))
    for sets in (8, 16, 32, 64):
        labels = {"part": "l2", "kernel": "matmul 128x256x256", "clusters": 24, "hbm_factor": 1, "l2_MiB": 192 * sets // 512}
        points.append(kernels(quick)["matmul 128x256x256"](labels, run=["-D", f"l2.sets={sets}"]))
    return points


def row(case, summary):
    moved = summary["hbm"]["read_bytes"] + sum(core["gm"].get("write_bytes", 0) for core in summary["cores"])
    outputs = sum(2 * extent(a["shape"]) for a in case.launch["args"] if a.get("output"))
    seconds = summary["time_us"] * 1e-6
    moved = max(moved, summary["hbm"]["read_bytes"] + outputs)
    return {**case.labels, **basic(summary), "moved_MB": moved / 1e6, "tflops": 2 * summary["macs"] / seconds / 1e12,
            "moved_GBs": moved / seconds / 1e9, "flop_per_byte": 2 * summary["macs"] / max(moved, 1)}


def extent(shape):
    product = 1
    for size in shape:
        product *= size
    return product


def speedups(table, factor):
    """Speed over one cluster: rows kernels, columns clusters."""
    part = table[(table.part == "cores") & (table.hbm_factor == factor)]
    times = part.pivot_table(index="kernel", columns="clusters", values="time_us", sort=False)
    return times[[1]].values / times


def numbers(table):
    speed, wide = speedups(table, 1), speedups(table, 8)
    most = max(speed.columns)
    full = table[(table.part == "cores") & (table.hbm_factor == 1) & (table.clusters == most)].set_index("kernel")
    slow = table[(table.part == "hbm") & (table.hbm_factor == 0.125)].set_index("kernel")
    wide_full = table[(table.part == "cores") & (table.hbm_factor == 8) & (table.clusters == most)].set_index("kernel")
    l2 = table[table.part == "l2"].set_index("l2_MiB")
    matmul, add = "matmul 128x256x256", "vector add 16384"
    knee = {kernel: int(max((c for c in speed.columns if line[c] >= 0.75 * c), default=1)) for kernel, line in speed.iterrows()}
    return {
        "clusters": int(most), "speedup": speed[most].to_dict(), "wide_speedup": wide[most].to_dict(), "knee": knee,
        "add_GBs": full.moved_GBs[add], "add_share": 100 * full.moved_GBs[add] / (1000 * PEAK_TBS), "matmul_tflops": full.tflops[matmul],
        "matmul_share": 100 * full.tflops[matmul] / PEAK_TFLOPS, "matmul_intensity": full.flop_per_byte[matmul],
        "ridge": PEAK_TFLOPS / PEAK_TBS, "wide_gain": {k: 100 * (full.time_us[k] / wide_full.time_us[k] - 1) for k in full.index},
        "slow_loss": {k: slow.time_us[k] / full.time_us[k] for k in full.index},
        "add_wide_gain": 100 * (full.time_us[add] / wide_full.time_us[add] - 1), "matmul_wide_gain": 100 * (full.time_us[matmul] / wide_full.time_us[matmul] - 1),
        "l2_smallest": int(l2.index.min()), "l2_loss": l2.time_us[l2.index.min()] / full.time_us[matmul], "l2_hit": 100 * l2.l2_read_hit_ratio[l2.index.min()],
    }


def listing(values, form):
    return ", ".join(f"{name} {form.format(value)}" for name, value in values.items())


def findings(n):
    side = "right" if n["matmul_intensity"] > n["ridge"] else "left"
    return [
        f"{n['clusters']} clusters are faster than one by: {listing(n['speedup'], '{:.1f} x')}. Three quarters of linear speed are kept up to: {listing(n['knee'], '{} clusters')}.",
        f"On the roofline the matmul ({n['matmul_intensity']:.0f} flop a byte) stands to the {side} of the ridge at {n['ridge']:.0f}: {n['matmul_tflops']:.0f} TFLOP/s, {n['matmul_share']:.0f} % of the "
        f"peak. The addition moves {n['add_GBs']:.0f} GB/s, {n['add_share']:.0f} % of HBM's peak (reads from HBM, and results, which may stay in the L2).",
        f"With an eighth of the bandwidth of HBM the kernels take {listing(n['slow_loss'], '{:.2f} times as long')}.",
        f"Ablation: with eight times the bandwidth the kernels gain {listing(n['wide_gain'], '{:+.1f} %')}, and {n['clusters']} clusters are faster than one by "
        f"{listing(n['wide_speedup'], '{:.1f} x')}.",
        f"With an L2 of {n['l2_smallest']} MiB the matmul takes {n['l2_loss']:.2f} times as long ({n['l2_hit']:.0f} % read hits).",
    ]


def ablation(n):
    """What the mechanism does, with it and without it in the model: (what, with, without)."""
    add = "vector add 16384"
    return [("speed-up of the addition that is missing to linear, with HBM as it is and eight times as wide",
             n["clusters"] - n["speedup"][add], n["clusters"] - n["wide_speedup"][add])]


def draw(table):
    from reports import style

    figure, axes = style.panels(4, columns=2)
    for number, (factor, mark) in enumerate(((1, "-"), (8, ":"))):
        for colour, (kernel, line) in zip(style.CYCLE, speedups(table, factor).iterrows()):
            axes[0].plot(line.index, line.values, mark, color=colour, marker=style.MARKERS[number],
                         label=kernel if factor == 1 else f"{kernel.split(' 1')[0]}, HBM x 8")
    axes[0].plot((1, 24), (1, 24), color=style.GREY, linewidth=0.7, label="linear")
    axes[0].set(xlabel="clusters (1 AIC + 2 AIV)", ylabel="speed over one cluster", title="scaling")
    axes[0].legend(fontsize=5.5)
    hbm = table[(table.part == "hbm") | ((table.part == "cores") & (table.clusters == 24) & (table.hbm_factor == 1))]
    style.lines(axes[1], hbm, "hbm_factor", "time_us", "kernel")
    axes[1].set(xlabel="HBM bandwidth over the 910B1's", ylabel="task time (us)", xscale="log", yscale="log", title="24 clusters")
    style.ticks(axes[1], sorted(set(hbm.hbm_factor)))
    style.ticks(axes[1], ROUND, "y")
    axes[1].legend()
    matmul = table[table.kernel.str.startswith("matmul")]
    x = [10, PEAK_TFLOPS / PEAK_TBS, 10000]
    axes[2].plot(x, [min(PEAK_TFLOPS, PEAK_TBS * v) for v in x], color=style.GREY, label="910B1 roofline")
    for number, (part, group) in enumerate(matmul[matmul.hbm_factor == 1].groupby("part", sort=False)):
        axes[2].plot(group.flop_per_byte, group.tflops, style.MARKERS[number], color=style.CYCLE[number], label=f"matmul, by {'L2 size' if part == 'l2' else part}")
    axes[2].set(xscale="log", yscale="log", xlabel="flop a byte moved to or from HBM", ylabel="TFLOP/s", title="roofline")
    style.ticks(axes[2], ROUND, "y")
    axes[2].legend()
    l2 = table[table.part == "l2"]
    axes[3].plot(l2.l2_MiB, 100 * l2.l2_read_hit_ratio, marker="o", color=style.BLUE)
    axes[3].set(xlabel="L2 size (MiB)", ylabel="L2 read hit ratio (%)", title="matmul, 24 clusters", xscale="log")
    style.ticks(axes[3], list(l2.l2_MiB))
    return figure
