"""The sensitivity report moves every assumed number of the chip file, and only those."""

import pytest

from experiments.validation import published, run, sensitivity


@pytest.mark.parametrize("value,factor,expected", [(100, 0.75, 75), (100, 1.25, 125), (8.0, 1.25, 10.0), (1, 0.75, 0), (0, 0.75, None),
                                                   (2, 1.25, 3), (True, 1.25, None), ("gm", 1.25, None)])
def test_a_parameter_is_moved_by_a_quarter(value, factor, expected):
    assert sensitivity.moved(value, factor) == expected


def test_every_parameter_has_a_source_and_is_of_one_kind():
    everything = published.parameters(published.CHIP_FILE)
    assert all(source for _, _, source in everything)
    assumed, calibrated = {key for key, _ in published.assumed()}, {key for key, *_ in published.calibrated()}
    assert assumed and calibrated and not assumed & calibrated
    assert {"l2.miss_cycles", "mte1.chained_cycles", "hbm.write_batch"} <= calibrated


def test_changes_are_relative_to_the_chip_as_it_is(monkeypatch):
    def times(cases, tools, jobs, overrides=()):
        return {"C001": 150.0 if overrides == ("a.b=5",) else 100.0}

    monkeypatch.setattr(sensitivity, "times", times)
    rows = sensitivity.table([], [("a.b", 4), ("a.c", False)], None, 1, lambda text: None)
    assert [(row["changed"], row["largest"]) for row in rows] == [(3, 0.0), (5, 0.5)]


def test_representative_cases_exist():
    assert set(sensitivity.CASES) <= {case.case for case in run.all_cases()}


def test_the_committed_table_is_of_the_parameters_as_they_are():
    movable = {key: value for key, value in published.assumed() if any(sensitivity.moved(value, f) is not None for f in (0.75, 1.25))}
    table = {row["parameter"]: float(row["value"]) for row in published.table("sensitivity.csv")}
    assert table == movable
    assert {*sensitivity.CASES} <= set(published.table("sensitivity.csv")[0])
