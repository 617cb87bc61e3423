"""What does one persistent launch for all experts gain over a launch for each, and what does imbalance of the experts cost?

Grouped GEMM (tokens sorted by expert, tile 128 x 256 x 64) as one persistent launch, against the same kernel launched once for each
expert, over how unevenly the tokens fall on the experts. A chip whose launches cost nothing, and one core of it, which no expert
leaves without a tile, are the ablation.
"""

from experiments.runner import triton
from experiments.runner.counters import basic

NAME = "grouped_gemm"
TITLE = "Grouped GEMM: persistent against one launch an expert"
QUESTION = "What does one persistent launch over all experts gain over one launch for each expert, by imbalance and number of tokens?"
CLAIMS = (9,)

EXPERTS = 8
FREE = ("-D", "launch.head_cycles=0", "-D", "launch.dispatch_cycles=0", "-D", "launch.core_init_cycles=0", "-D", "launch.tail_cycles=0")


def split(tokens, skew):
    """Tokens of each expert: shares fall by the factor 1 - skew from one to the next; rests go to the first."""
    shares = [(1 - skew) ** i for i in range(EXPERTS)]
    counts = [int(tokens * share / sum(shares)) for share in shares]
    counts[0] += tokens - sum(counts)
    return counts


def launch(labels, counts, n, k, free):
    """One launch over the given experts."""
    offsets = [sum(counts[:i]) for i in range(len(counts) + 1)]
    rows = max(offsets[-1], 1)
    return triton("tuned_grouped_gemm_128x256x64", labels, [24], {"E": len(counts), "N": n, "K": k},
                  {"x_ptr": [rows, k], "w_ptr": [len(counts), k, n], "y_ptr": [rows, n], "offs_ptr": [len(offsets)]},
                  run={"no": (), "yes": FREE, "yes, one core": (*FREE, "--cores=1")}[free], inputs={"offs_ptr": offsets})



def cases(quick=True):
    n, k = (1024, 512) if quick else (4096, 4096)
    points = []
    for tokens in (1024, 4096) if quick else (1024, 4096, 16384):
        for skew in (0.0, 0.3, 0.6):
            counts = split(tokens, skew)
            for free in ("no", "yes", *(["yes, one core"] if tokens == 1024 and skew == 0 else [])):
                base = {"tokens": tokens, "skew": skew, "free_launch": free}
                points.append(launch({"variant": "persistent", **base, "expert": -1, "largest_share": max(counts) / tokens}, counts, n, k, free))
                for expert, count in enumerate(counts):
                    points.append(launch({"variant": "a launch an expert", **base, "expert": expert, "largest_share": max(counts) / tokens}, [count], n, k, free))
    return points


def row(case, summary):
    cores = [core["end"] - core["start"] for core in summary["cores"]]
    return {**case.labels, **basic(summary), "macs": summary["macs"], "imbalance": max(cores) / max(sum(cores) / len(cores), 1)}


def totals(table):
    """Time of all launches of a variant, by tokens, skew and cost of a launch."""
    return table.groupby(["tokens", "skew", "free_launch", "variant"], sort=False).time_us.sum().unstack("variant")


def numbers(table):
    time = totals(table)
    gain = time["a launch an expert"] / time["persistent"]
    real, free = gain.xs("no", level="free_launch"), gain.xs("yes", level="free_launch")
    persistent = table[(table.variant == "persistent") & (table.free_launch == "no")].set_index(["tokens", "skew"])
    few, many = min(table.tokens), max(table.tokens)
    return {
        "experts": EXPERTS, "few": int(few), "many": int(many), "gain_few": real[few, 0.0], "gain_many": real[many, 0.0], "gain_most": real.max(),
        "most_tokens": int(real.idxmax()[0]), "most_skew": real.idxmax()[1], "gain_least": real.min(),
        "one_gain_few": gain[few, 0.0, "yes, one core"], "free_gain_few": free[few, 0.0], "free_gain_many": free[many, 0.0], "free_gain_most": free[real.idxmax()],
        "imbalance_even": persistent.imbalance[many, 0.0], "imbalance_skewed": persistent.imbalance[many, 0.6],
        "skew_cost": 100 * (persistent.time_us[many, 0.6] / persistent.time_us[many, 0.0] - 1),
        "skew_cost_launches": 100 * (time["a launch an expert"][many, 0.6, "no"] / time["a launch an expert"][many, 0.0, "no"] - 1),
        "share": 100 * persistent.largest_share[many, 0.6],
    }


def findings(n):
    launches = "most" if n["free_gain_few"] - 1 < 0.5 * (n["gain_few"] - 1) else "little"
    idle = "the rest is cores" if n["one_gain_few"] - 1 < 0.5 * (n["free_gain_few"] - 1) else "nor is it only cores"
    return [
        f"With {n['experts']} even experts the persistent kernel is {n['gain_few']:.2f} times as fast as one launch an expert at {n['few']} tokens and {n['gain_many']:.2f} times at "
        f"{n['many']} (claim 9 says 1.1 and 1.27 on a GPU); over all points {n['gain_least']:.2f} to {n['gain_most']:.2f}.",
        f"When the largest expert has {n['share']:.0f} % of the {n['many']} tokens, the persistent kernel takes {n['skew_cost']:+.1f} % of the time of even experts, "
        f"launches an expert {n['skew_cost_launches']:+.1f} %; the longest core works {n['imbalance_skewed']:.3f} times the mean (even: {n['imbalance_even']:.3f}).",
        f"Ablation: where a launch costs nothing the gain is {n['free_gain_few']:.2f} at {n['few']} tokens and {n['free_gain_many']:.2f} at {n['many']}: launches are {launches} of it. "
        f"On one core, which is never without a tile, {n['one_gain_few']:.2f} is left at {n['few']} tokens: {idle} that find no tile in a small expert and that the "
        "persistent kernel gives the next expert's.",
    ]


def ablation(n):
    """What the mechanism does, with it and without it in the model: (what, with, without)."""
    return [("gain of one launch at few tokens, as it is and with free launches on a core that is never idle", n["gain_few"] - 1, n["one_gain_few"] - 1)]


def draw(table):
    from reports import style

    figure, axes = style.panels(2, columns=2)
    time = totals(table)
    rows = [index for index in time.index if index[2] == "no"]
    names = [f"{tokens}\nskew {skew}" for tokens, skew, _ in rows]
    style.bars(axes[0], names, {variant: [time[variant][index] for index in rows] for variant in ("persistent", "a launch an expert")})
    axes[0].set(ylabel="time (us)", xlabel="tokens, skew of the experts", title="eight experts, 24 cores")
    axes[0].tick_params(axis="x", labelsize=6, rotation=0)
    axes[0].legend()
    gain = time["a launch an expert"] / time["persistent"]
    style.bars(axes[1], names, {"launch as it is": [gain[index] for index in rows],
                                "free launch (ablation)": [gain[index[0], index[1], "yes"] for index in rows]})
    axes[1].axhline(1, color=style.GREY, linewidth=0.7)
    axes[1].set(ylabel="speed of persistent over launches", xlabel="tokens, skew of the experts")
    axes[1].tick_params(axis="x", labelsize=6, rotation=0)
    axes[1].set_ylim(0, 1.3 * gain.max())
    axes[1].legend()
    return figure
