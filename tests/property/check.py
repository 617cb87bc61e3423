"""Compiles and runs one generated kernel and compares it with the interpreter."""

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tests.property import generator
from tests.property.interpreter import Interpreter
from tests.property.mlir_text import parse
from tests.property.values import Ambiguous, DATA, Value


CASES = Path(__file__).resolve().parents[1] / "cases"


@dataclass
class Outcome:
    seed: int
    problem: str = ""  # empty: right
    operations: dict = field(default_factory=dict)
    accesses: list = field(default_factory=list)
    ambiguous: bool = False


def generic(bin_folder, source):
    """The kernel in MLIR's generic form."""
    done = subprocess.run([str(Path(bin_folder) / "dl-opt"), str(source), "--mlir-print-op-generic"], capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise ValueError(f"dl-opt: {done.stderr.strip()}")
    return parse(done.stdout)


def interpret(module, kernel, grid, arguments):
    """Runs the kernel; (interpreter, address of each tensor). `arguments`: (name, element, array, or a number for a scalar)."""
    machine = Interpreter(module)
    values, places = [], {}
    for name, element, content in arguments:
        if isinstance(content, np.ndarray):
            places[name] = machine.memory.add(element, content)
            values.append(Value(places[name]))
        else:
            values.append(Value(np.asarray(content).astype(DATA[element])))
    machine.launch(kernel, grid, values)
    return machine, places


def write_case(made, arrays, folder):
    args = [{"name": t.name, "kind": "tensor", "dtype": t.element, "shape": [t.size], **({"output": True} if t.output else {})} for t in made.tensors]
    args += [{"name": name, "kind": "scalar", "dtype": kind, "value": value} for name, kind, value in made.scalars]
    (folder / "kernel.json").write_text(json.dumps({"name": "kernel", "kernel": generator.KERNEL, "grid": made.grid, "args": args}, indent=1))
    np.savez(folder / "kernel.npz", **{f"in_{name}": array for name, array in arrays.items()})
    (folder / "kernel.ttir").write_text(made.text)


def differences(expected, bound, actual, element):
    """The first wrong element as text, or an empty text. Numbers within their bound, NaN for NaN."""
    if element == "bf16":
        expected, actual = ((array.view(np.uint16).astype(np.uint32) << 16).view(np.float32) for array in (expected, actual))
    with np.errstate(all="ignore"):
        same = (expected == actual) | ((expected != expected) & (actual != actual))
        same |= np.abs(expected.astype(np.float64) - actual.astype(np.float64)) <= 2 * bound
    if same.all():
        return ""
    at = int(np.flatnonzero(~same)[0])
    return f"{np.count_nonzero(~same)} of {same.size} wrong; [{at}] is {actual[at]}, not {expected[at]} ± {2 * bound[at]:.3g}"


def check(seed, bin_folder, folder, options=()):
    """The Outcome for a seed; its files stay in the folder."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    made = generator.generate(seed)
    arrays = made.arrays()
    write_case(made, arrays, folder)
    outcome = Outcome(seed, accesses=made.accesses)
    try:
        machine, places = interpret(generic(bin_folder, folder / "kernel.ttir"), generator.KERNEL, made.grid,
                                    [(t.name, t.element, arrays[t.name]) for t in made.tensors] + made.scalars)
    except Ambiguous:
        outcome.ambiguous = True
        return outcome
    outcome.operations = dict(machine.seen)
    programs = Path(bin_folder)
    for words in ([programs / "dlc", folder / "kernel.ttir", "-o", folder / "kernel.dlk", *options],
                  [programs / "dlsim", "run", folder / "kernel.dlk", "--args", folder / "kernel.json", "--out", folder / "run", "--check"]):
        done = subprocess.run([*map(str, words)], capture_output=True, text=True, errors="replace", timeout=120)
        if done.returncode:
            outcome.problem = f"{words[0].name} exit {done.returncode}: {done.stderr.strip()[-600:] or done.stdout.strip()[-600:]}"
            return outcome
    with np.load(folder / "run" / "outputs.npz") as results:
        for tensor in made.tensors:
            if tensor.output:
                expected, bound = machine.memory.tensor(places[tensor.name])
                problem = differences(expected, bound, results[f"out_{tensor.name}"].reshape(-1), tensor.element)
                if problem:
                    outcome.problem = f"{tensor.name} ({tensor.element}): {problem}"
    return outcome
