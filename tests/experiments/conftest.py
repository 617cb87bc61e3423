"""The experiments are imported from the root of the repository; their recorded tables stand in for simulations."""

import csv
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))


class NamedTools:
    """Stands for the programs where only their versions are asked for."""

    def version_of(self, name):
        return f"{name}-of-the-test"


def recorded(name):
    """The rows of an experiment's recorded table as texts and numbers, read without pandas."""
    with (ROOT / "experiments" / name / "recorded.csv").open(newline="") as file:
        return [{key: number(value) for key, value in row.items()} for row in csv.DictReader(file)]


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


@pytest.fixture(scope="session")
def report(tmp_path_factory):
    """The whole report, made from the recorded tables."""
    from experiments import EXPERIMENTS
    from experiments.runner import steps
    from reports.report import write_report

    folder = tmp_path_factory.mktemp("report")
    for name in EXPERIMENTS:
        records = [{"number": i, "labels": {}, "row": row, "error": None} for i, row in enumerate(recorded(name))]
        steps.figure(name, records, True, folder, NamedTools())
    write_report(folder, EXPERIMENTS, NamedTools())
    return folder
