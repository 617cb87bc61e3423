"""The look of all figures: panels, colour-blind-safe colours, vector graphics of each in a wide and a narrow form.

matplotlib is loaded when the first figure is drawn, so that a sweep does not wait for it.
"""

import contextlib

# Okabe and Ito's colours, distinguishable with the common kinds of colour blindness.
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#777777"
SKY, RED = "#56B4E9", "#D55E00"
CYCLE = (BLUE, ORANGE, GREEN, PURPLE, RED, SKY, GREY)
MARKERS = "osD^vPX"
SEQUENTIAL = "cividis"  # monotonous in lightness, made for colour-blind readers

PANEL = (3.5, 2.7)  # inches; a phone's width holds one panel
_narrow = False


@contextlib.contextmanager
def narrow():
    """Within it, figures have one column of panels (for phones)."""
    global _narrow
    before, _narrow = _narrow, True
    try:
        yield
    finally:
        _narrow = before


def _pyplot():
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.rcParams.update({
        "font.size": 8, "axes.titlesize": 9, "axes.spines.top": False, "axes.spines.right": False, "font.family": "sans-serif",
        "axes.grid": True, "axes.grid.axis": "y", "grid.alpha": 0.3, "axes.axisbelow": True, "legend.frameon": False,
        "legend.fontsize": 7, "svg.hashsalt": "dlsim", "svg.fonttype": "none", "pdf.fonttype": 42, "lines.markersize": 4,
        "axes.prop_cycle": matplotlib.cycler(color=CYCLE),
    })
    return pyplot


def panels(count, columns=3, height=1.0, width=1.0):
    """A figure and a list of `count` axes; `columns` of them side by side, one below the other in the narrow form."""
    columns = 1 if _narrow else min(columns, count)
    rows = -(-count // columns)
    size = (PANEL[0] * (1 if _narrow else width) * columns, PANEL[1] * height * rows)
    figure, grid = _pyplot().subplots(rows, columns, figsize=size, squeeze=False)
    axes = [axis for line in grid for axis in line]
    for axis in axes[count:]:
        axis.remove()
    return figure, axes[:count]


def nothing(text):
    """A figure that says why there is none."""
    figure, axes = panels(1)
    axes[0].axis("off")
    axes[0].text(0.5, 0.5, text, ha="center", va="center")
    return figure


def bars(axis, names, series, colours=CYCLE):
    """Groups of bars: series is {label: values in the order of names}."""
    width = 0.8 / len(series)
    for number, (label, values) in enumerate(series.items()):
        at = [i + (number - (len(series) - 1) / 2) * width for i in range(len(names))]
        axis.bar(at, values, width * 0.95, label=label, color=colours[number % len(colours)])
    long = max((len(str(name)) for name in names), default=0) * len(names) > 40
    axis.set_xticks(range(len(names)), names, rotation=35 if long else 0, ha="right" if long else "center")


def lines(axis, table, x, y, by, factor=1.0):
    """A line for each value of column `by`, with its own colour and marker."""
    for number, (name, part) in enumerate(table.groupby(by, sort=False)):
        part = part.sort_values(x)
        axis.plot(part[x], part[y] * factor, color=CYCLE[number % len(CYCLE)], marker=MARKERS[number % len(MARKERS)], label=name)


def ticks(axis, values, which="x"):
    """These values alone on a logarithmic axis ("x" or "y"), as plain numbers; those outside of the data are left out."""
    low, high = axis.get_xlim() if which == "x" else axis.get_ylim()
    values = [value for value in values if low <= value <= high]
    along = axis.xaxis if which == "x" else axis.yaxis
    along.set_ticks(values, [f"{value:g}" for value in values])
    along.set_ticks([], minor=True)


def map_of(axis, rows, columns, texts, values, title=""):
    """A coloured table: values give the shade, texts stand in the cells."""
    from matplotlib import colormaps

    low, high = min(map(min, values)), max(map(max, values))
    shade = [[(v - low) / ((high - low) or 1) for v in line] for line in values]
    axis.imshow(shade, cmap=SEQUENTIAL, vmin=0, vmax=1, aspect="auto")
    for y, line in enumerate(texts):
        for x, text in enumerate(line):
            dark = sum(colormaps[SEQUENTIAL](shade[y][x])[:3]) < 1.5
            axis.text(x, y, text, ha="center", va="center", fontsize=6.5, color="#fffffe" if dark else "#000001")
    axis.set_xticks(range(len(columns)), columns)
    axis.set_yticks(range(len(rows)), rows)
    axis.grid(False)
    axis.set_title(title)


def save(figure, path, kinds=("svg",)):
    """Writes path with each of the endings; SVG without a background, so that it can stand on a light and a dark page."""
    figure.tight_layout()
    for kind in kinds:
        if kind == "svg":
            figure.savefig(path.with_suffix(".svg"), metadata={"Date": None}, transparent=True)
        elif kind == "pdf":
            figure.savefig(path.with_suffix(".pdf"), metadata={"CreationDate": None})
        else:
            figure.savefig(path.with_suffix(f".{kind}"), dpi=150)
    _pyplot().close(figure)
