"""Runs the cases of a sweep, several at a time, and keeps every result by the content of its inputs."""

import concurrent.futures
import hashlib
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from experiments.runner.tools import REPOSITORY, ToolError, Tools

CACHE = REPOSITORY / ".cache" / "runner"


def cache_key(case, tools):
    """A hash of everything that a result depends on: kernel text, launch, options, chip file, tools."""
    chip_files = [path.read_text() for path in sorted((REPOSITORY / "sim" / "chips").glob("*.toml"))]  # they build on each other
    content = json.dumps(
        [case.kernel.read_text(), case.launch, case.compile_options, case.run_options, case.chip,
         chip_files, tools.version], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


def simulate(case, tools):
    """Compiles and runs one case in a folder of its own; returns the simulator's summary record."""
    with tempfile.TemporaryDirectory(prefix="dlsim-") as folder:
        folder = Path(folder)
        binary = folder / "kernel.dlk"
        tools.run("dlc", case.kernel, "-o", binary, f"--chip={case.chip}", *case.compile_options)
        launch = folder / "launch.json"
        launch.write_text(json.dumps(case.launch))
        tools.run("dlsim", "run", binary, "--args", launch, "--out", folder / "out", f"--chip={case.chip}",
                  *case.run_options)
        return json.loads((folder / "out" / "summary.json").read_text())


def result(case, tools, cache):
    """The summary of a case from the cache, or by simulating it. Returns (summary or None, error or None, cached)."""
    path = cache / f"{cache_key(case, tools)}.json"
    if path.exists():
        return json.loads(path.read_text()), None, True
    try:
        summary = simulate(case, tools)
    except ToolError as error:
        return None, str(error), False
    cache.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.part")
    partial.write_text(json.dumps(summary))
    partial.replace(path)
    return summary, None, False


def run_sweep(cases, tools=None, jobs=None, cache=CACHE, say=None):
    """Runs all cases; returns a list of (case, summary or None, error or None) in the order given.

    Results are cached by content, so a rerun computes only what changed. A failure is recorded, not fatal.
    """
    tools = tools or Tools()
    say = say or (lambda text: print(text, file=sys.stderr, flush=True))
    jobs = jobs or os.cpu_count()
    started = time.monotonic()
    results = [None] * len(cases)
    computed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = {pool.submit(result, case, tools, cache): index for index, case in enumerate(cases)}
        for done, future in enumerate(concurrent.futures.as_completed(waiting), 1):
            index = waiting[future]
            summary, error, cached = future.result()
            results[index] = (cases[index], summary, error)
            computed += not cached
            elapsed = time.monotonic() - started
            left = elapsed / computed * (len(cases) - done) if computed else 0
            state = "cached" if cached else ("FAILED: " + error if error else "done")
            say(f"  [{done}/{len(cases)}] {cases[index].name}: {state} ({elapsed:.0f} s, about {left:.0f} s left)")
    return results
