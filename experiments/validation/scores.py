"""From results to rows of the report, and the summary over them."""

import statistics

from experiments.validation import published
from experiments.validation.model import Result, standard_metric

SMALL_US = 50.0  # below this the framework's own cost decides a published time
TIME_NAMES = ("Task Duration", "total", "time")


def row(case, figure, predicted):
    error = predicted / figure.value - 1 if figure.value else None
    return {"case": case.case, "operator": figure.operator, "shape": figure.shape, "variant": figure.variant,
            "mechanism": case.mechanism, "stated": case.stated, "metric": figure.metric, "unit": figure.unit,
            "measured": figure.value, "predicted": predicted, "error": error, "primary": figure.metric == case.primary
            or (case.primary == "Task Duration" and figure.metric in TIME_NAMES)}


def rows_of(case, figures, summaries):
    """Rows (measured and predicted) of one case, and the published metrics that were not compared, with reasons."""
    results = {name: Result(summary, case.launches[name].part) for name, summary in summaries.items()}
    rows, left_out = [], []
    for figure in figures:
        reason = case.skip.get(figure.metric) or case.skip.get(f"{figure.metric} [{figure.unit}]")
        if reason:
            left_out.append((case.case, figure.metric, reason))
            continue
        if figure.metric in case.metrics:
            predicted = case.metrics[figure.metric](results)
        else:
            predicted = standard_metric(figure.metric, results["main"]) if "main" in results else None
            if predicted is not None and figure.unit == "%" and figure.metric.endswith("ratio"):
                predicted *= 100
        if predicted is None:
            left_out.append((case.case, figure.metric, "no counterpart"))
        else:
            rows.append(row(case, figure, predicted))
    return rows, left_out


def fit_rows(case, figures, summaries):
    """A fit a x repeats + b is also compared at 128 repeats, which is what its time is."""
    values = {figure.metric: figure.value for figure in figures}
    name = "cycles of 128 repeats"
    if name not in case.metrics or not {"a", "b"} <= set(values):
        return []
    results = {key: Result(summary) for key, summary in summaries.items()}
    figure = figures[0]
    whole = published.Figure(figure.case, figure.device, figure.operator, figure.shape, figure.variant, name,
                             128 * values["a"] + values["b"], "cycles")
    return [row(case, whole, case.metrics[name](results))]


def absolute(rows):
    return [abs(row["error"]) for row in rows if row["error"] is not None]


def statistics_of(rows):
    errors = absolute(rows)
    if not errors:
        return {"count": 0, "median": None, "mean": None}
    return {"count": len(errors), "median": statistics.median(errors), "mean": statistics.fmean(errors)}


def is_pipe(row):
    return row["metric"].endswith("_time") and row["metric"] not in ("aicore_time", "aic_time", "aiv_time")


def is_small(row):
    return row["unit"] == "us" and row["measured"] < SMALL_US


def part_lines(part, rows, differences, rooflines):
    """Summary lines of one part."""
    times = [row for row in rows if row["primary"]]
    small = {row["case"] for row in times if is_small(row)}
    pipes = [row for row in rows if is_pipe(row)]
    groups = {
        "time, tiling stated": [r for r in times if r["stated"] and not is_small(r)],
        "time, tiling not stated": [r for r in times if not r["stated"] and not is_small(r)],
        "pipe times": pipes,
        "cases below 50 us: pipe times": [r for r in pipes if r["case"] in small],
        "cases below 50 us: differences": differences,
        "cases below 50 us: time, with the framework's cost": [r for r in times if is_small(r)],
        "all other figures": [r for r in rows if not r["primary"] and not is_pipe(r)],
    }
    lines = []
    for what, chosen in groups.items():
        roofs = [dict(r, error=rooflines[r["case"]] / r["measured"] - 1) for r in chosen if r.get("primary") and r["unit"] == "us"]
        roof = statistics_of(roofs)
        lines.append({"part": part, "what": what, **statistics_of(chosen), "roofline_median": roof["median"],
                      "roofline_mean": roof["mean"]})
    return lines


def summary(all_rows, parts, rooflines, sources=frozenset(), differences=()):
    """Lines of the summary table: part, what, count, median and mean error, the same of a plain roofline.

    sources: cases whose figures are parameters of the chip file; they have a line of their own.
    differences: rows of difference_rows().
    """
    rows = [row for row in all_rows if row["case"] not in sources]
    taken = [row for row in all_rows if row["case"] in sources]
    lines = []
    for part in ("calibration", "test"):
        lines += part_lines(part, [row for row in rows if parts[row["case"]] == part],
                            [row for row in differences if row["part"] == part], rooflines)
    lines.append({"part": "-", "what": "figures that the chip file takes as sources", **statistics_of(taken), "roofline_median": None,
                  "roofline_mean": None})
    for mechanism in sorted({row["mechanism"] for row in rows}):
        chosen = [r for r in rows if r["mechanism"] == mechanism and r["primary"]]
        lines.append({"part": "both", "what": f"{mechanism}: time", **statistics_of(chosen), "roofline_median": None,
                      "roofline_mean": None})
    return lines


def times_of(rows):
    """Case -> the row of its time."""
    primary = {}
    for entry in rows:
        if entry["primary"]:
            primary.setdefault(entry["case"], entry)
    return primary


def difference_rows(rows, differences, parts):
    """By how much the time of two cases of one framework differs: its cost is in both. In the test part if either is."""
    primary = times_of(rows)
    lines = []
    for line in differences:
        one, other = primary.get(line["one"]), primary.get(line["other"])
        if not one or not other:
            continue
        measured, predicted = other["measured"] - one["measured"], other["predicted"] - one["predicted"]
        lines.append({"one": line["one"], "other": line["other"], "change": line["change"], "unit": one["unit"],
                      "part": "test" if "test" in (parts[line["one"]], parts[line["other"]]) else "calibration",
                      "measured": measured, "predicted": predicted, "error": predicted / measured - 1})
    return lines


def pair_rows(rows, pairs):
    """Before and after: measured and predicted ratio of the cases' times."""
    primary = times_of(rows)
    lines = []
    for pair in pairs:
        before, after = primary.get(pair["before"]), primary.get(pair["after"])
        if not before or not after or before["unit"] != after["unit"]:
            continue
        measured, predicted = before["measured"] / after["measured"], before["predicted"] / after["predicted"]
        # Measured differences of less than 1 % have no direction.
        direction = (measured > 1) == (predicted > 1) if abs(measured - 1) > 0.01 else abs(predicted - 1) < 0.05
        lines.append({"before": pair["before"], "after": pair["after"], "change": pair["change"], "measured": measured,
                      "predicted": predicted, "direction": direction, "error": predicted / measured - 1})
    return lines
