"""One point of a sweep: a kernel, its launch, and the options it is compiled and run with."""

import copy
import functools
import json
from dataclasses import dataclass
from pathlib import Path

from experiments.runner.tools import REPOSITORY

CASES = REPOSITORY / "tests" / "cases"
MICRO = REPOSITORY / "kernels" / "micro"


@dataclass(frozen=True)
class Case:
    """A point of a sweep.

    labels: columns of the CSV that say which point this is (order, tile, ...).
    kernel: path of the kernel text (.ttir, .ll, .c, .s).
    launch: content of the case file (grid, arguments).
    compile_options, run_options: words for dlc and dlsim.
    replace: (old, new) pairs that are replaced in the kernel's text first, such as block sizes.
    inputs: {tensor: list of values} for tensors whose content steers the kernel.
    trace: window of cycles "BEGIN:END"; the trace's events of `trace_cores` are then in the summary as "trace".
    """

    labels: dict
    kernel: Path
    launch: dict
    compile_options: tuple = ()
    run_options: tuple = ()
    chip: str = "ascend910b1"
    replace: tuple = ()
    inputs: dict = None
    trace: str = ""
    trace_cores: tuple = ("AIC0", "AIV0", "AIV1")

    @property
    def name(self):
        return " ".join(f"{key}={value}" for key, value in self.labels.items())

    def text(self):
        """The kernel's text as it is compiled."""
        text = self.kernel.read_text()
        for old, new in self.replace:
            if old not in text:
                raise ValueError(f"{self.kernel.name}: '{old}' is to be replaced but does not occur")
            text = text.replace(old, new)
        return text


@functools.lru_cache(maxsize=None)
def _case_file(path):
    return json.loads(Path(path).read_text())


def load_case(path, grid=None, scalars=None, shapes=None, init=None):
    """Reads a case file and returns its launch with another grid, scalar values, tensor shapes or initialisers.

    scalars: {name: value}; shapes: {name: list of extents}; init: {name: initialiser such as "normal(1)"}.
    Raises KeyError when a name is not an argument of the case.
    """
    launch = copy.deepcopy(_case_file(path))
    arguments = {argument["name"]: argument for argument in launch["args"]}
    for name, value in (scalars or {}).items():
        arguments[name]["value"] = value
    for name, shape in (shapes or {}).items():
        arguments[name]["shape"] = list(shape)
    for name, text in (init or {}).items():
        arguments[name]["init"] = text
    if grid is not None:
        launch["grid"] = list(grid)
    return launch


def triton(name, labels, grid, scalars=None, shapes=None, options=(), run=(), **more):
    """A point with a kernel of tests/cases at another shape; only time is computed, so inputs are zeros."""
    path = CASES / f"{name}.json"
    shapes = shapes or {}
    inputs = [a["name"] for a in _case_file(path)["args"]
              if a["kind"] == "tensor" and a["name"] not in (more.get("inputs") or {})]
    launch = load_case(path, [*grid, 1, 1][:3], scalars, shapes, dict.fromkeys(inputs, "zeros"))
    return Case(labels, CASES / f"{name}.ttir", launch, tuple(options), ("--timing-only", "-q", *run), **more)


def micro(name, labels, kind, tensors=(), scalars=None, defines=(), run=(), cores=0, **more):
    """A point with a C kernel of kernels/micro: tensors are (name, dtype, shape), defines its macros."""
    arguments = [{"name": tensor, "kind": "tensor", "dtype": dtype, "shape": list(shape), "output": True}
                 for tensor, dtype, shape in tensors]
    arguments += [{"name": key, "kind": "scalar", "dtype": "i64", "value": int(value)} for key, value in (scalars or {}).items()]
    options = ("--timing-only", "-q", *([f"--cores={cores}"] if cores else []), *run)
    return Case(labels, MICRO / f"{name}.c", {"name": name, "kernel": name, "grid": [1, 1, 1], "args": arguments},
                (f"--kind={kind}", *(f"-D{define}" for define in defines)), options, **more)
