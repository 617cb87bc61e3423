"""Generated kernels, compiled and simulated, give what the interpreter gives. `./dl nightly` runs ten times as many."""

from collections import Counter

import pytest

from tests.property import coverage
from tests.property.check import check
from tests.property.generator import generate

SEEDS = range(200)


@pytest.mark.parametrize("seed", SEEDS)
def test_kernel(bin_folder, tmp_path, seed):
    outcome = check(seed, bin_folder, tmp_path)
    assert not outcome.problem, f"{outcome.problem}\nkernel: {tmp_path / 'kernel.ttir'}"


def test_coverage():
    counts = Counter()
    for seed in SEEDS:
        counts.update(coverage.parts(generate(seed)))
    assert not coverage.missing(counts, len(SEEDS))


def test_same_seed_same_kernel():
    assert generate(5).text == generate(5).text != generate(6).text
