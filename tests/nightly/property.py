#!/usr/bin/python3
"""Generated kernels against the interpreter: tests/property with many more seeds.

Prints one line a wrong kernel and keeps its files (kernel.ttir, .json, .npz) in the folder of its seed; those of right kernels go. Exit code 1 if
a kernel is wrong, an operation or access class is rarer than it should be, or too many kernels have no single right answer.
"""

import argparse
import os
import shutil
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY))

from tests.property import coverage  # noqa: E402
from tests.property.check import Outcome, check  # noqa: E402
from tests.property.generator import generate  # noqa: E402


def run_seed(seed, bin_folder, folder, options):
    place = folder / str(seed)
    try:
        outcome = check(seed, bin_folder, place, options)
    except Exception as error:  # the harness itself: shown like a wrong kernel, and the run goes on
        outcome = Outcome(seed, problem=f"{type(error).__name__}: {error}")
    if not outcome.problem:
        shutil.rmtree(place)
    return outcome, coverage.parts(generate(seed))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="kernels (default 2000)")
    parser.add_argument("--first", type=int, default=0, help="first seed (default 0)")
    parser.add_argument("--build", type=Path, default=REPOSITORY / "build", help="build folder")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "build" / "property", help="folder for the files of wrong kernels")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="kernels at a time")
    parser.add_argument("options", nargs="*", help="options for dlc, after --")
    arguments = parser.parse_args()
    counts, wrong, ambiguous, start = Counter(), 0, 0, time.time()
    work = partial(run_seed, bin_folder=arguments.build / "bin", folder=arguments.out, options=tuple(arguments.options))
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for done, (outcome, parts) in enumerate(pool.map(work, range(arguments.first, arguments.first + arguments.count)), 1):
            counts.update(parts)
            ambiguous += outcome.ambiguous
            if outcome.problem:
                wrong += 1
                print(f"seed {outcome.seed}: {outcome.problem}\n  files: {arguments.out / str(outcome.seed)}", flush=True)
            if done % 100 == 0:
                print(f"{done} of {arguments.count} kernels, {wrong} wrong, {done / (time.time() - start):.1f} a second", flush=True)
    rare = coverage.missing(counts, arguments.count) if arguments.count >= 100 else []
    for line in rare:
        print(f"too rare: {line}")
    print(f"{arguments.count} kernels: {wrong} wrong, {ambiguous} without a single right answer")
    return 1 if wrong or rare or ambiguous * 10 > arguments.count else 0


if __name__ == "__main__":
    sys.exit(main())
