"""One point of a sweep: a kernel, its launch, and the options it is compiled and run with."""

import copy
import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Case:
    """A point of a sweep.

    labels: columns of the CSV that say which point this is (order, tile, ...).
    kernel: path of the kernel text (.ttir, .ll, .c, .s).
    launch: content of the case file (grid, arguments).
    compile_options, run_options: words for dlc and dlsim.
    """

    labels: dict
    kernel: Path
    launch: dict
    compile_options: tuple = ()
    run_options: tuple = ()
    chip: str = "ascend910b1"

    @property
    def name(self):
        return " ".join(f"{key}={value}" for key, value in self.labels.items())


def load_case(path, grid=None, scalars=None, shapes=None, init=None):
    """Reads a case file and returns its launch with another grid, scalar values, tensor shapes or initialisers.

    scalars: {name: value}; shapes: {name: list of extents}; init: {name: initialiser such as "normal(1)"}.
    Raises KeyError when a name is not an argument of the case.
    """
    launch = copy.deepcopy(json.loads(Path(path).read_text()))
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
