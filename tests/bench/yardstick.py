#!/usr/bin/python3
"""Generated code against the hand-written kernel: the same fp16 matmul, tiles, panels and order of tiles, in cycles.

    yardstick.py [--size 8192] [--orders rows columns]

The hand-written one is kernels/micro/matmul.c with tiles of 128 x 256 x 64 and panels of four tiles along K, which is what
`dlc` makes of the Triton kernel. Exit code 1 if the generated code takes more than 1.1 times as long.
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from experiments.runner import Tools, micro  # noqa: E402
from experiments.runner.sweep import compiled, simulate  # noqa: E402
from experiments.runner.workloads import matmul  # noqa: E402

LIMIT = 1.1
ORDERS = {"rows": 0, "columns": 1}  # of the generated code, and the number of the same one in matmul.c


def hand_written(size, order):
    square = [size, size]
    scalars = {"m": size, "n": size, "k": size, "lda": 2 * size, "ldb": 2 * size, "ldc": 2 * size, "rows_of_cores": 0,
               "columns_of_cores": 0, "m_parts": 1, "k_parts": 1, "order": ORDERS[order], "swizzle": 1, "k_shift": 0,
               "single_m": 0, "single_n": 0}
    defines = ("BM=128", "BN=256", "BK=64", "STEPA=4", "STEPB=4", "B_LAYOUT=0")
    return micro("matmul", {"by": "hand", "order": order}, "aic", [(name, "f16", square) for name in "abc"], scalars, defines)


def cycles(case, tools, cache):
    return simulate(case, compiled(case, tools, cache), tools)["cycles"]


def main(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=8192)
    parser.add_argument("--orders", nargs="+", choices=ORDERS, default=["rows"])
    options = parser.parse_args(words)
    tools, worst = Tools(), 0.0
    with tempfile.TemporaryDirectory(prefix="dlsim-") as folder:
        for order in options.orders:
            hand = cycles(hand_written(options.size, order), tools, Path(folder))
            generated = cycles(matmul({"by": "dlc", "order": order}, *[options.size] * 3, tile="128x256x64", options=(f"--order={order}",)),
                               tools, Path(folder))
            worst = max(worst, generated / hand)
            print(f"{options.size} cubed, {order}: by hand {hand} cycles, generated {generated} cycles, ratio {generated / hand:.3f}", flush=True)
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
