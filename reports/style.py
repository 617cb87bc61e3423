"""The look of all figures: one size grid, colour-blind-safe colours, PNG and SVG of each."""

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  (the back end must be chosen first)

# Okabe and Ito's colours, distinguishable with the common kinds of colour blindness.
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#666666"

pyplot.rcParams.update({
    "font.size": 8, "axes.titlesize": 9, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "axes.grid.axis": "y", "grid.alpha": 0.3, "axes.axisbelow": True, "legend.frameon": False,
    "svg.hashsalt": "dlsim",
})


def subplots(rows, columns, width, height):
    """A figure (inches) and its axes as a list of lists."""
    figure, axes = pyplot.subplots(rows, columns, figsize=(width, height), squeeze=False)
    return figure, [list(line) for line in axes]


def save(figure, path):
    """Writes path (a .png) and the .svg beside it."""
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    pyplot.close(figure)
