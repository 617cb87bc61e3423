#!/usr/bin/python3
"""Runs the 4096 x 4096 x 4096 matmul with values in one order and checks all of C.

All of C is checked by a Freivalds product, sampled elements are recomputed in f64. Exit code 1 if the values are wrong.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from experiments.runner import Tools, freivalds  # noqa: E402
from experiments.runner.cases import CASES, load_case  # noqa: E402
from experiments.task_order.experiment import BLOCK_M, BLOCK_N, KERNELS  # noqa: E402


def launch(kernel, size):
    """The square matmul of a size, with generated inputs."""
    square = [size, size]
    return load_case(CASES / f"{kernel}.json", [-(-size // BLOCK_M), -(-size // BLOCK_N), 1], dict.fromkeys("MNK", size),
                     dict.fromkeys(("a_ptr", "b_ptr", "c_ptr"), square), {"a_ptr": "normal(1)", "b_ptr": "normal(2)"})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--order", default="diagonal:8")
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--tile", default="128x256x256", choices=KERNELS)
    options = parser.parse_args()
    tools = Tools()
    kernel = KERNELS[options.tile]
    with tempfile.TemporaryDirectory(prefix="dlsim-") as folder:
        folder = Path(folder)
        case = folder / "case.json"
        case.write_text(json.dumps(launch(kernel, options.size)))
        tools.run("dlc", CASES / f"{kernel}.ttir", "-o", folder / "k.dlk", f"--order={options.order}")
        started = time.monotonic()
        print(tools.run("dlsim", "run", folder / "k.dlk", "--args", case, "--out", folder / "out"), end="")
        print(f"simulated with values in {time.monotonic() - started:.1f} s of wall time")
        outputs = next((folder / "out").glob("*.npz"))
        return freivalds.main([str(case), str(outputs)])


if __name__ == "__main__":
    sys.exit(main())
