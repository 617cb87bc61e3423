"""Every case under every combination of the options that must not change values, with all checks.

usage: options.py [--build FOLDER] [--jobs N] [NAME..]   (NAME: only these cases)
"""

import argparse
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.e2e.options import everything  # noqa: E402


def failure(programs, folder, name, words):
    """What went wrong, or nothing."""
    source = ROOT / "tests" / "cases" / f"{name}.ttir"
    kernel = Path(folder) / ("_".join((name, *words)).replace("/", "_") + ".dlk")
    steps = ([programs / "dlc", source, "-o", kernel, *words],
             [programs / "dlsim", "run", kernel, "--args", ROOT / "tests" / "cases" / f"{source.stem}.json", "--check", "--quiet"])
    try:
        for step in steps:
            done = subprocess.run(list(map(str, step)), capture_output=True, text=True, timeout=1800)
            if done.returncode:
                return f"{name} {' '.join(words)}: {done.stderr.strip()}"
    except subprocess.TimeoutExpired:
        return f"{name} {' '.join(words)}: not done after 1800 s"
    finally:
        kernel.unlink(missing_ok=True)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=ROOT / "build", type=Path, help="build folder (default build)")
    parser.add_argument("--jobs", default=os.cpu_count(), type=int, help="runs at a time")
    parser.add_argument("names", nargs="*", help="only these cases")
    arguments = parser.parse_args()
    listed = (ROOT / "tests" / "e2e" / "cases.txt").read_text().splitlines()
    cases = [line for line in listed if line and not line.startswith("#")]
    if unknown := [name for name in arguments.names if name not in cases]:
        parser.error(f"no case of tests/e2e/cases.txt is called {', '.join(unknown)}")
    if not (arguments.build / "bin" / "dlc").exists():
        parser.error(f"{arguments.build}/bin/dlc does not exist; build first, or give --build")
    names = arguments.names or cases
    runs = [(name, words) for name in names for words in everything()]
    programs = (arguments.build / "bin").resolve()
    failures = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(arguments.jobs) as pool:
        for done, text in enumerate(pool.map(lambda run: failure(programs, folder, *run), runs), 1):
            if text:
                failures += 1
                print(text, flush=True)
            if done % len(everything()) == 0:
                print(f"{done} of {len(runs)} runs, {failures} failed", file=sys.stderr, flush=True)
    print(f"{len(runs)} runs, {failures} failed")
    return 1 if failures else 0


sys.exit(main())
