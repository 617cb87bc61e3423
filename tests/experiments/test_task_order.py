"""The task order experiment: its points, and findings that follow from the table alone."""

import pandas

from experiments.task_order import experiment


def table():
    rows = []
    for tile in experiment.KERNELS:
        for number, order in enumerate(experiment.ORDERS):
            for offset in ("off", "on"):
                rows.append({"tile": tile, "order": order, "k_offset": offset, "size": 4096,
                             "time_us": 500.0 - 10 * number - (5 if offset == "on" else 0),
                             "mac_efficiency": 0.7 + 0.01 * number, "mte2_stall_ratio": 0.1, "l2_read_hit_ratio": 0.95,
                             "hbm_read_MB": 67.0 + number, "hbm_write_MB": 0.0, "same_line_largest": 18,
                             "same_line_mean": 2.0 - 0.1 * number})
    return pandas.DataFrame(rows)


def test_points_are_all_orders_of_both_kernels():
    points = experiment.cases()
    assert len(points) == 2 * len(experiment.ORDERS) * 2
    assert {p.labels["size"] for p in points} == {4096}
    assert all(p.launch["grid"] == [32, 16, 1] for p in points)


def test_findings_name_best_and_worst_of_the_table():
    text = experiment.findings(table())
    assert "serpentine:3 is fastest (440.0 us" in text
    assert "rows slowest (500.0 us" in text
    assert "a factor of 1.14" in text
    assert "between 67 and 73 MB" in text


def test_figure_is_drawn(tmp_path):
    experiment.draw(table(), tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 10000
    assert (tmp_path / "figure.svg").exists()
