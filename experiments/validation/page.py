"""The report as one HTML page without outside resources."""

from html import escape

from experiments.validation import goals

STYLE = """
:root { color-scheme: light dark; --ink: #1c2026; --paper: #fff; --line: #d5d9df; --soft: #f3f5f8; --good: #1a7f4b; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
 :root { --ink: #e3e6ea; --paper: #14171b; --line: #363c44; --soft: #1d2127; --good: #55c78c; --bad: #ff8a80; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 13px; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .5rem; text-align: left; vertical-align: top; }
td.n, th.n { text-align: right; } tr:nth-child(even) { background: var(--soft); }
.wide { overflow-x: auto; } .good { color: var(--good); } .bad { color: var(--bad); } b.p { font-weight: 600; }
"""


def percent(x, signed=False):
    return "" if x is None else f"{100 * x:+.1f} %" if signed else f"{100 * x:.1f} %"


def shade(error, limit=0.10):
    return "" if error is None else "good" if abs(error) <= limit else "bad" if abs(error) > 2 * limit else ""


def table(head, rows):
    """head: (title, numeric); rows: lists of (text, class) or text."""
    cells = "".join(f"<th class='{'n' if numeric else ''}'>{escape(title)}</th>" for title, numeric in head)
    body = []
    for line in rows:
        out = []
        for (_, numeric), cell in zip(head, line):
            text, style = cell if isinstance(cell, tuple) else (cell, "")
            out.append(f"<td class='{'n ' if numeric else ''}{style}'>{escape(str(text))}</td>")
        body.append("<tr>" + "".join(out) + "</tr>")
    return f"<div class='wide'><table><thead><tr>{cells}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"


def summary_table(report):
    head = [("part", 0), ("figures", 0), ("count", 1), ("median error", 1), ("mean error", 1), ("roofline median", 1), ("roofline mean", 1)]
    return table(head, [[line["part"], line["what"], line["count"], (percent(line["median"]), shade(line["median"])),
                         (percent(line["mean"]), shade(line["mean"], 0.2)), percent(line["roofline_median"]),
                         percent(line["roofline_mean"])] for line in report["summary"] if line["count"]])


def pair_table(report):
    head = [("before", 0), ("after", 0), ("change", 0), ("measured ratio", 1), ("predicted ratio", 1), ("error", 1), ("direction", 0)]
    return table(head, [[p["before"], p["after"], p["change"], f"{p['measured']:.3f}", f"{p['predicted']:.3f}",
                         (percent(p["error"], True), shade(p["error"], 0.15)),
                         ("right", "good") if p["direction"] else ("wrong", "bad")] for p in report["pairs"]])


def goal_table(report):
    head = [("demand", 0), ("asked", 0), ("found", 0), ("", 0)]
    return table(head, [[entry["what"], entry["asked"], entry["found"], ("met", "good") if entry["met"] else ("not met", "bad")]
                        for entry in goals.goals(report)])


def difference_table(report):
    head = [("one", 0), ("other", 0), ("part", 0), ("change", 0), ("measured", 1), ("predicted", 1), ("unit", 0), ("error", 1)]
    return table(head, [[d["one"], d["other"], d["part"], d["change"], f"{d['measured']:.4g}", f"{d['predicted']:.4g}", d["unit"],
                         (percent(d["error"], True), shade(d["error"], 0.15))] for d in report["differences"]])


def sensitivity_table():
    rows = goals.sensitivity()
    if not rows:
        return "<p>Not run.</p>"
    cases = [name for name in rows[0] if name not in ("parameter", "value", "changed", "largest")]

    def cell(text):
        return percent(float(text), True) if text else "failed"

    head = [("parameter", 0), ("value", 1), ("changed to", 1), ("largest change", 1)] + [(case, 1) for case in cases]
    return table(head, [[row["parameter"], row["value"], row["changed"], percent(float(row["largest"])) if row["largest"] else "failed"]
                        + [cell(row[case]) for case in cases] for row in rows])


def calibrated_table(report):
    head = [("parameter", 0), ("value", 1), ("cases", 0), ("source", 0)]
    return table(head, [[key, value, " ".join(cases), source] for key, value, source, cases in report["calibrated"]])


def case_table(report):
    head = [("case", 0), ("part", 0), ("operator", 0), ("variant", 0), ("metric", 0), ("measured", 1), ("predicted", 1), ("unit", 0),
            ("error", 1)]
    rows, last = [], None
    for r in report["rows"]:
        first = r["case"] != last
        last = r["case"]
        note = report["notes"].get(r["case"], "")
        where = f"{r['operator']}, {r['shape']}" + (f" ({note})" if note else "")
        rows.append([r["case"] if first else "", r["part"] if first else "", where if first else "", r["variant"] if first else "",
                     r["metric"] + (" (time)" if r["primary"] else ""), f"{r['measured']:.6g}", f"{r['predicted']:.6g}", r["unit"],
                     (percent(r["error"], True), shade(r["error"]))])
    return table(head, rows)


def write_page(report, path):
    two = [("case", 0), ("reason", 0)]
    three = [("case", 0), ("metric", 0), ("reason", 0)]
    failed = f"<h2>Failed</h2>{table(two, report['errors'].items())}" if report["errors"] else ""
    path.write_text(f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Validation against published measurements</title><style>{STYLE}</style></head><body>
<h1>Validation against published measurements</h1>
<p>{report['ran']} of {report['published']} published cases run on the model. Errors are predicted / measured - 1. One chip file per chip;
cases of the calibration part may have fixed parameters, those of the test part never did.</p>
<h2>What is asked of the model</h2>{goal_table(report)}
<h2>Summary</h2>{summary_table(report)}
<h2>Before and after</h2>{pair_table(report)}
<h2>Before and after</h2>{pair_table(report)}
<h2>Cases below 50 us: differences</h2>
<p>Two cases of one framework: its cost is in both times and not in their difference.</p>{difference_table(report)}
<h2>Cases</h2>{case_table(report)}
<h2>Calibrated parameters</h2>{calibrated_table(report)}
<h2>How much each assumed parameter matters</h2>
<p>Change of the time of a few cases when the parameter is a quarter lower and higher.</p>{sensitivity_table()}
<h2>Cases that are not expressed</h2>{table(two, report['not_expressed'])}
<h2>Figures of run cases that are not compared</h2>{table(three, report['left_out'])}
{failed}</body></html>
""")
