"""What the model is held to: each demand with what was asked, what the run found, and whether that is met."""

from experiments.validation import published

PARTS = ("calibration", "test")


def line(what, asked, found, met):
    return {"what": what, "asked": asked, "found": found, "met": met}


def percent(x):
    return f"{100 * x:.1f} %"


def largest(what, rows, limit):
    """All of the rows within a limit; no line without rows."""
    errors = [abs(row["error"]) for row in rows]
    if not errors:
        return []
    worst = max(rows, key=lambda row: abs(row["error"]))
    found = f"largest of {len(errors)}: {percent(max(errors))} ({worst['case']})"
    return [line(what, f"each within {percent(limit)}", found, max(errors) <= limit)]


def averages(report):
    """Median and mean errors by part, beside the roofline's."""
    lines = []
    found = {(entry["part"], entry["what"]): entry for entry in report["summary"]}
    for part in PARTS:
        for what in ("time, tiling stated", "pipe times"):
            entry = found.get((part, what))
            if not entry or not entry["count"]:
                continue
            lines.append(line(f"{what}, {part} part", "median 10 %, mean 20 %", f"{percent(entry['median'])}, {percent(entry['mean'])}",
                              entry["median"] <= 0.10 and entry["mean"] <= 0.20))
        entry = found.get((part, "time, tiling stated"))
        if entry and entry["roofline_median"] is not None:
            lines.append(line(f"a plain roofline on the same times, {part} part", "clearly worse: twice the errors",
                              f"{percent(entry['roofline_median'])}, {percent(entry['roofline_mean'])}",
                              entry["roofline_median"] > 2 * entry["median"] and entry["roofline_mean"] > 2 * entry["mean"]))
    return lines


def pairs(report):
    entries = report["pairs"]
    if not entries:
        return []
    right = sum(entry["direction"] for entry in entries) / len(entries)
    close = sum(abs(entry["error"]) <= 0.15 for entry in entries) / len(entries)
    return [line("before and after: direction", "right in 95 %", f"{percent(right)} of {len(entries)}", right >= 0.95),
            line("before and after: ratio within 15 %", "in 75 %", f"{percent(close)} of {len(entries)}", close >= 0.75)]


def chosen(rows, mechanism, metrics):
    return [row for row in rows if row["mechanism"] == mechanism and row["metric"] in metrics]


def mechanisms(rows):
    ticks = chosen(rows, "UB banks", ("elapsed ticks (50MHz counter, 20ns)",))
    delayed = [row for row in ticks if "read-write" in row["variant"]]
    fits = [row for row in rows if row["metric"] == "cycles of 128 repeats"]
    chains = [row for row in rows if row["case"] == "C052" or (
        row["mechanism"] == "8192 cubed" and row["metric"] == "aic_mac_time" and "unitFlag" in row["operator"])]
    reuse = chosen(rows, "L2 reuse", ("r0 hit", "r0 miss", "r1 hit", "r1 miss"))
    task = chosen(rows, "8192 cubed", ("Task Duration",))
    core = chosen(rows, "8192 cubed", ("aicore_time",))
    return (largest("UB layouts without write delay", [row for row in ticks if row not in delayed], 0.03)
            + largest("UB layouts that read and write one bank", delayed, 0.12)
            + largest("vector instructions: time of 128 repeats by the fit", fits, 0.05)
            + largest("dense chains of mmads", chains, 0.01) + largest("L2 hits and misses of the reuse cases", reuse, 0.03)
            + largest("8192 cubed: task time", task, 0.20) + largest("8192 cubed: core time", core, 0.20))


def goals(report):
    """Lines of the table; those that need cases which did not run are missing."""
    ran = line("published cases that run", "80", f"{report['ran']} of {report['published']}", report["ran"] >= 80)
    return [ran, *averages(report), *pairs(report), *mechanisms(report["rows"])]


def sensitivity():
    """Rows of the committed sensitivity table, the parameter that matters most first."""
    rows = published.table("sensitivity.csv") if (published.FOLDER / "sensitivity.csv").exists() else []
    return sorted(rows, key=lambda row: -float(row["largest"] or 0))
