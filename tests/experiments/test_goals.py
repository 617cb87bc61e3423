"""The demands on the model: differences, averages and limits are computed as they say."""

import os

import pytest

from experiments.runner import Tools
from experiments.validation import goals, published, run, scores


def row(case, measured, predicted, **more):
    entry = {"case": case, "operator": "", "shape": "", "variant": "", "mechanism": "m", "stated": True, "metric": "Task Duration",
             "unit": "us", "measured": measured, "predicted": predicted, "error": predicted / measured - 1, "primary": True}
    return entry | more


def test_the_framework_drops_out_of_differences():
    rows = [row("A", 30.0, 10.0), row("B", 40.0, 21.0)]
    (line,) = scores.difference_rows(rows, [{"one": "A", "other": "B", "change": "twice"}], {"A": "calibration", "B": "test"})
    assert line["measured"] == 10 and line["predicted"] == 11 and line["error"] == pytest.approx(0.1)
    assert line["part"] == "test"


def test_committed_differences_are_of_small_cases_of_one_source():
    figures = published.figures()
    for line in published.table("differences.csv"):
        one, other = figures[line["one"]][0], figures[line["other"]][0]
        assert one.device == other.device, line
        assert min(figure.value for figure in (one, other) if figure.unit == "us") < scores.SMALL_US, line


def test_small_cases_are_scored_by_pipes_and_differences_only():
    rows = [row("A", 30.0, 60.0), row("A", 10.0, 11.0, metric="aic_mte2_time", primary=False), row("B", 100.0, 104.0),
            row("B", 50.0, 60.0, metric="aic_mte1_time", primary=False)]
    differences = [{"part": "test", "unit": "us", "error": 0.3}]
    lines = {line["what"]: line for line in scores.summary(rows, {"A": "test", "B": "test"}, {"A": 15.0, "B": 50.0}, frozenset(), differences)
             if line["part"] == "test"}
    assert lines["time, tiling stated"]["count"] == 1 and lines["time, tiling stated"]["median"] == pytest.approx(0.04)
    assert lines["time, tiling stated"]["roofline_median"] == pytest.approx(0.5)
    assert lines["pipe times"]["count"] == 2 and lines["pipe times"]["mean"] == pytest.approx(0.15)
    assert lines["cases below 50 us: pipe times"]["median"] == pytest.approx(0.1)
    assert lines["cases below 50 us: differences"]["median"] == pytest.approx(0.3)
    assert lines["cases below 50 us: time, with the framework's cost"]["median"] == pytest.approx(1.0)


def report(rows, pairs=()):
    parts = {entry["case"]: "test" for entry in rows}
    rooflines = {entry["case"]: entry["measured"] / 2 for entry in rows}
    return {"rows": rows, "ran": 80, "published": 100, "pairs": list(pairs), "summary": scores.summary(rows, parts, rooflines)}


def verdicts(found):
    return {entry["what"]: entry["met"] for entry in goals.goals(found)}


def test_a_demand_is_met_or_not():
    pair = {"direction": True, "error": 0.1}
    good = verdicts(report([row("A", 100.0, 105.0), row("B", 100.0, 92.0)], [pair] * 4))
    assert all(good.values()) and "a plain roofline on the same times, test part" in good
    bad = verdicts(report([row("A", 100.0, 125.0), row("B", 100.0, 125.0)], [pair, dict(pair, direction=False, error=0.4)]))
    assert not bad["time, tiling stated, test part"] and not bad["before and after: direction"]
    assert not bad["before and after: ratio within 15 %"]


@pytest.mark.parametrize("error,met", [(0.02, True), (-0.04, False)])
def test_limits_hold_for_every_figure(error, met):
    ticks = dict(mechanism="UB banks", metric="elapsed ticks (50MHz counter, 20ns)", unit="tick")
    rows = [row("A", 100.0, 100.0, **ticks), row("B", 100.0, 100 * (1 + error), **ticks)]
    assert verdicts(report(rows))["UB layouts without write delay"] is met
    slow = [row("C", 100.0, 110.0, variant="read-write", **ticks)]
    assert verdicts(report(slow))["UB layouts that read and write one bank"]


def test_what_runs_in_seconds_meets_its_demands():
    wanted = {"C041", "C042", "C044", "C046", "C052", "C172", "C174", "C176", "C178", "C180", "C182"}
    tools = Tools(os.environ.get("DLSIM_BIN"))  # without a build this fails and says what to build
    found = run.validate([case for case in run.all_cases() if case.case in wanted], tools, jobs=1, say=lambda text: None)
    lines = {entry["what"]: entry for entry in goals.mechanisms(found["rows"])}
    assert set(lines) == {"UB layouts without write delay", "vector instructions: time of 128 repeats by the fit", "dense chains of mmads"}
    assert all(entry["met"] for entry in lines.values()), lines
