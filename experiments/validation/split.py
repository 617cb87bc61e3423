#!/usr/bin/python3
"""Divides the published cases into a calibration and a test part, once and for all: `split.py > split.csv`.

Cases that are compared with each other (pairs.csv) stay together. A group goes to the test part when the first
byte of the SHA-256 of its smallest case number is odd; groups that hold one of NEVER_CALIBRATE always do.
"""

import csv
import hashlib
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PUBLISHED = FOLDER / "measured" / "ascend910b_published.csv"
# The 24-core matrix products of 1536 to 7680 cubed.
NEVER_CALIBRATE = {"C149", "C150", "C151", "C152"}


def groups(cases, pairs):
    """Case -> smallest case number of those that pairs join it with."""
    leader = {case: case for case in cases}

    def find(case):
        while leader[case] != case:
            case = leader[case]
        return case

    for before, after in pairs:
        one, other = sorted((find(before), find(after)))
        leader[other] = one
    return {case: find(case) for case in cases}


def split(cases, pairs):
    """Case -> "calibration" or "test"."""
    group_of = groups(cases, pairs)
    forced = {group_of[case] for case in NEVER_CALIBRATE & set(cases)}
    return {case: "test" if group in forced or hashlib.sha256(group.encode()).digest()[0] & 1 else "calibration"
            for case, group in group_of.items()}


def read_cases():
    with PUBLISHED.open() as file:
        return list(dict.fromkeys(row["id"] for row in csv.DictReader(file)))


def read_pairs():
    with (FOLDER / "pairs.csv").open() as file:
        return [(row["before"], row["after"]) for row in csv.DictReader(file)]


if __name__ == "__main__":
    cases = read_cases()
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["case", "group", "part"])
    group_of = groups(cases, read_pairs())
    for case, part in split(cases, read_pairs()).items():
        writer.writerow([case, group_of[case], part])
