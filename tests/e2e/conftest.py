"""Tools and files for the end-to-end tests."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY))
CASES = REPOSITORY / "tests" / "cases"
KERNELS = REPOSITORY / "tests" / "e2e" / "kernels"


@dataclass
class Done:
    code: int
    out: str
    err: str


class Tools:
    """dlc and dlsim; compiled kernels are kept for the session."""

    def __init__(self, folder):
        build = Path(os.environ.get("BUILD_DIR", REPOSITORY / "build"))
        self.bin = Path(os.environ.get("DLSIM_BIN", build / "bin"))
        self.folder = folder
        self.compiled = {}

    def call(self, name, *words, timeout=300):
        done = subprocess.run([str(self.bin / name), *map(str, words)], capture_output=True, text=True, errors="replace", timeout=timeout)
        return Done(done.returncode, done.stdout, done.stderr)

    def compile(self, source, *options, suffix=".dlk"):
        """The compiled file; a compiler error fails the test with the compiler's words."""
        key = (source, options, suffix)
        if key not in self.compiled:
            target = self.folder / f"{len(self.compiled)}_{Path(source).stem}{suffix}"
            done = self.call("dlc", source, "-o", target, *options)
            assert done.code == 0, done.err
            self.compiled[key] = target
        return self.compiled[key]

    def run(self, kernel, case, *options, timeout=300):
        return self.call("dlsim", "run", kernel, "--args", case, *options, timeout=timeout)


@pytest.fixture(scope="session")
def tools(tmp_path_factory):
    tools = Tools(tmp_path_factory.mktemp("kernels"))
    for name in ("dlc", "dlsim"):
        if not (tools.bin / name).exists():
            pytest.fail(f"{tools.bin / name} does not exist; build first or set BUILD_DIR")
    return tools


@pytest.fixture
def vector_add(tools):
    """A kernel in C, and its case."""
    return tools.compile(KERNELS / "vector_add.c", "--kind=aiv"), CASES / "vector_add.json"


def matmul_case(folder, m, n, k, **changes):
    """A case file of kernels/matmul.c with generated inputs."""
    def tensor(name, shape, **more):
        return {"name": name, "kind": "tensor", "dtype": "f16", "shape": shape, **more}

    case = {
        "name": "matmul", "kernel": "matmul_kernel", "grid": [1],
        "args": [tensor("a_ptr", [m, k], init="normal(1)"), tensor("b_ptr", [k, n], init="normal(2)"),
                 tensor("c_ptr", [m, n], output=True),
                 *({"name": name, "kind": "scalar", "dtype": "i32", "value": value} for name, value in zip("MNK", (m, n, k)))],
        **changes}
    path = folder / "matmul.json"
    path.write_text(json.dumps(case))
    return path


def argument_words(case):
    """--arg words for the assembler, which knows no signature."""
    return [f"--arg={a['name']}:{a['kind']}:{a['dtype']}" for a in json.loads(Path(case).read_text())["args"]]
