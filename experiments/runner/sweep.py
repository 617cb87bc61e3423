"""Runs the cases of a sweep, several at a time, and keeps every result by the content of its inputs."""

import concurrent.futures
import hashlib
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from experiments.runner.tools import CACHE_ROOT, REPOSITORY, ToolError, Tools

CACHE = CACHE_ROOT / "runner"
CHIPS = REPOSITORY / "sim" / "chips"
HEADERS = REPOSITORY / "codegen" / "cfront" / "include"


def digest(*parts):
    """A hash of texts, bytes and JSON values."""
    sha = hashlib.sha256()
    for part in parts:
        content = part if isinstance(part, bytes) else json.dumps(part, sort_keys=True).encode()
        sha.update(len(content).to_bytes(8, "little") + content)
    return sha.hexdigest()


def chip_text(chip, folder=CHIPS):
    """The text of a chip file and of those that it builds on."""
    path, texts = folder / f"{chip}.toml", []
    while path.exists():
        text = path.read_text()
        texts.append(text)
        base = [line for line in text.splitlines() if line.startswith("base")]
        if not base:
            break
        path = path.with_name(base[0].split('"')[1])
    return texts


def compile_key(case, tools):
    """A hash of everything that a binary depends on: kernel text, headers, options, the chip's buffers, compiler."""
    headers = [path.read_text() for folder in (HEADERS, case.kernel.parent) for path in sorted(folder.glob("*.h"))] if case.kernel.suffix == ".c" else []
    files = [Path(word.split("=", 1)[1]) for word in case.compile_options if "=" in word]
    named = [path.read_text() for path in files if path.is_file()]  # an order table
    return digest(case.text(), headers, named, list(case.compile_options), case.chip, tools.version_of("dlc"))


def run_key(case, binary, tools):
    """A hash of everything that a result depends on: binary, launch, options, chip file, simulator."""
    extra = [case.inputs, case.trace, list(case.trace_cores)] if case.inputs or case.trace else []
    return digest(binary, case.launch, list(case.run_options), chip_text(case.chip), tools.version_of("dlsim"), *extra)


def keep(path, content):
    """Writes a file of the cache; a reader sees all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.part")
    partial.write_bytes(content)
    partial.replace(path)


def compiled(case, tools, cache):
    """The kernel binary of a case, from the cache or by compiling it."""
    path = cache / f"{compile_key(case, tools)}.dlk"
    if not path.exists():
        with tempfile.TemporaryDirectory(prefix="dlsim-") as folder:
            binary, kernel = Path(folder) / "kernel.dlk", case.kernel
            if case.replace:
                kernel = Path(folder) / case.kernel.name
                kernel.write_text(case.text())
            tools.run("dlc", kernel, "-o", binary, f"--chip={case.chip}", *case.compile_options)
            keep(path, binary.read_bytes())
    return path


def simulate(case, binary, tools):
    """Runs one case in a folder of its own; returns the simulator's summary record."""
    with tempfile.TemporaryDirectory(prefix="dlsim-") as folder:
        folder = Path(folder)
        launch = folder / "launch.json"
        launch.write_text(json.dumps(case.launch))
        if case.inputs:
            write_inputs(case, launch.with_suffix(".npz"))
        trace = [f"--trace={case.trace}"] if case.trace else []
        tools.run("dlsim", "run", binary, "--args", launch, "--out", folder / "out", f"--chip={case.chip}",
                  *case.run_options, *trace)
        summary = json.loads((folder / "out" / "summary.json").read_text())
        if case.trace:
            summary["trace"] = busy_spans(json.loads((folder / "out" / "trace.json").read_text()), case.trace_cores)
        return summary


def write_inputs(case, path):
    """The tensors whose content steers the kernel, as the simulator reads them."""
    import numpy

    dtypes = {argument["name"]: argument["dtype"] for argument in case.launch["args"]}
    kinds = {"i32": numpy.int32, "i64": numpy.int64, "f16": numpy.float16, "f32": numpy.float32}
    numpy.savez(path, **{f"in_{name}": numpy.array(values, kinds[dtypes[name]]) for name, values in case.inputs.items()})


def busy_spans(trace, cores):
    """What the units of some cores did: [core, unit, start and length in us, name] from a trace."""
    events = trace["traceEvents"]
    processes = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    # "MTE2 +1" is a further row of MTE2, for commands that overlap.
    return [[processes[e["pid"]], threads[e["pid"], e["tid"]].split(" +")[0], e["ts"], e["dur"], e["name"]]
            for e in events if e["ph"] == "X" and processes[e["pid"]] in cores]


def result(case, tools, cache):
    """The summary of a case from the cache, or by simulating it. Returns (summary or None, error or None, cached)."""
    try:
        binary = compiled(case, tools, cache)
        path = cache / f"{run_key(case, binary.read_bytes(), tools)}.json"
        if path.exists():
            return json.loads(path.read_text()), None, True
        summary = simulate(case, binary, tools)
    except ToolError as error:
        return None, str(error), False
    keep(path, json.dumps(summary).encode())
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
            rate = f"{60 * computed / max(elapsed, 1e-3):.0f} points a minute, " if computed else ""
            say(f"  [{done}/{len(cases)}] {cases[index].name}: {state} ({elapsed:.0f} s, {rate}about {left:.0f} s left)")
    return results
