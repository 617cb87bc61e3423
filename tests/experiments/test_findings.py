"""The numbers of the findings, computed a second time from the recorded tables with other means (plain lists of rows)."""

import pandas
import pytest
from conftest import ROOT, recorded

from experiments.runner.steps import load


def both(name):
    """The recorded rows, and the experiment's own numbers."""
    return recorded(name), load(name).numbers(pandas.read_csv(ROOT / "experiments" / name / "recorded.csv"))


def pick(rows, **labels):
    return [row for row in rows if all(row[key] == value for key, value in labels.items())]


def only(rows, column, **labels):
    found = pick(rows, **labels)
    assert len(found) == 1, labels
    return found[0][column]


def test_task_order():
    rows, n = both("task_order")
    plain = {row["order"]: row for row in pick(rows, part="orders", k_offset="off")}
    times = {order: row["time_us"] for order, row in plain.items()}
    assert n["best"] == min(times, key=times.get) and n["worst"] == max(times, key=times.get)
    assert n["spread"] == pytest.approx(max(times.values()) / min(times.values()))
    assert n["diagonal_gain"] == pytest.approx(100 * times["rows"] / times["diagonal:8"] - 100)
    many = ("sharers_4_7", "sharers_8_15", "sharers_16_23", "sharers_24_64")
    assert n["rows_many"] == pytest.approx(100 * sum(plain["rows"][column] for column in many))
    without = [row["time_us"] for row in pick(rows, part="ablation")]
    assert n["ablation_spread"] == pytest.approx(max(without) / min(without))
    small = [row for row in pick(rows, part="l2 size") if row["l2_MiB"] == n["small_MiB"]]
    assert n["small_best"] == min(small, key=lambda row: row["time_us"])["order"]
    for shape, order in n["winners"].items():
        assert order == min(pick(rows, part="shapes", shape=shape), key=lambda row: row["time_us"])["order"]
    for row in plain.values():
        assert sum(row[column] for column in row if column.startswith("sharers_")) == pytest.approx(1)


def test_double_buffering():
    rows, n = both("double_buffering")

    def gain(part, kernel):
        one, two = (only(rows, "time_us", part=part, kernel=kernel, slots=slots) for slots in (1, 2))
        return 100 * (one / two - 1)

    for kernel, value in n["gain"].items():
        assert value == pytest.approx(gain("slots", kernel))
        assert n["ablation_gain"][kernel] == pytest.approx(gain("ablation", kernel))
    assert n["most"] == max(n["gain"], key=n["gain"].get) and n["least"] == min(n["gain"], key=n["gain"].get)
    scopes = {row["scopes"]: row["time_us"] for row in pick(rows, part="scopes")}
    assert n["both_gain"] == pytest.approx(100 * (scopes["l1:1,l0a:1,l0b:1"] / scopes["l1:2,l0a:2,l0b:2"] - 1))


def test_ub_banks():
    rows, n = both("ub_banks")
    cost = {row["layout"]: row["cycles_per_repeat"] for row in pick(rows, part="layouts", banks_free="no")}
    assert n["one_bank_factor"] == pytest.approx(cost["sources in one bank"] / cost["no conflict"])
    strides = {row["stride"]: row["cycles_per_repeat"] for row in pick(rows, part="strides", banks_free="no")}
    assert n["stride_factor"] == pytest.approx(max(strides.values()) / min(strides.values()))
    assert n["slow_strides"] == [s for s, c in strides.items() if c > 1.5 * min(strides.values())]
    padding = {row["stride"]: row["vector_us"] for row in pick(rows, part="padding", banks_free="no")}
    assert n["padding_vector_factor"] == pytest.approx(padding[144] / padding[145])
