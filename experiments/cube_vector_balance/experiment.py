"""What do the vector cores beside a cube core gain, does it help when both of them share the rows of a tile, and how deep should the two
kinds of cores be pipelined?

Matmul + GELU at several K (the longer K, the less vector work beside the products), the fused up-projection of an expert (two
products, SiLU, product) and attention, with one vector core a cube core, two of which only one works, and two that share rows.
The mechanism is vector work on the critical path: with a vector unit that costs nothing (the ablation) a second vector core gains nothing. One
that does not work is no measure of that: it loads the tile too, which sharing rows halves whatever the vector unit costs. Attention, whose tiles
go from the cube to the vector cores and back, also runs at each depth of the pipeline between them.
"""

from experiments.device import cases as launches
from experiments.runner import workloads
from experiments.runner.counters import basic, stalls

NAME = "cube_vector_balance"
TITLE = "Cube and vector cores: ratio, binding and pipelining"
QUESTION = ("How much of a fused kernel's time do one or two vector cores beside each cube core decide, what does sharing rows between the two gain, and "
            "how many tiles should be on their way between cube and vector cores?")
CLAIMS = (2, 3)

ONE = ("-D", "core.aiv.per_cluster=1")
FREE_VECTOR = ("-D", "vector.op.*.startup_cycles=0", "-D", "vector.op.*.cycles16=0.01", "-D", "vector.op.*.cycles32=0.01", "-D", "vector.isolated_cycles=0",
               "-D", "ub.conflicts=false")
FREE_FLAGS = ("-D", "sync.cross_core_cycles=0")
# Name of a variant -> words for dlc and for dlsim.
VARIANTS = {"1:1": (["--bind-sub-cores=off"], ONE), "1:2, one works": (["--bind-sub-cores=off"], ()), "1:2, rows shared": ([], ())}
DEPTHS = (1, 2, 3, 4)  # 0 in the table: as the compiler chooses


def kernels(quick):
    """Name of a kernel -> function of the labels that gives its point."""
    m, n, length = (1536, 1024, 1024) if quick else (6144, 4096, 4096)

    def gelu(k):
        return lambda labels, **more: workloads.device(labels, launches.matmul_gelu(m, n, k), **more)

    def expert(k):
        return lambda labels, **more: workloads.device(labels, launches.moe_up((m // 4,) * 8, n, k, 24), **more)

    # A tile of 128 rows of head 128 leaves one vector core no room for all of its rows.
    def attention(head):
        return lambda labels, **more: workloads.device(labels, launches.attention(12, length, head, 128 if head == 64 else 64, 128, False), **more)

    return {**{f"matmul + GELU, K {k}": gelu(k) for k in (64, 128, 512, 2048)}, **{f"MoE expert, K {k}": expert(k) for k in (256, 1024)},
            **{f"attention d{head}": attention(head) for head in (64, 128)}}


def cases(quick=True):
    points = []
    for name, make in kernels(quick).items():
        for variant, (options, run) in VARIANTS.items():
            for free in ("no", "yes"):
                labels = {"part": "ratio", "kernel": name, "vector_cores": variant, "free_vector": free, "free_flags": "no", "depth": 0}
                points.append(make(labels, options=options, run=(*run, *(FREE_VECTOR if free == "yes" else ()))))
        labels = {"part": "flags", "kernel": name, "vector_cores": "1:2, rows shared", "free_vector": "no", "free_flags": "yes", "depth": 0}
        points.append(make(labels, run=FREE_FLAGS))
    for name, make in kernels(quick).items():
        if name.startswith("attention"):
            for depth in DEPTHS:
                labels = {"part": "depth", "kernel": name, "vector_cores": "1:2, rows shared", "free_vector": "no", "free_flags": "no", "depth": depth}
                points.append(make(labels, options=[f"--cv-pipeline={depth}"]))
    return points


def useful(summary, variant):
    """Share of the vector cores' time in which V does work that no other core does too."""
    cores = [core for core in summary["cores"] if core["core"].startswith("AIV")]
    working = cores if variant != "1:2, one works" else cores[::2]
    return sum(core["units"]["V"]["busy"] for core in working) / sum(core["end"] - core["start"] for core in cores)


def row(case, summary):
    return {**case.labels, **basic(summary), "aiv_v_useful": useful(summary, case.labels["vector_cores"]),
            "aic_flag_stall": stalls(summary, "cross-core flag", "AIC"), "bound_by": summary["bound_by"].split(":")[0]}


def times(table, free):
    """Time of each variant: rows kernels, columns variants."""
    part = table[(table.part == "ratio") & (table.free_vector == free)]
    return part.pivot_table(index="kernel", columns="vector_cores", values="time_us", sort=False)


def times_of_depths(table):
    """Rows kernels, columns depths of the pipeline."""
    return table[table.part == "depth"].pivot_table(index="kernel", columns="depth", values="time_us", sort=False)


def numbers(table):
    real, free = times(table, "no"), times(table, "yes")
    one, unbound, bound = VARIANTS
    part = table[(table.part == "ratio") & (table.free_vector == "no")].set_index(["kernel", "vector_cores"])
    flags = table[table.part == "flags"].set_index("kernel").time_us
    binding = 100 * (real[unbound] / real[bound] - 1)
    second = 100 * (real[one] / real[bound] - 1)
    free_binding = 100 * (free[unbound] / free[bound] - 1)
    free_second = 100 * (free[one] / free[bound] - 1)
    most, most_second = binding.idxmax(), second.idxmax()
    depths = times_of_depths(table)
    return {
        "binding": binding.to_dict(), "second": second.to_dict(), "most": most, "most_gain": binding[most], "least": binding.idxmin(), "least_gain": binding.min(),
        "idle_cost": (100 * (real[unbound] / real[one] - 1)).abs().max(),
        "useful_before": {kernel: 100 * part.aiv_v_useful[kernel, unbound] for kernel in real.index},
        "useful_after": {kernel: 100 * part.aiv_v_useful[kernel, bound] for kernel in real.index},
        "cube": {kernel: 100 * part.aic_m_busy[kernel, bound] for kernel in real.index},
        "most_mte2": 100 * part.aic_mte2_busy[binding.idxmin(), bound],
        "vector_cost": (100 * (real[bound] / free[bound] - 1)).to_dict(), "free_binding": free_binding.to_dict(),
        "most_second": most_second, "second_gain": second[most_second], "free_second": free_second.to_dict(), "free_second_gain": free_second[most_second],
        "flag_cost": (100 * (real[bound] / flags - 1)).to_dict(),
        "depth_gain": {kernel: {depth: 100 * (line[1] / line[depth] - 1) for depth in DEPTHS[1:]} for kernel, line in depths.iterrows()},
    }


def span(values, form="{:+.1f} %"):
    """From the least to the most, and which those are."""
    least, most = min(values, key=values.get), max(values, key=values.get)
    return f"{form.format(values[least])} ({least}) to {form.format(values[most])} ({most})"


def findings(n):
    reach = max(n["useful_after"].values())
    verdict = "the largest gain is vector work that the cube waits for" if abs(n["free_second_gain"]) < 0.5 * n["second_gain"] else "part of the gain is not vector work"
    return [
        f"Sharing the rows of a tile between both vector cores of a group makes the kernels faster by {span(n['binding'])}; the cube core's MTE2 is "
        f"{n['most_mte2']:.0f} % busy where it gains least.",
        f"Claim 2 (binding raises vector utilisation from 70 to 95 %): useful work fills {span(n['useful_before'], '{:.0f} %')} of the vector cores' time with one of "
        f"two working, {span(n['useful_after'], '{:.0f} %')} with rows shared: the direction is right, {'the height is reached' if reach >= 95 else 'the height is not reached'} "
        f"(at most {reach:.0f} %); the cube is busy for {span(n['cube'], '{:.0f} %')}.",
        f"A second vector core a cube core, with rows shared, against one: {span(n['second'])}. Where the second one only keeps its flags in step, the time differs by up to "
        f"{n['idle_cost']:.1f} % from that of one: both load the tile.",
        f"Vector work on the critical path costs {span(n['vector_cost'])}: so much slower than with a vector unit that costs nothing. Flags between cores cost "
        f"{span(n['flag_cost'])}.",
        *(f"{kernel}: a pipeline of {', '.join(str(d) for d in DEPTHS[1:])} tiles between cube and vector cores gains "
          f"{', '.join(f'{gain:+.1f} %' for gain in gains.values())} over one tile at a time." for kernel, gains in n["depth_gain"].items()),
        f"Ablation: with a vector unit that costs nothing a second core that shares rows gains {n['free_second_gain']:+.1f} % instead of {n['second_gain']:+.1f} % in "
        f"{n['most_second']}, and {span(n['free_second'])} over all: {verdict}. Against a second core that only loads, it is {span(n['free_binding'])}: the tile that both "
        f"load.",
    ]


def ablation(n):
    """What the mechanism does, with it and without it in the model: (what, with, without)."""
    return [("largest gain of a second vector core (%), as it is and with a vector unit that costs nothing", n["second_gain"], n["free_second_gain"])]


def draw(table):
    from reports import style

    figure, axes = style.panels(5, columns=2, width=1.25)
    real, free = times(table, "no"), times(table, "yes")
    names = [name.replace("matmul + ", "") for name in real.index]
    _, unbound, bound = VARIANTS
    style.bars(axes[0], names, {variant: real[variant] / real[bound] for variant in VARIANTS})
    axes[0].set(ylabel="task time over rows shared", title="vector cores a cube core")
    style.bars(axes[1], names, {"as it is": 100 * (real[unbound] / real[bound] - 1), "free vector unit (ablation)": 100 * (free[unbound] / free[bound] - 1)})
    axes[1].set(ylabel="gain of sharing rows (% of time)", title="sharing rows between two vector cores")
    part = table[(table.part == "ratio") & (table.free_vector == "no")].set_index(["kernel", "vector_cores"])
    style.bars(axes[2], names, {"V, one works": [100 * part.aiv_v_useful[k, unbound] for k in real.index], "V, rows shared": [100 * part.aiv_v_useful[k, bound] for k in real.index],
                                "cube, rows shared": [100 * part.aic_m_busy[k, bound] for k in real.index]})
    axes[2].set(ylabel="useful busy ratio (%)", title="what the units do")
    flags = table[table.part == "flags"].set_index("kernel").time_us.reindex(real.index)
    style.bars(axes[3], names, {"vector work": 100 * (real[bound] / free[bound] - 1), "flags between cores": 100 * (real[bound] / flags - 1)})
    axes[3].set(ylabel="cost (% of time without it)", title="on the critical path")
    depths = times_of_depths(table)
    style.bars(axes[4], list(depths.index), {f"{depth} on their way": 100 * (depths[1] / depths[depth] - 1) for depth in DEPTHS[1:]})
    axes[4].set(ylabel="gain over one tile at a time (% of time)", title="pipeline between cube and vector cores")
    for axis in axes:
        axis.set_ylim(top=1.25 * axis.get_ylim()[1])
        axis.tick_params(axis="x", labelsize=7)
        axis.legend(loc="upper right")
    return figure
