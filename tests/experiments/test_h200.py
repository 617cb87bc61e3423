"""Tile orders of the H200: schedules are permutations, and the L2 model comes near the GPU's counters."""

import os
from pathlib import Path

import pytest

from experiments.h200 import run

TOOL = Path(os.environ.get("DLSIM_BIN") or run.REPOSITORY / "build" / "bin") / "dlsim-replay"


@pytest.mark.parametrize("order", ["rows", "cols", "grouped8", "grouped3", "diag4", "diag8", "diag32"])
@pytest.mark.parametrize("grid", [(32, 32), (7, 13), (128, 16)])
def test_an_order_takes_each_tile_once(order, grid):
    assert sorted(run.tiles(order, *grid)) == [(row, column) for row in range(grid[0]) for column in range(grid[1])]


def test_first_tiles_of_the_orders():
    assert run.tiles("grouped2", 4, 4)[:4] == [(0, 0), (1, 0), (0, 1), (1, 1)]
    assert run.tiles("diag2", 4, 4)[:5] == [(0, 0), (1, 1), (0, 1), (1, 0), (0, 2)]
    with pytest.raises(ValueError):
        run.tiles("spiral", 4, 4)


def test_wrong_order_is_seen():
    def row(order, measured, predicted):
        return {"M": "1", "N": "1", "K": "1", "order": order, "measured_read_bytes": measured, "predicted_read_bytes": predicted}

    assert run.misordered([row("a", 100, 90), row("b", 120, 80)]) == [("1", "1", "1", "a", "b")]
    assert not run.misordered([row("a", 100, 90), row("b", 104, 80)])


def test_model_against_the_counters_of_one_shape():
    """The smallest shape, the one that the model is farthest from: 4096 cubed. All shapes: experiments/h200/run.py."""
    table = run.compare([row for row in run.measured() if row["shape"] == (4096, 4096, 4096)], TOOL)
    assert len(table) == 7
    assert run.mean_error(table) < 0.06
    assert not run.misordered(table)
