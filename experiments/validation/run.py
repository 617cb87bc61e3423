#!/usr/bin/python3
"""Runs the published cases on the model and writes validation.csv and validation.html: measured, predicted, error."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import pandas  # noqa: E402

from experiments.runner import Tools, run_sweep  # noqa: E402
from experiments.runner.tools import REPOSITORY, ToolError  # noqa: E402
from experiments.validation import cases_cube, cases_vector, goals, published, scores  # noqa: E402
from experiments.validation.page import write_page  # noqa: E402

# Cases that run in a second each, one of a kind: for tests.
QUICK = ("C026", "C041", "C042", "C051", "C052", "C094", "C111", "C119", "C149", "C172", "C233")


def all_cases():
    """Every case that the machine can express, by case number."""
    return sorted([*cases_vector.cases(), *cases_cube.cases()], key=lambda case: case.case)


def simulate(cases, tools, jobs, say, overrides=()):
    """(case, launch name) -> summary; and the errors of those that failed. overrides: "key=value" of chip parameters,
    the same for all cases: for the sensitivity report only."""
    points = [(case, name, launch.runner_case(f"{case.case}-{name}".replace(" ", "_")))
              for case in cases for name, launch in case.launches.items()]
    if overrides:
        points = [(case, name, replace(point, run_options=(*point.run_options, *(f"-D{word}" for word in overrides))))
                  for case, name, point in points]
    results = run_sweep([point for _, _, point in points], tools, jobs, say=say)
    summaries, errors = {}, {}
    for (case, name, _), (_, summary, error) in zip(points, results):
        if error:
            errors.setdefault(case.case, error)
        else:
            summaries.setdefault(case.case, {})[name] = summary
    return summaries, errors


def validate(cases, tools, jobs=None, say=None, overrides=()):
    """Everything that the report holds, as a dictionary of lists of rows."""
    figures = published.figures()
    summaries, errors = simulate(cases, tools, jobs, say, overrides)
    rows, left_out = [], []
    for case in cases:
        if case.case in errors:
            continue
        some, others = scores.rows_of(case, figures[case.case], summaries[case.case])
        rows += some + scores.fit_rows(case, figures[case.case], summaries[case.case])
        left_out += others
    return report_of(cases, rows, left_out, errors)


def report_of(cases, rows, left_out, errors):
    """The report of rows that are known."""
    parts = published.parts()
    for entry in rows:
        entry["part"] = parts[entry["case"]]
    rooflines = {case.case: case.roofline for case in cases}
    not_expressed = published.not_expressed()
    differences = scores.difference_rows(rows, published.table("differences.csv"), parts)
    return {"rows": rows, "left_out": left_out, "errors": errors, "notes": {case.case: case.note for case in cases if case.note},
            "summary": scores.summary(rows, parts, rooflines, published.sources(), differences), "differences": differences,
            "calibrated": published.calibrated(), "pairs": scores.pair_rows(rows, published.table("pairs.csv")),
            "not_expressed": [(case, reason) for case, reason in sorted(not_expressed.items())],
            "ran": len(cases) - len(errors), "published": len(published.figures())}


def recorded():
    """The report of the last full run, from the rows that are kept with the sources (results.csv)."""
    def value(key, text):
        return text == "True" if key in ("stated", "primary") else float(text) if key in ("measured", "predicted") else (
            float(text) if text else None) if key == "error" else text

    rows = [{key: value(key, text) for key, text in row.items()} for row in published.table("results.csv")]
    ran = {row["case"] for row in rows}
    return report_of([case for case in all_cases() if case.case in ran], rows, [], {})


def print_report(report):
    def percent(x):
        return "      -" if x is None else f"{100 * x:6.1f}%"

    print(f"{report['ran']} of {report['published']} published cases ran, {len(report['errors'])} failed")
    print(f"{'part':12} {'what':46} {'n':>4} {'median':>7} {'mean':>7}  roofline")
    for line in report["summary"]:
        print(f"{line['part']:12} {line['what']:46} {line['count']:4} {percent(line['median'])} {percent(line['mean'])} "
              f"{percent(line['roofline_median'])} {percent(line['roofline_mean'])}")
    pairs = report["pairs"]
    if pairs:
        print(f"pairs: {sum(p['direction'] for p in pairs)} of {len(pairs)} directions right, "
              f"{sum(abs(p['error']) <= 0.15 for p in pairs)} ratios within 15 %")
    for line in goals.goals(report):
        print(f"{'met ' if line['met'] else 'NOT '} {line['what']:58} asked: {line['asked']:32} found: {line['found']}")
    for case, error in report["errors"].items():
        print(f"failed: {case}: {error}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(prog="dl validate", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few small cases, for tests")
    parser.add_argument("--only", action="append", help="one case (may be repeated)")
    parser.add_argument("--jobs", type=int, default=2, help="simulations at a time (default 2)")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "reports" / "out", help="folder for the results")
    parser.add_argument("--table", action="store_true", help="print every row")
    options = parser.parse_args()
    wanted = options.only or (QUICK if options.quick else None)
    cases = [case for case in all_cases() if not wanted or case.case in wanted]
    try:
        report = validate(cases, Tools(), options.jobs)
    except ToolError as error:
        print(f"validate: {error}", file=sys.stderr)
        return 2
    options.out.mkdir(parents=True, exist_ok=True)
    frame = pandas.DataFrame(report["rows"])
    frame.to_csv(options.out / "validation.csv", index=False)
    write_page(report, options.out / "validation.html")
    if options.table:
        for entry in report["rows"]:
            error = "" if entry["error"] is None else f"{100 * entry['error']:+8.1f}%"
            print(f"{entry['case']} {entry['part'][:3]} {'*' if entry['primary'] else ' '} {entry['metric'][:38]:38} "
                  f"{entry['measured']:14.4g} {entry['predicted']:14.4g} {error} {entry['unit']} {entry['variant'][:50]}")
    print_report(report)
    print(f"wrote {options.out}/validation.csv and validation.html")
    return 1 if report["errors"] else 0


if __name__ == "__main__":
    sys.exit(main())
