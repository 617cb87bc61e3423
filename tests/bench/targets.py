#!/usr/bin/python3
"""What generated code is asked to reach on the 910B1 model, and what it reaches; each with the best order and options known.

    targets.py [NAME...]    the kernels whose names begin with one of these; without any, all of them

Cube kernels: true products over the chip's peak for the task's time, with the bound that `dlsim run` prints (waves included).
Vector kernels: bytes of inputs and outputs, cold, without the launch's head. Exit code 1 if a target is missed.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from experiments.device.cases import attention  # noqa: E402
from experiments.grouped_gemm.experiment import split  # noqa: E402
from experiments.runner import Tools, triton  # noqa: E402
from experiments.runner.cases import CASES  # noqa: E402
from experiments.runner.sweep import compiled, simulate  # noqa: E402
from experiments.runner.workloads import device, matmul, rms_norm, softmax, vector_add  # noqa: E402

CORES, SUSTAINED = 24, 1.49  # TB/s of HBM
INT8 = "tuned_matmul_int8_per_token_128x256x128"


def by_rows_of_n():
    """Replacements that let the int8 kernel read B as N x K, the way weights of a linear layer lie."""
    lines = (CASES / f"{INT8}.ttir").read_text().splitlines()
    step = next(line for line in lines if "%acc_40 =" in line)
    columns = next(line for line in lines if "%acc_44 =" in line)
    scaled = (columns.replace("%acc_44 =", "%n ="), "%n_step = tt.splat %K : i32 -> tensor<1x256xi32>", "%acc_44 = arith.muli %n, %n_step : tensor<1x256xi32>")
    return (step, "%acc_40 = arith.constant dense<1> : tensor<128x1xi32>"), (columns, "\n".join(scaled))


def int8(size, order, replace=()):
    square = [size, size]
    return triton(INT8, {}, [-(-size // 128), -(-size // 256)], dict.fromkeys("MNK", size),
                  {"a_ptr": square, "b_ptr": square, "sa_ptr": [size], "sb_ptr": [size], "c_ptr": square}, options=(order, "--shuffle-k"), replace=replace)


def small_tiles(size):
    """The tutorial's matmul as it is, in tiles of 64 x 64 x 32."""
    square = [size, size]
    return triton("matmul_ptr_ragged", {}, [(size // 64) ** 2], dict.fromkeys(("M", "N", "K", "stride_am", "stride_bk", "stride_cm"), size),
                  {"a_ptr": square, "b_ptr": square, "c_ptr": square})


def grouped(tokens, size=4096):
    """Eight experts, each with 0.7 times as many tokens as the one before."""
    counts = split(tokens, 0.3)
    offsets = [sum(counts[:i]) for i in range(len(counts) + 1)]
    return triton("tuned_grouped_gemm_128x256x64", {}, [CORES], {"E": len(counts), "N": size, "K": size},
                  {"x_ptr": [tokens, size], "w_ptr": [len(counts), size, size], "y_ptr": [tokens, size], "offs_ptr": [len(offsets)]},
                  options=("--shuffle-k",), inputs={"offs_ptr": offsets})


def targets():
    """Name, case, products or bytes, products a cycle and core (0: bytes), asked share."""
    cube = 4096**3
    yield "matmul f16 4096", matmul({}, 4096, 4096, 4096, options=("--order=diagonal:8", "--shuffle-k")), cube, 4096, 0.84
    yield "matmul f16 4096 by 64 x 64 x 32", small_tiles(4096), cube, 4096, 0.75
    yield "int8 4096, B of N x K", int8(4096, "--order=diagonal:4", by_rows_of_n()), cube, 8192, 0.80
    yield "int8 4096, B of K x N", int8(4096, "--order=serpentine:6:columns"), cube, 8192, 0.80
    yield "grouped 4096", grouped(4096), cube, 4096, 0.75
    yield "grouped 16384", grouped(16384), 4 * cube, 4096, 0.75
    yield "attention 24 heads of 8192 x 128", device({}, attention(24, 8192, 128, 256, 512, False)), 2 * 24 * 8192**2 * 128, 4096, 0.48
    yield "softmax f16 4096 x 1024", softmax({}, 4096), 4096 * 1024 * 4, 0, 0.85
    yield "rms norm bf16 4096 x 2048", rms_norm({}, 4096), 4096 * 2048 * 4, 0, 0.85
    yield "vector add f16 2^24", vector_add({}, 1 << 24), 6 << 24, 0, 0.85


def main(words):
    tools, missed = Tools(), 0
    with tempfile.TemporaryDirectory(prefix="dlsim-") as folder:
        for name, case, work, rate, asked in targets():
            if words and not any(name.startswith(word) for word in words):
                continue
            found = simulate(case, compiled(case, tools, Path(folder)), tools)
            cycles = found["cycles"]
            if rate:
                share = work / (rate * CORES * cycles)
                rest = f"{100 * found['least_cycles']['total'] / cycles:.1f} % of the bound"
            else:
                rest = f"{work * found['clock_mhz'] / (cycles - found['head_cycles']) / 1e6:.2f} TB/s"
                share = work * found["clock_mhz"] / (cycles - found["head_cycles"]) / 1e6 / SUSTAINED
            missed += share < asked
            print(f"{'met ' if share >= asked else 'NOT '} {name}: {cycles} cycles, {100 * share:.1f} %, asked {100 * asked:.0f} %, {rest}", flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
