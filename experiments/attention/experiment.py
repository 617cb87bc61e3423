"""Which blocks suit flash attention, what does a causal mask save, when does the order of the programs matter, and where should small tensors lie?

Twelve heads at several blocks of queries and keys, lengths and masks; the order in which the cores take (block of queries, head), with an L2 that holds all
heads and with one that holds a few; and the rate at which a tensor of a given size is read again (the placement rule: below 64 KB in L1,
to 2 MB in L2, larger ones in global memory with merged access). The ablations: a chip without any start-up or
latency, so that a small block has no more overhead than a large one; and 23 cores, so that no core gets the same block of queries again and again.
"""

from experiments.device import cases as launches
from experiments.runner import micro, workloads
from experiments.runner.counters import basic, stalls

NAME = "attention"
TITLE = "Attention: blocks, masks, order, placement"
QUESTION = "Which blocks of queries and keys are fastest, what does a causal mask save, does the order of the programs matter, and where should small tensors lie?"
CLAIMS = (3, 10, 11)

HEADS = 12
BLOCKS = ((32, 128), (64, 64), (64, 128), (64, 256), (128, 64), (128, 128), (128, 256), (128, 512))
WIDE = ((256, 64), (256, 128))  # where they fit UB
ORDERS = ("rows", "columns", "group:4", "diagonal:4")  # of blocks of queries (rows) and heads (columns)
# Nothing has a start-up or a latency: only work takes time.
NO_START = tuple(word for key in ("vector.op.*.startup_cycles", "vector.isolated_cycles", "sync.cross_core_cycles", "sync.barrier_cycles", "dma.startup_cycles",
                                  "dma.burst_cycles", "cube.startup_cycles", "cube.chained_cycles", "fix.startup_cycles", "mte1.load2d_startup_cycles",
                                  "mte1.chained_cycles", "noc.request_cycles", "noc.response_cycles", "l2.read_cycles", "l2.write_cycles", "l2.miss_cycles",
                                  "hbm.access_cycles")
                 for word in ("-D", f"{key}=0"))
FREE_LINES = ("-D", "l2.same_line_cycles=0", "-D", "l2.shared_line_cycles=0")
KB = 1024
PLACES = (32 * KB, 64 * KB, 256 * KB, 2048 * KB, 4096 * KB)
L2_SETS = 512  # of the chip file: 192 MiB


def point(part, block, length, head=64, causal=False, order="rows", sets=L2_SETS, free="", heads=HEADS, cores=24):
    labels = {"part": part, "head": head, "length": length, "causal": "yes" if causal else "no", "block_m": block[0], "block_n": block[1], "order": order,
              "l2_MiB": 192 * sets / L2_SETS, "free": free or "nothing", "cores": cores, "bytes": 0, "readers": "", "passes": 0, "run_bytes": 0}
    run = (["-D", f"l2.sets={sets}"] if sets != L2_SETS else []) + list({"starts": NO_START, "lines": FREE_LINES}.get(free, ()))
    run += [f"--cores={cores}"] if cores != 24 else []
    return workloads.device(labels, launches.attention(heads, length, head, *block, causal), options=[f"--order={order}"], run=run)


def reading(size, readers, again, sets, run_bytes=16 * KB):
    """Vector cores read a tensor of so many bytes once and `again` times more, each all of it or each its share, in runs of so many bytes."""
    labels = {"part": "placement", "head": 0, "length": 0, "causal": "no", "block_m": 0, "block_n": 0, "order": "rows", "l2_MiB": 192 * sets / L2_SETS,
              "free": "nothing", "cores": 24, "bytes": size, "readers": readers, "passes": 1 + again, "run_bytes": run_bytes}
    rows = size // (16 * KB) if readers == "all" else max(48, size // (16 * KB) // 48 * 48)
    return micro("copy_in", labels, "aiv", [("x", "f16", (rows, 8 * KB))],
                 {"rows": rows, "row_bytes": 16 * KB, "stride": 16 * KB, "tile_rows": 16 * KB // run_bytes, "tile_bytes": run_bytes, "block_rows": rows,
                  "passes": 1 + again, "shared": int(readers == "all"), "rotate": 1}, run=["-D", f"l2.sets={sets}"] if sets != L2_SETS else [])


def cases(quick=True):
    length = 1024 if quick else 4096
    points = [point("blocks", block, length, head) for head in (64, 128) for block in (*BLOCKS, *(WIDE if head == 64 else ()))]
    points += [point("ablation", block, length, free="starts") for block in (*BLOCKS, *WIDE)]
    for n in (256, 512, 1024, 2048) if quick else (512, 1024, 2048, 4096, 8192, 16384):
        points += [point("lengths", block, n, causal=causal) for block in ((64, 64), (128, 128)) for causal in (False, True)]
    heads = 24 if quick else 48
    for sets, free in ((L2_SETS, ""), (L2_SETS, "lines"), (16 if quick else 64, "")):
        points += [point("order", (128, 128), length, 128, order=order, sets=sets, free=free, heads=heads) for order in ORDERS]
    points += [point("order", (128, 128), length, 128, True, order, heads=heads, cores=cores) for cores in (24, 23) for order in ORDERS]
    sets = 32 if quick else L2_SETS
    inside = 192 * sets // L2_SETS * KB * KB
    for again in (0, 4):
        points += [reading(size, "all", again * max(1, 256 * KB // size), sets) for size in PLACES]
        points += [reading(size, "shares", again, sets) for size in (inside // 4, inside // 2, 2 * inside)]
    points += [reading(inside // 2, "shares", 0, sets, run_bytes) for run_bytes in (64, 256, 512, 2048)]
    return points


def row(case, summary):
    label = case.labels
    tensors = [argument["shape"] for argument in case.launch["args"] if argument["kind"] == "tensor"]
    heads = tensors[0][0] if label["length"] else 0
    work = 4 * heads * label["length"] ** 2 * label["head"] / (2 if label["causal"] == "yes" else 1)
    spans = [core["end"] - core["start"] for core in summary["cores"]]
    return {**label, "heads": heads, **basic(summary), "tflops": work / summary["time_us"] / 1e6, "imbalance": max(spans) * len(spans) / max(sum(spans), 1),
            "read_MB": sum(core["gm"]["read_bytes"] for core in summary["cores"]) / 1e6, "same_line_mean": summary["same_line"]["mean"],
            "flag_stall": stalls(summary, "cross-core flag"), "bound_by": summary["bound_by"].split(":")[0]}


def name_of(row):
    return f"{row.block_m:.0f}x{row.block_n:.0f}"


def by_block(part):
    """Time by name of the block."""
    return part.assign(block=[name_of(row) for row in part.itertuples()]).set_index("block").time_us


def rereading(table, readers):
    """GB/s at which a core reads a tensor again, by bytes: the difference of many passes and one."""
    part = table[(table.part == "placement") & (table.readers == readers) & (table.run_bytes == 16 * KB)]
    once, more = part[part.passes == 1].set_index("bytes"), part[part.passes > 1].set_index("bytes")
    return 1e3 * (more.read_MB - once.read_MB) / (more.time_us - once.time_us) / 48


def by_order(table, l2, free="nothing", causal="no", column="time_us", cores=24):
    """A column of the orders with so much L2."""
    part = table[(table.part == "order") & (table.l2_MiB == l2) & (table.free == free) & (table.causal == causal) & (table.cores == cores)]
    return part.set_index("order")[column]


def spread(times):
    return times.max() / times.min()


def numbers(table):
    blocks = {head: by_block(table[(table.part == "blocks") & (table["head"] == head)]) for head in (64, 128)}
    free = by_block(table[table.part == "ablation"])
    real = blocks[64].reindex(free.index)
    lengths = table[table.part == "lengths"].pivot_table(index="length", columns=["block_m", "causal"], values="time_us")
    saved = {f"{length:.0f} ({block:.0f}x{block:.0f})": lengths[block, "yes"][length] / lengths[block, "no"][length]
             for block in (64, 128) for length in (lengths.index.min(), lengths.index.max())}
    l2 = table[table.part == "order"].l2_MiB
    large, small, masked = by_order(table, l2.max()), by_order(table, l2.min()), by_order(table, l2.max(), causal="yes")
    sharers, hits = by_order(table, l2.max(), column="same_line_mean"), by_order(table, l2.min(), column="l2_read_hit_ratio")
    balance, odd = by_order(table, l2.max(), causal="yes", column="imbalance"), by_order(table, l2.max(), causal="yes", cores=23)
    best, worst = real.idxmin(), real.idxmax()
    best_row = table[(table.part == "blocks") & (table["head"] == 64)].assign(block=blocks[64].index).set_index("block").loc[best]
    everyone, shares = rereading(table, "all"), rereading(table, "shares")
    part = table[(table.part == "placement") & (table.readers == "shares") & (table.passes == 1)]
    merged = part[part.bytes == part[part.run_bytes < 16 * KB].bytes.iloc[0]].set_index("run_bytes").time_us
    return {
        "length": int(table[table.part == "blocks"].length.iloc[0]), "best": best, "worst": worst, "best_128": blocks[128].idxmin(), "spread": spread(real),
        "spread_128": spread(blocks[128]), "free_spread": spread(free), "best_tflops": best_row.tflops, "best_efficiency": 100 * best_row.mac_efficiency,
        "best_v": 100 * best_row.aiv_v_busy, "best_m": 100 * best_row.aic_m_busy, "best_mte2": 100 * best_row.aic_mte2_busy,
        "start_share": 100 * (1 - free[best] / real[best]), "worst_start_share": 100 * (1 - free[worst] / real[worst]), "saved": saved,
        "large_MiB": l2.max(), "small_MiB": l2.min(), "order_best": large.idxmin(), "order_worst": large.idxmax(), "order_spread": spread(large),
        "sharers_best": sharers[large.idxmin()], "sharers_worst": sharers[large.idxmax()], "lines_spread": spread(by_order(table, l2.max(), "lines")),
        "small_best": small.idxmin(), "small_spread": spread(small), "small_rows_cost": 100 * (small[large.idxmin()] / large.min() - 1),
        "small_rows_hit": 100 * hits[large.idxmin()], "masked_best": masked.idxmin(), "masked_worst": masked.idxmax(), "masked_spread": spread(masked),
        "odd_spread": spread(odd), "odd_gain": 100 * (masked[masked.idxmax()] / odd[masked.idxmax()] - 1),
        "masked_balance": balance.min(), "masked_imbalance": balance.max(), "masked_saved": masked.min() / large[masked.idxmin()],
        "all": {f"{size / KB:.0f} KB": rate for size, rate in everyone.items()}, "all_spread": spread(everyone),
        "shares": {f"{size / KB / KB:.0f} MB": rate for size, rate in shares.items()}, "beyond": shares.max() / shares[shares.index.max()],
        "l2_MiB": table[table.part == "placement"].l2_MiB.iloc[0], "merged": {int(run): time / merged[16 * KB] for run, time in merged.items() if run < 16 * KB},
    }


def listing(values, form="{:.2f}"):
    return ", ".join(f"{name}: {form.format(value)}" for name, value in values.items())


def findings(n):
    chain = ("overhead of each step, not work, separates the blocks." if n["free_spread"] - 1 < 0.5 * (n["spread"] - 1) else
             "overhead of each step is not all that separates the blocks.")
    lines = ("it is cores that wait for one another at a line." if n["lines_spread"] - 1 < 0.5 * (n["order_spread"] - 1) else "it is not only cores that wait for one another at a line.")
    rule = "no step is at 64 KB or 2 MB" if n["all_spread"] < 1.5 else "the rate depends on the size"
    return [
        f"Blocks (queries x keys) at length {n['length']}, head 64: {n['best']} is fastest, {n['worst']} slowest by a factor of {n['spread']:.2f}; head 128: {n['best_128']} "
        f"(a factor of {n['spread_128']:.2f}). The fastest reaches {n['best_tflops']:.0f} TFLOP/s, {n['best_efficiency']:.1f} % of the cube's peak: V is busy for {n['best_v']:.0f} %, "
        f"the cube for {n['best_m']:.0f} %, MTE2 of the cube core for {n['best_mte2']:.0f} %.",
        f"Ablation: on a chip without start-ups and latencies the blocks differ by a factor of {n['free_spread']:.2f} instead of {n['spread']:.2f} (they take "
        f"{n['worst_start_share']:.0f} % of the slowest one's time, {n['start_share']:.0f} % of the fastest one's): {chain}",
        f"A causal mask, whose blocks above the diagonal are skipped, takes this share of the time without it, by length and block: {listing(n['saved'])}.",
        f"Order of the programs (claim 10), head 128, {n['large_MiB']:.0f} MiB of L2: {n['order_best']} is best, {n['order_worst']} worst by a factor of {n['order_spread']:.3f}; a request finds on average "
        f"{n['sharers_best']:.1f} at its line in {n['order_best']}, {n['sharers_worst']:.1f} in {n['order_worst']}, whose cores walk the same keys in step. Where requests to a line "
        f"are not serialised the factor is {n['lines_spread']:.3f}: {lines}",
        f"With {n['small_MiB']:.0f} MiB of L2, less than the keys and values of the heads in flight, {n['order_best']} loses {n['small_rows_cost']:.1f} % ({n['small_rows_hit']:.1f} % hits) and {n['small_best']} is best "
        f"(orders differ by a factor of {n['small_spread']:.3f}): an L2-friendly order pays when the L2 is short, and costs when it is not.",
        f"With a causal mask {n['masked_best']} is best and {n['masked_worst']} worst by a factor of {n['masked_spread']:.2f}: the longest core works {n['masked_balance']:.2f} to "
        f"{n['masked_imbalance']:.2f} times the mean, by order. The best order takes {n['masked_saved']:.2f} of its time without the mask. Ablation: with 23 cores, so that no core gets the same long "
        f"block of every head, the factor is {n['odd_spread']:.2f}, and {n['masked_worst']} is {n['odd_gain']:.0f} % faster with one core less.",
        f"Placement (claim 11): a core reads again, when all read the same tensor, at {listing(n['all'], '{:.1f} GB/s')}: {rule}. When each reads its share: {listing(n['shares'], '{:.1f} GB/s')} (L2: "
        f"{n['l2_MiB']:.0f} MiB): the edge is the capacity of the L2, beyond which the rate falls by {n['beyond']:.1f}. Merged access matters below a line of 512 bytes: runs of "
        f"{listing(n['merged'], '{:.2f} times')} the time of runs of 16 KB.",
    ]


def ablation(n):
    """What the mechanism does, with it and without it in the model: (what, with, without)."""
    return [("spread of the blocks, as it is and without start-ups and latencies", n["spread"] - 1, n["free_spread"] - 1),
            ("spread of the orders under a causal mask, with 24 cores and with 23", n["masked_spread"] - 1, n["odd_spread"] - 1)]


def draw(table):
    from reports import style

    figure, axes = style.panels(6)
    blocks = [by_block(table[(table.part == "blocks") & (table["head"] == head)]) for head in (64, 128)]
    free = by_block(table[table.part == "ablation"])
    names = list(blocks[0].index)
    style.bars(axes[0], names, {"head 64": blocks[0], "head 128": blocks[1].reindex(names), "head 64, no start-ups": free.reindex(names)})
    axes[0].set(ylabel="task time (us)", xlabel="queries x keys of a block", title="blocks")
    axes[0].legend()
    lengths = table[table.part == "lengths"]
    for number, ((block, causal), part) in enumerate(lengths.groupby(["block_m", "causal"], sort=False)):
        axes[1].plot(part.length, part.tflops, marker=style.MARKERS[number], color=style.CYCLE[number], label=f"{block}x{block}{', causal' if causal == 'yes' else ''}")
    axes[1].set(xlabel="length", ylabel="TFLOP/s", title="head 64, 12 heads", xscale="log")
    style.ticks(axes[1], sorted(set(lengths.length)))
    axes[1].set_ylim(0, 1.4 * lengths.tflops.max())
    axes[1].legend()
    saved = lengths.pivot_table(index="length", columns=["block_m", "causal"], values="time_us")
    style.bars(axes[2], [f"{length:.0f}" for length in saved.index], {f"{b}x{b}": saved[b, "yes"] / saved[b, "no"] for b in (64, 128)})
    axes[2].axhline(0.5, color=style.GREY, linewidth=0.7)
    axes[2].set(xlabel="length", ylabel="time over no mask", title="causal mask", ylim=(0, 1.3))
    axes[2].legend()
    mib = table[table.part == "order"].l2_MiB
    kinds = {f"{mib.max():.0f} MiB L2": by_order(table, mib.max()), "no same-line serialisation": by_order(table, mib.max(), "lines"),
             f"{mib.min():.0f} MiB L2": by_order(table, mib.min()), "causal": by_order(table, mib.max(), causal="yes"), "causal, 23 cores": by_order(table, mib.max(), causal="yes", cores=23)}
    style.bars(axes[3], list(ORDERS), {name: times.reindex(ORDERS) / times.min() for name, times in kinds.items()})
    axes[3].set(ylabel="time over the best order", title="order of the programs", ylim=(0, 1.5 * max(map(spread, kinds.values()))))
    axes[3].legend(loc="upper left", fontsize=6)
    for number, (readers, label) in enumerate((("all", "each core reads all"), ("shares", "each core reads its share"))):
        rates = rereading(table, readers)
        axes[4].plot(rates.index / KB, rates.values, marker=style.MARKERS[number], color=style.CYCLE[number], label=label)
    for edge in (64, 2048):
        axes[4].axvline(edge, color=style.GREY, linewidth=0.7)
    axes[4].axvline(KB * table[table.part == "placement"].l2_MiB.iloc[0], color=style.RED, linewidth=0.7)
    axes[4].set(xlabel="tensor (KB); grey: 64 KB and 2 MB, red: L2", ylabel="read again (GB/s a core)", title="placement", xscale="log", ylim=(0, None))
    axes[4].legend()
    part = table[(table.part == "placement") & (table.readers == "shares") & (table.passes == 1)]
    merged = part[part.bytes == part[part.run_bytes < 16 * KB].bytes.iloc[0]].sort_values("run_bytes")
    axes[5].plot(merged.run_bytes, merged.time_us, marker="o", color=style.BLUE)
    axes[5].set(xlabel="contiguous run (bytes)", ylabel="task time (us)", title=f"{merged.bytes.iloc[0] / KB / KB:.0f} MB read once, cold L2", xscale="log", ylim=(0, None))
    return figure
