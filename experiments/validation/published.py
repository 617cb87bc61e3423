"""The published figures: cases, metrics, numbers."""

import csv
import re
import tomllib
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


def sources():
    """Cases whose figures the chip file takes over as they are: they test the mechanism, not the numbers."""
    return {case for row in table("sources.csv") for case in row["cases"].split()}


def parameters(path):
    """(key, value, source) of every parameter of a chip file."""
    found = []

    def walk(node, key):
        if isinstance(node, dict) and "source" in node:
            found.append((key, node["value"], node["source"]))
        elif isinstance(node, dict):
            for name, child in node.items():
                walk(child, f"{key}.{name}" if key else name)

    walk(tomllib.loads(Path(path).read_text()), "")
    return found


CHIP_FILE = FOLDER.parents[1] / "sim" / "chips" / "ascend910b1.toml"


def calibrated(path=CHIP_FILE):
    """Parameters that published cases fixed: (key, value, source, cases)."""
    return [(key, value, source, re.findall(r"C\d{3}", source)) for key, value, source in parameters(path)
            if source.startswith("calibrated")]


def assumed(path=CHIP_FILE):
    """Parameters that nobody publishes: (key, value)."""
    return [(key, value) for key, value, source in parameters(path) if source.startswith("assumed")]
