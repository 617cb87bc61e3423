"""What does the order in which the cores take the blocks of a matmul cost?

fp16 matmul on all cores of a 910B1, the blocks of C dealt in seven orders, with and without the k-offset (core p starts its K loop at
tile p mod nK). At 4096 x 4096 x 4096 all operands fit the L2, so a difference between orders comes from requests that meet at the same
lines and slices, not from capacity.
"""

import numpy

from experiments.runner import Case, load_case
from experiments.runner.tools import REPOSITORY
from reports import style

NAME = "task_order"
TITLE = "Task order of a matmul"
QUESTION = "What does the task order cost at 4096 x 4096 x 4096, and what does the k-offset change?"

ORDERS = ("rows", "columns", "group:8", "diagonal:4", "diagonal:8", "diagonal:16", "serpentine:3")
KERNELS = {"128x256x64": "tuned_matmul_grid2d_128x256x64", "128x256x256": "tuned_matmul_grid2d_128x256x256"}
BLOCK_M, BLOCK_N = 128, 256


def launch(kernel, size):
    """The launch of a grid2d matmul at M = N = K = size with generated inputs."""
    square = [size, size]
    return load_case(
        REPOSITORY / "tests" / "cases" / f"{kernel}.json",
        grid=[-(-size // BLOCK_M), -(-size // BLOCK_N), 1],
        scalars={"M": size, "N": size, "K": size},
        shapes={"a_ptr": square, "b_ptr": square, "c_ptr": square},
        init={"a_ptr": "normal(1)", "b_ptr": "normal(2)"})


def cases(quick=False):
    """All points: two tile shapes, seven orders, k-offset off and on."""
    size = 2048 if quick else 4096
    points = []
    for tile, kernel in KERNELS.items():
        for order in ORDERS:
            for offset in ("off", "on"):
                options = [f"--order={order}"] + (["--shuffle-k"] if offset == "on" else [])
                points.append(Case(
                    labels={"tile": tile, "order": order, "k_offset": offset, "size": size},
                    kernel=REPOSITORY / "tests" / "cases" / f"{kernel}.ttir", launch=launch(kernel, size),
                    compile_options=tuple(options), run_options=("--timing-only",)))
    return points


def row(case, summary):
    """One line of the CSV: labels and counters with their units in the names."""
    return {
        **case.labels,
        "time_us": summary["time_us"],
        "mac_efficiency": summary["mac_efficiency"],
        "mte2_stall_ratio": summary["mte2_stall_ratio"],
        "l2_read_hit_ratio": summary["l2"]["read_hit_ratio"],
        "hbm_read_MB": summary["hbm"]["read_bytes"] / 1e6,
        "hbm_write_MB": summary["hbm"]["write_bytes"] / 1e6,
        "same_line_largest": summary["same_line"]["largest"],
        "same_line_mean": summary["same_line"]["mean"],
    }


PANELS = (
    ("mac_efficiency", "MAC efficiency (% of peak)", 100),
    ("same_line_mean", "cores at one line (mean)", 1),
    ("hbm_read_MB", "read from HBM (MB)", 1),
)


def draw(table, path):
    """Bars per order, one row of panels per tile shape, k-offset off and on side by side."""
    tiles = list(dict.fromkeys(table["tile"]))
    figure, axes = style.subplots(len(tiles), len(PANELS), width=11, height=3.1 * len(tiles))
    position = numpy.arange(len(ORDERS))
    for line, tile in zip(axes, tiles):
        for axis, (column, label, factor) in zip(line, PANELS):
            for shift, offset, colour in ((-0.2, "off", style.BLUE), (0.2, "on", style.ORANGE)):
                part = table[(table.tile == tile) & (table.k_offset == offset)].set_index("order").reindex(ORDERS)
                axis.bar(position + shift, part[column] * factor, 0.38, color=colour, label=f"k-offset {offset}")
            axis.set_xticks(position, ORDERS, rotation=35, ha="right")
            axis.set_ylabel(label)
            axis.set_title(f"tile {tile}")
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="upper right", ncols=2)
    size = table["size"].iloc[0]
    figure.suptitle(f"fp16 matmul {size} x {size} x {size}, 910B1, by task order")
    style.save(figure, path)


def findings(table):
    """One paragraph that follows from the table."""
    text = []
    for tile, part in table.groupby("tile", sort=False):
        plain = part[part.k_offset == "off"].set_index("order")
        best, worst = plain.time_us.idxmin(), plain.time_us.idxmax()
        offset = part[part.k_offset == "on"].set_index("order")
        gain = (plain.time_us / offset.time_us - 1).reindex(plain.index)
        correlation = numpy.corrcoef(plain.same_line_mean, plain.time_us)[0, 1] if plain.same_line_mean.nunique() > 1 else 0
        text.append(
            f"Tile {tile}: without the k-offset {best} is fastest ({plain.time_us[best]:.1f} us, "
            f"{100 * plain.mac_efficiency[best]:.1f} % MAC efficiency) and {worst} slowest ({plain.time_us[worst]:.1f} us, "
            f"{100 * plain.mac_efficiency[worst]:.1f} %), a factor of {plain.time_us[worst] / plain.time_us[best]:.2f}. "
            f"The orders read between {plain.hbm_read_MB.min():.0f} and {plain.hbm_read_MB.max():.0f} MB from HBM at L2 read hit "
            f"ratios of {plain.l2_read_hit_ratio.min():.3f} to {plain.l2_read_hit_ratio.max():.3f}; the mean number of cores that meet at a line goes "
            f"from {plain.same_line_mean.min():.2f} to {plain.same_line_mean.max():.2f} (correlation with time {correlation:+.2f}). "
            f"The k-offset changes the time by {-100 * gain.max():+.1f} % ({gain.idxmax()}) to {-100 * gain.min():+.1f} % ({gain.idxmin()}).")
    return " ".join(text)
