#!/usr/bin/python3
"""Tile orders of a matrix product on an H200: DRAM bytes of the L2 model against the GPU's counters.

    experiments/h200/run.py [--out FOLDER] [--shape 4096x4096x4096]

The schedule of each published point is replayed through sim/chips/h200_l2.toml by build/bin/dlsim-replay, one parameter set for
all. Writes h200_orders.csv, and h200_model.csv in the measured table's columns for `dlsim compare`; prints measured and predicted bytes, the mean error, and whether the orders of each shape are in
the right order wherever their measured bytes differ by more than 5 %.
"""

import argparse
import csv
import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
MEASURED = REPOSITORY / "experiments" / "validation" / "measured" / "h200_matmul_order.csv"
TILE = (128, 128, 64)


def tiles(order, down, across):
    """The tiles of C, (row, column), as programs number them: rows, cols, groupedG (GROUP_M = G), diagT."""
    every = range(down * across)
    if order == "rows":
        return [(t // across, t % across) for t in every]
    if order == "cols":
        return [(t % down, t // down) for t in every]
    if order.startswith("grouped"):
        return [grouped(t, int(order[7:]), down, across) for t in every]
    if order.startswith("diag"):
        return list(diagonal(int(order[4:]), down, across))
    raise ValueError(f"order '{order}' is not one of rows, cols, groupedG, diagT")


def grouped(t, height, down, across):
    first = t // (height * across) * height
    rows = min(down - first, height)
    inside = t % (height * across)
    return first + inside % rows, inside // rows


def diagonal(size, down, across):
    """Squares of size x size tiles, row after row of squares; inside one a diagonal, then the next one column further."""
    for top, left in itertools.product(range(0, down, size), range(0, across, size)):
        height, width = min(size, down - top), min(size, across - left)
        yield from ((top + row, left + (row + shift) % width) for shift in range(width) for row in range(height))


def measured():
    with MEASURED.open() as file:
        return [dict(row, shape=tuple(int(row[key]) for key in "MNK")) for row in csv.DictReader(file)]


def replay(shape, order, tool):
    """The counts of one schedule: requested_bytes, read_bytes, written_bytes."""
    down, across = (-(-extent // size) for extent, size in zip(shape[:2], TILE[:2]))
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("".join(f"{row} {column}\n" for row, column in tiles(order, down, across)))
        file.flush()
        words = [tool, file.name, "--chip=h200_l2", "--shape", *shape, "--tile", *TILE]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def compare(rows, tool):
    table = []
    for row in rows:
        counts = replay(row["shape"], row["order"], tool)
        read = int(row["dram_read_bytes"])
        table.append({"M": row["M"], "N": row["N"], "K": row["K"], "order": row["order"], "measured_read_bytes": read,
                      "predicted_read_bytes": counts["read_bytes"], "read_error": counts["read_bytes"] / read - 1,
                      "measured_write_bytes": int(row["dram_write_bytes"]), "predicted_write_bytes": counts["written_bytes"],
                      "measured_l2_read_bytes": int(row["l2_read_bytes"]), "predicted_l2_read_bytes": counts["requested_bytes"]})
    return table


def model_table(table):
    """What the model says, in the columns of the measured table and under the names of experiments/device."""
    orders = {"grouped": "group", "diag": "diagonal"}
    rows = []
    for row in table:
        order = row["order"]
        for short, name in orders.items():
            order = order.replace(short, name)
        rows.append({"case": f"matmul-{row['M']}x{row['N']}x{row['K']}-{order}", **{key: row[key] for key in ("M", "N", "K", "order")},
                     "l2_read_bytes": row["predicted_l2_read_bytes"], "dram_read_bytes": row["predicted_read_bytes"],
                     "dram_write_bytes": row["predicted_write_bytes"]})
    return rows


def write(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def mean_error(table):
    return sum(abs(row["read_error"]) for row in table) / len(table)


def misordered(table, least=0.05):
    """Pairs of orders of one shape whose measured bytes differ by more than `least` and whose predicted ones say the opposite."""
    wrong = []
    for one, other in itertools.combinations(table, 2):
        if [one[key] for key in "MNK"] != [other[key] for key in "MNK"]:
            continue
        low, high = sorted((one, other), key=lambda row: row["measured_read_bytes"])
        apart = high["measured_read_bytes"] > (1 + least) * low["measured_read_bytes"]
        if apart and high["predicted_read_bytes"] <= low["predicted_read_bytes"]:
            wrong.append((low["M"], low["N"], low["K"], low["order"], high["order"]))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=REPOSITORY / "reports" / "out")
    parser.add_argument("--tool", type=Path, default=REPOSITORY / "build" / "bin" / "dlsim-replay")
    parser.add_argument("--shape", help="only this shape, as MxNxK")
    options = parser.parse_args()
    if not options.tool.exists():
        print(f"h200: {options.tool} does not exist; run ./dl build dlsim-replay first", file=sys.stderr)
        return 2
    rows = [row for row in measured() if not options.shape or options.shape == "x".join(map(str, row["shape"]))]
    if not rows:
        print(f"h200: no published point has the shape {options.shape}", file=sys.stderr)
        return 2
    table = compare(rows, options.tool)
    options.out.mkdir(parents=True, exist_ok=True)
    write(options.out / "h200_orders.csv", table)
    write(options.out / "h200_model.csv", model_table(table))
    for row in table:
        print(f"{row['M']:>6} {row['N']:>6} {row['K']:>6} {row['order']:9} {row['measured_read_bytes'] / 1e6:9.1f} MB measured "
              f"{row['predicted_read_bytes'] / 1e6:9.1f} predicted {100 * row['read_error']:+6.1f} %")
    wrong = misordered(table)
    print(f"mean error {100 * mean_error(table):.2f} %, {len(wrong)} pairs of orders the wrong way round {wrong or ''}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
