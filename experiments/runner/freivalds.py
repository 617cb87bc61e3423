#!/usr/bin/python3
"""Checks all of C = A x B of a large simulated matmul without multiplying the matrices again.

    freivalds.py CASE.json OUTPUTS.npz [--a a_ptr] [--b b_ptr] [--c c_ptr] [--trans-b] [--samples 256] [--vectors 8]

Freivalds' check: for a random vector x of signs, C x must equal A (B x). In exact arithmetic a wrong C passes one vector with
probability at most one half. C is rounded here (f16, f32), so each row of C x is compared within a bound that follows
from the rounding of its elements: half a unit in the last place of each, and the f32 sum over K. On top of that, sampled elements are
recomputed in f64 and compared with the tolerance of the case files (relative to the row's largest magnitude).
Exit code: 0 ok, 1 wrong, 2 bad input.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from experiments.runner.generate import from_bf16, tensor  # noqa: E402

# Half a unit in the last place, relative; what one element may be off by because it was rounded to its dtype.
ROUNDING = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24}
TOLERANCE = {"f16": 2e-3, "bf16": 1.6e-2, "f32": 2e-5}
LEAST = {"f16": 2.0**-25, "bf16": 0.0, "f32": 0.0}  # half of the subnormal step


class InputError(Exception):
    pass


def argument(case, name):
    for item in case["args"]:
        if item["name"] == name:
            return item
    raise InputError(f"the case has no argument '{name}'; it has {', '.join(item['name'] for item in case['args'])}")


def values(array, dtype):
    return from_bf16(array) if dtype == "bf16" else array


def operand(case_path, case, name):
    """An input as floats, generated or from the case's npz."""
    item = argument(case, name)
    if "init" in item:
        return values(tensor(item), item["dtype"])
    path = case_path.parent / case["npz"] if "npz" in case else case_path.with_suffix(".npz")
    return values(numpy.load(path)[f"in_{name}"], item["dtype"])


def check_products(a, b, c, dtype, vectors, seed):
    """Rows of C whose signed sums do not fit A (B x), with the largest excess over the bound. The sums are exact enough in f64."""
    random = numpy.random.default_rng(seed)
    k = a.shape[1]
    signs = random.integers(0, 2, size=(b.shape[1], vectors)).astype(numpy.float64) * 2 - 1
    expected = a.astype(numpy.float64) @ (b.astype(numpy.float64) @ signs)
    got = c.astype(numpy.float64) @ signs
    # The errors of a row's elements are bounded one by one; with random signs their sum grows with the root of their
    # number. Eight deviations leave no false alarm; a wrong element beyond its own tolerance shows.
    element = ROUNDING[dtype] * numpy.abs(c.astype(numpy.float64)) + LEAST[dtype]
    scale = numpy.sqrt((a.astype(numpy.float64) ** 2).sum(axis=1)) * numpy.sqrt((b.astype(numpy.float64) ** 2).sum(axis=0).mean())
    accumulate = 2.0**-24 * numpy.sqrt(k) * scale  # k roundings of a sum of that size, random signs
    bound = 8 * numpy.sqrt((element**2).sum(axis=1) / 3 + c.shape[1] * accumulate**2)
    excess = (numpy.abs(got - expected) / numpy.maximum(bound, 1e-300)[:, None]).max(axis=1)
    return numpy.flatnonzero(excess > 1), float(excess.max(initial=0))


def check_samples(a, b, c, dtype, samples, seed):
    """Sampled elements against f64; returns (largest relative error, list of wrong ones)."""
    random = numpy.random.default_rng(seed)
    rows = random.choice(c.shape[0], size=min(c.shape[0], max(1, int(numpy.sqrt(samples)))), replace=False)
    columns = random.integers(0, c.shape[1], size=(len(rows), -(-samples // len(rows))))
    worst, wrong = 0.0, []
    for row, picked in zip(rows, columns):
        line = a[row].astype(numpy.float64) @ b.astype(numpy.float64)
        largest = numpy.abs(line).max()
        error = numpy.abs(c[row, picked].astype(numpy.float64) - line[picked]) / max(largest, 1e-300)
        worst = max(worst, float(error.max()))
        wrong += [(int(row), int(column)) for column, e in zip(picked, error) if e > TOLERANCE[dtype]]
    return worst, wrong


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", type=Path)
    parser.add_argument("outputs", type=Path)
    parser.add_argument("--a", default="a_ptr")
    parser.add_argument("--b", default="b_ptr")
    parser.add_argument("--c", default="c_ptr")
    parser.add_argument("--trans-b", action="store_true", help="B is stored as N x K")
    parser.add_argument("--samples", type=int, default=256)
    parser.add_argument("--vectors", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(words)


def load(options):
    try:
        case = json.loads(options.case.read_text())
        dtype = argument(case, options.c)["dtype"]
        if dtype not in ROUNDING:
            raise InputError(f"output dtype {dtype} is not one of {' '.join(ROUNDING)}")
        a, b = operand(options.case, case, options.a), operand(options.case, case, options.b)
        c = values(numpy.load(options.outputs)[f"out_{options.c}"], dtype)
    except (OSError, ValueError, KeyError) as error:
        raise InputError(str(error)) from error
    b = b.T if options.trans_b else b
    if a.shape[1] != b.shape[0] or c.shape != (a.shape[0], b.shape[1]):
        raise InputError(f"shapes do not fit: A {a.shape}, B {b.shape}, C {c.shape}")
    return a, b, c, dtype


def main(words):
    options = parse(words)
    try:
        a, b, c, dtype = load(options)
    except InputError as error:
        print(f"freivalds: error: {error}", file=sys.stderr)
        return 2
    if not numpy.isfinite(c).all():
        print(f"wrong: {numpy.count_nonzero(~numpy.isfinite(c))} elements of C are not finite")
        return 1
    rows, excess = check_products(a, b, c, dtype, options.vectors, options.seed)
    worst, wrong = check_samples(a, b, c, dtype, options.samples, options.seed)
    shape = f"{a.shape[0]} x {b.shape[1]} x {a.shape[1]}"
    if len(rows):
        print(f"wrong: {shape}: {len(rows)} rows of C do not fit A (B x), first row {rows[0]} (largest error {excess:.3g} of the bound)")
    if wrong:
        print(f"wrong: {shape}: {len(wrong)} sampled elements are off, first at {wrong[0]} (largest relative error {worst:.3g})")
    if len(rows) or wrong:
        return 1
    print(f"ok: {shape}: all rows of C fit A (B x) for {options.vectors} vectors (largest error {excess:.3g} of the bound); "
          f"{options.samples} sampled elements within {worst:.3g} of f64 (tolerance {TOLERANCE[dtype]:.3g})")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
