"""The validation's tables are complete and honest, and a quick subset runs."""

import dataclasses
import os

import pytest

from experiments.runner import Tools
from experiments.validation import published, run, split
from experiments.validation.model import Launch

CASES = run.all_cases()
TOOLS_FOLDER = os.environ.get("DLSIM_BIN")


def test_every_published_case_is_run_or_excused():
    here = {case.case for case in CASES}
    excused = set(published.not_expressed())
    assert here.isdisjoint(excused)
    assert here | excused == set(published.figures())
    assert len(here) >= 80


def test_split_is_the_one_that_the_rule_gives():
    assert published.parts() == split.split(split.read_cases(), split.read_pairs())
    assert {published.parts()[case] for case in split.NEVER_CALIBRATE & set(published.parts())} == {"test"}


def test_calibrated_parameters_name_cases_of_the_calibration_part():
    parts, calibrated = published.parts(), published.calibrated()
    assert calibrated
    for key, _, source, cases in calibrated:
        assert cases, f"{key}: its source '{source}' names no case"
        assert {parts[case] for case in cases} == {"calibration"}, key


def test_pairs_stay_together():
    parts = published.parts()
    for before, after in split.read_pairs():
        assert parts[before] == parts[after]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.case)
def test_a_case_names_no_parameter_of_its_chip(case):
    chips, figures = published.chips(), published.figures()[case.case]
    for name, launch in case.launches.items():
        assert launch.chip == chips[figures[0].device]
        point = launch.runner_case(name)
        allowed = ("--timing-only", "-q", "--cores=", "--warmup=")
        assert all(option.startswith(allowed) for option in point.run_options)
        assert all(option.startswith(("--kind=", "-D")) for option in point.compile_options)
    assert "chip" not in {field.name for field in dataclasses.fields(case)}


def test_launches_cannot_carry_chip_parameters():
    fields = {field.name for field in dataclasses.fields(Launch)}
    assert fields == {"kernel", "kind", "chip", "tensors", "scalars", "defines", "cores", "warmup", "part"}


def test_compared_metrics_exist():
    figures = published.figures()
    for case in CASES:
        names = {figure.metric for figure in figures[case.case]} | {"cycles of 128 repeats"}
        assert set(case.metrics) <= names, case.case


@pytest.mark.parametrize("text,value", [("12.5", 12.5), ("70 / 72", 71), ("8.70-8.85", 8.775), ("1e3", 1000), ("fast", None)])
def test_published_numbers(text, value):
    assert published.number(text) == (pytest.approx(value) if value is not None else None)


def test_a_quick_subset_runs(tmp_path):
    tools = Tools(TOOLS_FOLDER)  # without a build this fails and says what to build
    wanted = ("C041", "C051", "C094")
    report = run.validate([case for case in CASES if case.case in wanted], tools, jobs=1, say=lambda text: None)
    assert not report["errors"]
    assert {row["case"] for row in report["rows"]} == set(wanted)
    run.write_page(report, tmp_path / "validation.html")
    assert "C051" in (tmp_path / "validation.html").read_text()
