#!/usr/bin/python3
"""The steps of a figure, as the workflow runs them one by one.

    steps.py points NAME --part 0/8 --out FILE     runs a part of an experiment's points (results are cached by content)
    steps.py figure NAME PART.. --out FOLDER       CSV, failures, vector graphics and the record of the report from the parts
    steps.py report NAME.. --out FOLDER            index.html from the records

With --full the sizes of the figures for papers; without, the quick ones.
"""

import argparse
import importlib
import json
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from experiments.runner.cases import CASES  # noqa: E402
from experiments.runner.sweep import chip_text, compile_key, digest, run_sweep  # noqa: E402
from experiments.runner.tools import REPOSITORY, ToolError, Tools  # noqa: E402


TRACED = {"attention": "tuned_attention_d64_128x128", "matmul": "tuned_matmul_grid2d_128x256x64"}


def load(name):
    """The module of an experiment."""
    return importlib.import_module(f"experiments.{name}.experiment")


def parts_of(points, most=8, least=4):
    """How many parts the points of an experiment are run in."""
    return max(1, min(most, len(points) // least))


def sweep_key(name, quick, tools):
    """A hash of everything that the points of an experiment depend on; the workflow runs them again when it changes."""
    cases = load(name).cases(quick)
    sources = [path.read_text() for path in sorted((REPOSITORY / "experiments" / name).glob("*.py"))]
    chips = {case.chip: chip_text(case.chip) for case in cases}
    points = [[compile_key(case, tools), case.launch, list(case.run_options), case.inputs, case.trace] for case in cases]
    return digest(sources, chips, points, tools.version_of("dlsim"))


def run_points(name, quick, part, parts, tools, jobs=1, say=None):
    """Records of every parts-th point: its number in the sweep, its row, or its error."""
    experiment = load(name)
    numbered = list(enumerate(experiment.cases(quick)))[part::parts]
    results = run_sweep([case for _, case in numbered], tools, jobs, say=say)
    return [{"number": number, "labels": case.labels, "row": None if error else experiment.row(case, summary), "error": error}
            for (number, _), (case, summary, error) in zip(numbered, results)]


def figure(name, records, quick, folder, tools):
    """Writes everything that the report shows of an experiment; returns the record."""
    import pandas

    from reports import style

    experiment = load(name)
    folder.mkdir(parents=True, exist_ok=True)
    records = sorted(records, key=lambda record: record["number"])
    failures = [{**record["labels"], "error": record["error"]} for record in records if record["error"]]
    pandas.DataFrame([record["row"] for record in records if not record["error"]]).to_csv(folder / f"{name}.csv", index=False)
    pandas.DataFrame(failures, columns=None if failures else ["error"]).to_csv(folder / f"{name}.failures.csv", index=False)
    table = pandas.read_csv(folder / f"{name}.csv")  # what a reader of the CSV has, not more
    try:
        numbers = experiment.numbers(table)
        findings, draw = experiment.findings(numbers), experiment.draw
    except (KeyError, IndexError, ValueError, TypeError, AttributeError):
        if not failures:
            raise
        # What is compared with a point that failed cannot be said; the table and the other figures can.
        numbers, draw = {}, lambda table: style.nothing("points are missing")
        findings = [f"{len(failures)} of {len(records)} points did not run, and what is said here needs them. The first: {failures[0]['error']}"]
    style.save(draw(table), folder / name, ("svg", "pdf", "png"))
    with style.narrow():
        style.save(draw(table), folder / f"{name}_narrow", ("svg",))
    cases = experiment.cases(quick)
    record = {
        "name": name, "title": experiment.TITLE, "question": experiment.QUESTION, "claims": list(experiment.CLAIMS), "quick": quick,
        "findings": findings, "numbers": numbers, "points": len(records), "failures": failures,
        "command": f"./dl figures{'' if quick else ' --full'} --only {name}",
        "chips": sorted({case.chip for case in cases}),
        "kernels": sorted({str(case.kernel.relative_to(REPOSITORY)) for case in cases}),
        "overrides": sorted({word for case in cases for word in case.run_options if "=" in word and not word.startswith("-")}),
        "versions": {"dlc": tools.version_of("dlc")[:12], "dlsim": tools.version_of("dlsim")[:12]},
        "about": (experiment.__doc__ or "").strip(),
    }
    text = [f"# {record['title']}", record["question"], f"![{record['title']}]({name}.svg)", *record["findings"],
            f"Data: [{name}.csv]({name}.csv). Regenerate with `{record['command']}`."]
    (folder / f"{name}.md").write_text("\n\n".join(text) + "\n")
    (folder / f"{name}.json").write_text(json.dumps(record, indent=1, default=plain))
    return record


def traces(folder, tools):
    """A trace for Perfetto and its picture of each of a few kernels, for the report's links."""
    for name, case in TRACED.items():
        with tempfile.TemporaryDirectory(prefix="dlsim-") as place:
            binary, run = Path(place) / "kernel.dlk", Path(place) / name
            tools.run("dlc", CASES / f"{case}.ttir", "-o", binary)
            tools.run("dlsim", "run", binary, "--args", CASES / f"{case}.json", "--timing-only", "-q", "--out", run, "--trace")
            tools.run("dlsim", "timeline", run, "-o", folder / f"{name}.timeline.svg")
            shutil.copyfile(run / "trace.json", folder / f"{name}.trace.json")


def plain(value):
    """numpy's numbers as Python's, for JSON."""
    return value.item()


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("points", "figure", "report"))
    parser.add_argument("names", nargs="+")
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args(words)


def main(words):
    options = parse(words)
    try:
        tools = Tools()
    except ToolError as error:
        print(f"figures: {error}", file=sys.stderr)
        return 2
    quick = not options.full
    if options.step == "points":
        part, parts = map(int, options.part.split("/"))
        records = run_points(options.names[0], quick, part, parts, tools, options.jobs)
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(records, default=plain))
    elif options.step == "figure":
        name, *files = options.names
        record = figure(name, [record for file in files for record in json.loads(Path(file).read_text())], quick, options.out, tools)
        print(f"== {record['title']}\n   " + "\n   ".join(record["findings"]))
        if record["failures"]:
            print(f"   {len(record['failures'])} of {record['points']} points did not run: see {name}.failures.csv")
    else:
        from reports.report import write_report

        traces(options.out, tools)
        write_report(options.out, options.names, tools)
        print(f"wrote {options.out / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
