"""Every experiment: its points, its findings from the recorded table alone, and that its effect goes away without the mechanism."""

import re

import numpy
import pandas
import pytest
from conftest import NamedTools, ROOT, recorded

from experiments import EXPERIMENTS
from experiments.runner import Tools, run_sweep, steps
from experiments.runner.steps import load, parts_of

GRAPHICS = ("draw", "numbers", "findings", "ablation", "cases", "row")


def numbers(name):
    return load(name).numbers(pandas.read_csv(ROOT / "experiments" / name / "recorded.csv"))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_all_of_its_parts(name):
    experiment = load(name)
    assert experiment.NAME == name and experiment.QUESTION.endswith("?")
    assert all(hasattr(experiment, part) for part in GRAPHICS)
    assert (ROOT / "experiments" / name / "README.md").exists()


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_points_are_told_apart_by_their_labels(name, quick):
    points = load(name).cases(quick)
    names = [point.name for point in points]
    assert len(set(names)) == len(names)
    assert len({tuple(point.labels) for point in points}) == 1, "all rows have the same label columns"
    assert 1 <= parts_of(points) <= 8
    for point in points:
        point.text()  # every replacement finds its place


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_recorded_table_is_of_the_sweep(name):
    labels = [list(point.labels) for point in load(name).cases(True)][0]
    rows = recorded(name)
    assert list(rows[0])[:len(labels)] == labels
    assert len(rows) > 10


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_findings_are_made_of_the_numbers(name):
    """Shake every measured value: each paragraph follows; none holds a typed measurement."""
    experiment, table = load(name), pandas.read_csv(ROOT / "experiments" / name / "recorded.csv")
    text = "\n".join(experiment.findings(experiment.numbers(table)))
    assert "nan" not in re.findall(r"[a-z]+", text)
    assert "inf" not in re.findall(r"[a-z]+", text)
    labels = [list(point.labels) for point in experiment.cases(True)][0]
    random = numpy.random.default_rng(1)
    for column in table.columns.difference(labels):
        if table[column].dtype.kind in "fi":
            table[column] = table[column] * random.uniform(0.6, 1.6, len(table))
    other = "\n".join(experiment.findings(experiment.numbers(table)))
    changed = sum(a != b for a, b in zip(text.split("\n"), other.split("\n")))
    assert changed == len(text.split("\n")), "a finding does not depend on what was measured"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_without_the_mechanism_the_effect_goes_away(name):
    for what, effect, without in load(name).ablation(numbers(name)):
        assert effect > 0, what
        assert abs(without) < 0.5 * effect, f"{what}: {effect:.3f} with the mechanism, {without:.3f} without"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_points_that_fail_leave_a_page_that_says_so(name, tmp_path):
    """The first half of the points fails: the record and its picture are there, with the error."""
    rows = recorded(name)
    records = [{"number": i, "labels": {"point": i}, "row": None if i < len(rows) // 2 else row, "error": "dlc ended with 1: too large" if i < len(rows) // 2 else None}
               for i, row in enumerate(rows)]
    record = steps.figure(name, records, True, tmp_path, NamedTools())
    assert len(record["failures"]) == len(rows) // 2
    assert (tmp_path / f"{name}.svg").exists() and (tmp_path / f"{name}_narrow.svg").exists()
    assert "too large" in (tmp_path / f"{name}.failures.csv").read_text()
    assert record["numbers"] or "too large" in record["findings"][0]


def test_an_experiment_that_is_wrong_is_no_failed_point(tmp_path, monkeypatch):
    monkeypatch.setattr(load("ub_banks"), "numbers", lambda table: {}["no such column"])
    records = [{"number": i, "labels": {}, "row": row, "error": None} for i, row in enumerate(recorded("ub_banks"))]
    with pytest.raises(KeyError):
        steps.figure("ub_banks", records, True, tmp_path, NamedTools())


def test_the_ablation_holds_in_the_model_as_it_is():
    """The bank experiment is small enough to be simulated here: the strides alone, with the banks as they are and free."""
    experiment = load("ub_banks")
    points = [point for point in experiment.cases(True) if point.labels["part"] == "strides" and point.labels["stride"] in (1, 8, 16, 17)]
    rows = [experiment.row(case, summary) for case, summary, error in run_sweep(points, Tools(), jobs=1, say=lambda text: None)]
    cost = {(row["stride"], row["banks_free"]): row["cycles_per_repeat"] for row in rows}
    assert cost[16, "no"] > 4 * cost[1, "no"] > 0
    assert cost[17, "no"] == pytest.approx(cost[1, "no"], rel=0.05)
    assert cost[16, "yes"] == pytest.approx(cost[1, "yes"], rel=0.05)
