#!/usr/bin/python3
"""How much each `assumed` parameter of a chip file matters: a few representative cases with it 25 % lower and higher.

    experiments/validation/sensitivity.py [--only KEY] [--case C098] [--out FOLDER]

Writes sensitivity.csv after every parameter: parameter, value, and for each case the change of its time. Simulations run at low
priority, and results are kept by content like all others, so an interrupted run goes on where it stopped. Also prints the
calibrated parameters with the cases that fixed them. The page of `run.py` shows the table that lies beside this file.
"""

import argparse
import csv
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from experiments.runner import Tools  # noqa: E402
from experiments.runner.tools import REPOSITORY, ToolError  # noqa: E402
from experiments.validation import published, run  # noqa: E402

# One of a kind, each a second: stores of a product on 20 cores, small copies on one core, a norm on 40, the latency of a load.
CASES = ("C062", "C111", "C219", "C235")
STEP = 0.25
WHOLE_ONLY = 4  # below this 25 % of a whole number is nothing: it moves by one


def moved(value, factor):
    """The value 25 % away, still of its type; None if there is no such value."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, float):
        return value * factor
    away = max(1, round(abs(value) * STEP)) if value >= WHOLE_ONLY else 1
    found = value + (away if factor > 1 else -away)
    return found if found >= 0 else None


def times(cases, tools, jobs, overrides=()):
    """Case -> predicted time, for those that ran."""
    report = run.validate(cases, tools, jobs, lambda text: None, overrides)
    return {row["case"]: row["predicted"] for row in reversed(report["rows"]) if row["primary"]}


def table(cases, parameters, tools, jobs, say, keep=lambda rows: None):
    """Rows of the table; `keep` gets those so far after every parameter."""
    before = times(cases, tools, jobs)
    rows = []
    for number, (key, value) in enumerate(parameters, 1):
        say(f"  [{number}/{len(parameters)}] {key} = {value}")
        for factor in (1 - STEP, 1 + STEP):
            other = moved(value, factor)
            if other is None:
                continue
            after = times(cases, tools, jobs, (f"{key}={other}",))
            changes = {case: after[case] / before[case] - 1 if case in after else None for case in before}
            largest = max((abs(change) for change in changes.values() if change is not None), default=None)
            rows.append({"parameter": key, "value": value, "changed": other, "largest": largest, **changes})
        keep(rows)
    return rows


def rounded(value):
    return f"{value:.6f}".rstrip("0").rstrip(".") if isinstance(value, float) else value


def write(rows, path):
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: rounded(value) for name, value in row.items()} for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", help="one parameter (may be repeated)")
    parser.add_argument("--case", action="append", help="other cases than the representative ones")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--nice", type=int, default=10, help="how much lower its priority is (default 10)")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "reports" / "out")
    options = parser.parse_args()
    os.nice(options.nice)
    wanted = options.case or CASES
    cases = [case for case in run.all_cases() if case.case in wanted]
    parameters = [(key, value) for key, value in published.assumed() if not options.only or key in options.only]
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "sensitivity.csv"
    try:
        rows = table(cases, parameters, Tools(), options.jobs, lambda text: print(text, file=sys.stderr, flush=True),
                     lambda found: write(found, path))
    except ToolError as error:
        print(f"sensitivity: {error}", file=sys.stderr)
        return 2
    for row in sorted(rows, key=lambda row: -(row["largest"] or 0)):
        largest = "failed" if row["largest"] is None else f"{100 * row['largest']:6.2f} %"
        print(f"{row['parameter']:32} {row['value']:>8} -> {row['changed']:<10} largest change {largest}")
    for key, value, _, fixed in published.calibrated():
        print(f"calibrated: {key} = {value} by {' '.join(fixed)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
