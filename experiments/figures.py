#!/usr/bin/python3
"""Regenerates the figures: for each experiment CSV, picture and findings in reports/out."""

import argparse
import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pandas  # noqa: E402

from experiments.runner import Tools, run_sweep  # noqa: E402
from experiments.runner.tools import REPOSITORY, ToolError  # noqa: E402

EXPERIMENTS = ("task_order",)


def regenerate(name, tools, options):
    """Runs one experiment; returns the number of its points that failed."""
    experiment = importlib.import_module(f"experiments.{name}.experiment")
    print(f"== {experiment.TITLE}: {experiment.QUESTION}", flush=True)
    results = run_sweep(experiment.cases(options.quick), tools, options.jobs)
    failures = [(case.name, error) for case, _, error in results if error]
    rows = [experiment.row(case, summary) for case, summary, error in results if not error]
    for case_name, error in failures:
        print(f"   failed: {case_name}: {error}", file=sys.stderr)
    if failures:
        print(f"   {len(failures)} of {len(results)} points failed; no figure was written", file=sys.stderr)
        return len(failures)
    table = pandas.DataFrame(rows)
    options.out.mkdir(parents=True, exist_ok=True)
    table.to_csv(options.out / f"{name}.csv", index=False)
    experiment.draw(table, options.out / f"{name}.png")
    words = "./dl figures" + (" --quick" if options.quick else "") + f" --only {name}"
    (options.out / f"{name}.md").write_text(
        f"# {experiment.TITLE}\n\n{experiment.QUESTION}\n\n![{experiment.TITLE}]({name}.png)\n\n"
        f"{experiment.findings(table)}\n\nData: [{name}.csv]({name}.csv). Regenerate with `{words}`.\n")
    print(f"   {experiment.findings(table)}\n   wrote {options.out}/{name}.csv, .png, .svg, .md", flush=True)
    return 0


def main():
    parser = argparse.ArgumentParser(prog="dl figures", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, for tests")
    parser.add_argument("--only", action="append", choices=EXPERIMENTS, help="one experiment (may be repeated)")
    parser.add_argument("--jobs", type=int, help="simulations at a time (default: the number of cores)")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "reports" / "out", help="folder for the results")
    options = parser.parse_args()
    try:
        tools = Tools()
    except ToolError as error:
        print(f"figures: {error}", file=sys.stderr)
        return 2
    failed = sum(regenerate(name, tools, options) for name in options.only or EXPERIMENTS)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
