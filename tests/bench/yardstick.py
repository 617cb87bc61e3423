#!/usr/bin/python3
"""Generated code against hand-written kernels, in cycles: an fp16 matmul, softmax, and flash attention with heads of 128.

    yardstick.py [--size 8192] [--orders rows columns] [--softmax 4096] [--attention 2048 8192]

The matmul by hand is kernels/micro/matmul.c with tiles of 128 x 256 x 64 and panels of four tiles along K, which is what
`dlc` makes of the Triton kernel. The softmax by hand is kernels/micro/softmax.c: rows of 1024 halves, as the Triton kernel has
them. The attention by hand is kernels/micro/attention.c with blocks of 256 x 512; what `dlc` makes is the Triton kernel with
such blocks, its best: each key and value that is loaded serves twice as many queries as with 128 x 512. Both start each core at
keys of its own. Exit code 1 if what is generated takes more than 1.1 times as long, or if the attention by hand (scores in f32)
gets less than 48 % of the cube.
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from experiments.device import cases as launches  # noqa: E402
from experiments.runner import Tools, micro  # noqa: E402
from experiments.runner.sweep import compiled, simulate  # noqa: E402
from experiments.runner.workloads import device, matmul, softmax  # noqa: E402
from experiments.validation import builders  # noqa: E402

LIMIT = 1.1
LEAST = 0.48  # of the cube: 176 TFLOPS
ORDERS = {"rows": 0, "columns": 1}  # of the generated code, and the number of the same one in matmul.c
CHIP = "ascend910b1"
ATTENTION = ("--order=diagonal:4", "--shuffle-k")
HEADS = {2048: 12}  # four blocks of 256 rows a core; three heads are four of length 8192


def hand_written(size, order):
    square = [size, size]
    scalars = {"m": size, "n": size, "k": size, "lda": 2 * size, "ldb": 2 * size, "ldc": 2 * size, "rows_of_cores": 0,
               "columns_of_cores": 0, "m_parts": 1, "k_parts": 1, "order": ORDERS[order], "swizzle": 1, "k_shift": 0,
               "single_m": 0, "single_n": 0}
    defines = ("BM=128", "BN=256", "BK=64", "STEPA=4", "STEPB=4", "B_LAYOUT=0")
    return micro("matmul", {"by": "hand", "order": order}, "aic", [(name, "f16", square) for name in "abc"], scalars, defines)


def attentions(heads, length):
    """Cases by name: by hand with either type of scores, generated."""
    by_hand = {f"by hand, {name} scores": builders.attention(CHIP, heads, length, s_f16=name == "f16").runner_case(name) for name in ("f32", "f16")}
    return by_hand | {"generated": device({"by": "dlc"}, launches.attention(heads, length, 128, 256, 512, False), ATTENTION)}


def compare_attention(length, run):
    """Prints a line a kernel; returns by how much longer the generated one takes than the one by hand with scores in f32, and the
    share of the cube that this one gets."""
    heads = HEADS.get(length, 3)
    found = {name: run(case) for name, case in attentions(heads, length).items()}
    first = next(iter(found.values()))
    for name, summary in found.items():
        print(f"attention {heads} x {length} x 128, {name}: {summary['cycles']} cycles, ratio {summary['cycles'] / first['cycles']:.3f}, "
              f"{100 * summary['mac_efficiency']:.1f} % of the cube, {4 * heads * length**2 * 128 / summary['time_us'] / 1e6:.0f} TFLOPS, "
              f"{summary['bound_by']}", flush=True)
    return found["generated"]["cycles"] / first["cycles"], first["mac_efficiency"]


def compare_softmax(rows, run):
    """Prints a line; returns by how much longer the generated code takes."""
    hand = run(builders.softmax(CHIP, rows).runner_case("by hand"))["cycles"]
    generated = run(softmax({"by": "dlc"}, rows))["cycles"]
    print(f"softmax {rows} x 1024: by hand {hand} cycles, generated {generated} cycles, ratio {generated / hand:.3f}", flush=True)
    return generated / hand


def main(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=8192, help="of the matmul; 0: none")
    parser.add_argument("--orders", nargs="+", choices=ORDERS, default=["rows"])
    parser.add_argument("--softmax", nargs="*", type=int, default=[4096], help="rows")
    parser.add_argument("--attention", nargs="*", type=int, default=[2048, 8192], help="lengths")
    options = parser.parse_args(words)
    tools, worst, shares = Tools(), 0.0, []
    with tempfile.TemporaryDirectory(prefix="dlsim-") as folder:
        def run(case):
            return simulate(case, compiled(case, tools, Path(folder)), tools)

        for order in options.orders if options.size else []:
            hand = run(hand_written(options.size, order))["cycles"]
            generated = run(matmul({"by": "dlc", "order": order}, *[options.size] * 3, tile="128x256x64", options=(f"--order={order}",)))["cycles"]
            worst = max(worst, generated / hand)
            print(f"{options.size} cubed, {order}: by hand {hand} cycles, generated {generated} cycles, ratio {generated / hand:.3f}", flush=True)
        worst = max([worst, *(compare_softmax(rows, run) for rows in options.softmax)])
        for length in options.attention:
            ratio, share = compare_attention(length, run)
            worst = max(worst, ratio)
            shares.append(share)
    return int(worst > LIMIT or min(shares, default=1.0) < LEAST)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
