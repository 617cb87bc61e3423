#!/usr/bin/python3
"""Moves each timing parameter of a chip file by one unit and shows which unit test notices.

For every number, switch and list of the chip file a copy of the chips folder is made in which only that parameter differs; the simulator's
unit test programs run against it (DLSIM_CHIPS) until a test fails. The program most likely to notice runs first, and in it the tests that
noticed an earlier parameter of the same section. One line a parameter; exit code 1 if a parameter changed and no test failed, or if the
schema refuses every change of it.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
# The tests of the chip file itself compare its numbers, which shows nothing about timing; they are left out.
CORE, MEMORY, CHIP, TOOLS = "sim-core-test", "sim-memory-real-chip-test", "sim-chip-test", "tools_test"
PROGRAMS = (MEMORY, CHIP, TOOLS, "sim-memory-test", "sim-memory-tlm-test", "sim-memory-aggregate-test", CORE)
# Section of the chip file: the programs to run before the others.
FIRST = {"chip": (TOOLS, CHIP), "launch": (CHIP,), "dma": (MEMORY,), "noc": (MEMORY,), "l2": (MEMORY,), "hbm": (MEMORY,)}
# Sizes and alignments: what fits and what is refused, not when things happen.
CAPACITIES = re.compile(r"\.(scope\.[^.]+\.(bytes|align)|capacity_bytes)$")
# Caches have whole lines and sets: a byte more is the same cache, so that the unit is the double.
WHOLE_LINES = re.compile(r"cache\.(bytes|prefetch_bytes)$")
# The schema ties these to one another: what else must change for a change to be legal.
TIED = {
    "dma.read_floor": "dma.pieces = { value = [512, 256], source = \"moved along\" }\n",
    # Groups, banks and their bytes make up UB's size.
    "ub.groups": "ub.bank_bytes = { value = 2048, source = \"moved along\" }\n",
    "ub.banks_per_group": "ub.bank_bytes = { value = 2048, source = \"moved along\" }\n",
    "ub.bank_bytes": "ub.groups = { value = 8, source = \"moved along\" }\n",
}


def parameters(chip_file):
    """(key, value) of every number, switch and list of numbers, in the order of the file."""
    def walk(table, prefix):
        for name, entry in table.items():
            key = f"{prefix}.{name}" if prefix else name
            if isinstance(entry, dict) and "value" in entry:
                value = entry["value"]
                if not isinstance(value, str) and not (isinstance(value, list) and isinstance(value[0], str)):
                    yield key, value
            elif isinstance(entry, dict):
                yield from walk(entry, key)
    yield from walk(tomllib.loads(chip_file.read_text()), "")


def moved(key, value):
    """Candidates one unit away, the likeliest first: a switch turned over, a list without one of its numbers, the next integer up or
    down (the doubled or halved one where that is not legal, or only whole lines count), a tenth for small fractions."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, list):
        return [value[:i] + value[i + 1:] for i in range(len(value) - 1)]
    if isinstance(value, float):
        step = 1.0 if value >= 8 else 0.1
        return [value + step, value - step, value * 0.9]
    steps = [] if WHOLE_LINES.search(key) else [value + 1, value - 1]
    return steps + [value * 2, value // 2]


def toml(value):
    """A value as TOML writes it."""
    return str(value).lower() if isinstance(value, bool) else repr(value)


class Tests:
    """The test programs, and which of their tests have noticed something so far."""

    def __init__(self, build):
        self.folder = build / "bin"
        self.witnesses = {}  # section: [(program, test)], the latest first

    def run(self, program, chips, only=()):
        """Runs a program, or some tests of it, against a chips folder; returns the name of a failing test, or None."""
        environment = {**os.environ, "DLSIM_CHIPS": str(chips)}
        words = [str(self.folder / program), "--gtest_fail_fast"] + ([f"--gtest_filter={':'.join(only)}"] if only else [])
        done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=600)
        if done.returncode == 0:
            return None
        failed = re.findall(r"\[  FAILED  \] (\S+)", done.stdout)
        begun = re.findall(r"\[ RUN      \] (\S+)", done.stdout)
        return (failed or begun[-1:] or [f"{program} (exit code {done.returncode})"])[0].rstrip(",")

    def noticing(self, section, chips):
        """The first test that fails with these chips, or None."""
        known = self.witnesses.setdefault(section, [])
        for program in dict.fromkeys(program for program, _ in known):
            test = self.run(program, chips, [name for of, name in known if of == program])
            if test:
                return test
        for program in dict.fromkeys(FIRST.get(section, (CORE,)) + PROGRAMS):
            test = self.run(program, chips)
            if test:
                if "(" not in test:
                    known.insert(0, (program, test))
                return test
        return None


def usable(dlsim, chips, chip):
    """Whether the changed chip file passes the schema."""
    environment = {**os.environ, "DLSIM_CHIPS": str(chips)}
    return subprocess.run([dlsim, "chips", "show", chip], capture_output=True, env=environment).returncode == 0


def noticed(key, value, chip, folder, tests, dlsim):
    """(new value, failing test or None) for the first legal change of a parameter; new value None if there is no legal one."""
    for candidate in moved(key, value):
        (folder / f"{chip}.toml").write_text(
            f'base = "original.toml"\nname = "{chip}"\ndescription = "one parameter moved"\n'
            f'{key} = {{ value = {toml(candidate)}, source = "moved by one unit" }}\n{TIED.get(key, "")}')
        if usable(dlsim, folder, chip):
            return candidate, tests.noticing(key.split(".")[0], folder)
    return None, None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=REPOSITORY / "build")
    parser.add_argument("--chip", default="ascend910b1")
    parser.add_argument("--only", help="regular expression of parameter names")
    options = parser.parse_args()
    tests, dlsim = Tests(options.build), options.build / "bin" / "dlsim"
    chips = REPOSITORY / "sim" / "chips"
    for program in PROGRAMS:
        test = tests.run(program, chips)
        if test:
            print(f"{test} fails with the unchanged chip file", file=sys.stderr)
            return 2
    names = [(key, value) for key, value in parameters(chips / f"{options.chip}.toml")
             if not CAPACITIES.search(key) and (not options.only or re.search(options.only, key))]
    unnoticed, begin = [], time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for path in chips.glob("*.toml"):
            shutil.copy(path, folder / path.name)
        shutil.copy(chips / f"{options.chip}.toml", folder / "original.toml")
        for number, (key, value) in enumerate(names, 1):
            candidate, test = noticed(key, value, options.chip, folder, tests, dlsim)
            verdict = test or ("NO TEST FAILS" if candidate is not None else "NO LEGAL CHANGE")
            print(f"[{number}/{len(names)}] {key}: {toml(value)} -> {candidate if candidate is None else toml(candidate)}: {verdict}",
                  flush=True)
            unnoticed += [] if test else [key]
    print(f"{len(names) - len(unnoticed)} of {len(names)} parameters are noticed by a unit test, {time.monotonic() - begin:.0f} s"
          + (": not " + ", ".join(unnoticed) if unnoticed else ""))
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
