#!/usr/bin/python3
"""Moves each timing parameter of a chip file by one unit and shows which unit test notices.

For every numeric parameter of the chip file a copy of the chips folder is made in which only that parameter differs; the simulator's unit
test programs run against it (DLSIM_CHIPS) until one fails. Exit code 1 if a parameter changed and no test failed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
# The tests of the chip file itself compare its numbers, which shows nothing about timing; they are left out.
PROGRAMS = ("sim-core-test", "sim-memory-test", "sim-chip-test", "sim-memory-tlm-test", "sim-memory-aggregate-test")
# Sizes and alignments: what fits and what is refused, not when things happen.
CAPACITIES = re.compile(r"\.(scope\.[^.]+\.(bytes|align)|capacity_bytes)$")


def parameters(chip_file):
    """(key, value) of every numeric parameter in the order of the file."""
    def walk(table, prefix):
        for name, entry in table.items():
            key = f"{prefix}.{name}" if prefix else name
            if isinstance(entry, dict) and "value" in entry:
                if isinstance(entry["value"], (int, float)) and not isinstance(entry["value"], bool):
                    yield key, entry["value"]
            elif isinstance(entry, dict):
                yield from walk(entry, key)
    yield from walk(tomllib.loads(chip_file.read_text()), "")


def moved(value):
    """Candidates one unit away: the next integer up or down, a tenth for small fractions, the doubled power of two."""
    if isinstance(value, float):
        step = 1.0 if value >= 8 else 0.1
        return [value + step, value - step, value * 0.9]
    candidates = [value + 1, value - 1]
    return candidates + ([value * 2] if value and value & (value - 1) == 0 else [])


def run(program, chips, keep_going=False):
    """Runs one test program against a chips folder; returns the name of a failing test, or None."""
    environment = {**os.environ, "DLSIM_CHIPS": str(chips)}
    words = [str(program)] + ([] if keep_going else ["--gtest_fail_fast"])
    done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=600)
    if done.returncode == 0:
        return None
    failed = re.findall(r"\[  FAILED  \] (\S+)", done.stdout)
    return failed[0].rstrip(",") if failed else f"{program.name} (exit code {done.returncode})"


def usable(dlsim, chips, chip):
    """Whether the changed chip file passes the schema."""
    environment = {**os.environ, "DLSIM_CHIPS": str(chips)}
    return subprocess.run([dlsim, "chips", "show", chip], capture_output=True, env=environment).returncode == 0


def noticed(key, value, chip, folder, programs, dlsim):
    """(new value, failing test or None) for the first legal change of a parameter."""
    for candidate in moved(value):
        (folder / f"{chip}.toml").write_text(
            f'base = "original.toml"\nname = "{chip}"\ndescription = "one parameter moved"\n'
            f'{key} = {{ value = {candidate!r}, source = "moved by one unit" }}\n')
        if not usable(dlsim, folder, chip):
            continue
        for program in programs:
            test = run(program, folder)
            if test:
                return candidate, test
        return candidate, None
    return None, "refused by the schema"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=REPOSITORY / "build")
    parser.add_argument("--chip", default="ascend910b1")
    parser.add_argument("--only", help="regular expression of parameter names")
    options = parser.parse_args()
    programs = [options.build / "bin" / name for name in PROGRAMS]
    dlsim = options.build / "bin" / "dlsim"
    chips = REPOSITORY / "sim" / "chips"
    for program in programs:
        test = run(program, chips)
        if test:
            print(f"{test} fails with the unchanged chip file", file=sys.stderr)
            return 2
    names = [(key, value) for key, value in parameters(chips / f"{options.chip}.toml")
             if not CAPACITIES.search(key) and (not options.only or re.search(options.only, key))]
    unnoticed = []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for path in chips.glob("*.toml"):
            shutil.copy(path, folder / path.name)
        shutil.copy(chips / f"{options.chip}.toml", folder / "original.toml")
        for number, (key, value) in enumerate(names, 1):
            candidate, test = noticed(key, value, options.chip, folder, programs, dlsim)
            print(f"[{number}/{len(names)}] {key}: {value} -> {candidate}: {test or 'NO TEST FAILS'}", flush=True)
            unnoticed += [] if test else [key]
    print(f"{len(names) - len(unnoticed)} of {len(names)} parameters are noticed by a unit test"
          + (": not " + ", ".join(unnoticed) if unnoticed else ""))
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
