"""The published figures: cases, metrics, numbers."""

import csv
import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
UNIT_SCALE = {"ms": 1000.0}  # to microseconds


@dataclass(frozen=True)
class Figure:
    case: str
    device: str
    operator: str
    shape: str
    variant: str
    metric: str
    value: float
    unit: str


def number(text):
    """A published value: one number, the mean of "a / b / c" or the middle of "a-b"."""
    if not re.fullmatch(r"[-+0-9.eE /]+", text):
        return None
    parts = [float(part) for part in re.split(r"\s*/\s*|(?<=[0-9])-(?=[0-9])", text)]
    return sum(parts) / len(parts)


def figures(path=FOLDER / "measured" / "ascend910b_published.csv"):
    """Case -> list of its figures, times in microseconds; rows without a number are left out."""
    found = {}
    with open(path) as file:
        for row in csv.DictReader(file):
            value = number(row["value"])
            scale = UNIT_SCALE.get(row["unit"], 1.0)
            # A metric that holds a name per variant is called by it (transfer sizes, numbers of cores).
            found.setdefault(row["id"], [])
            if value is not None:
                found[row["id"]].append(Figure(row["id"], row["device"], row["op"], row["shape"], row["variant"], row["metric"],
                                               value * scale, "us" if row["unit"] == "ms" else row["unit"]))
    return found


def table(name):
    with (FOLDER / name).open() as file:
        return list(csv.DictReader(file))


def parts():
    return {row["case"]: row["part"] for row in table("split.csv")}


def chips():
    return {row["device"]: row["chip"] for row in table("devices.csv")}


def not_expressed():
    return {case: row["reason"] for row in table("not_expressed.csv") for case in row["cases"].split()}
