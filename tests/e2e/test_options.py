"""Options change assembly and cycles, never values."""

import itertools
import json

import pytest

from conftest import CASES
from test_cases import NAMES
from tests.e2e import options


def test_every_pair_of_values_meets():
    rows = options.pairwise()
    for one, two in itertools.combinations(options.FACTORS, 2):
        for pair in itertools.product(options.FACTORS[one], options.FACTORS[two]):
            wanted = {f"{one}={pair[0]}", f"{two}={pair[1]}"}
            assert any(wanted <= set(row) for row in rows), wanted


@pytest.mark.parametrize("name", NAMES)
def test_values(tools, tmp_path, name):
    case = CASES / f"{name.split('/')[-1]}.json"
    for row in options.pairwise():
        kernel = tools.compile(CASES / f"{name}.ttir", *row)
        done = tools.run(kernel, case, "--check", "--quiet")
        assert done.code == 0, (row, done.err)


def result(tools, folder, name, *words):
    """Assembly and cycles on two cores, each of which has several programs to run."""
    source = CASES / f"{name}.ttir"
    assembly = tools.compile(source, "--emit=asm", "--no-debug-info", *words, suffix=".s").read_text()
    done = tools.run(tools.compile(source, *words), CASES / f"{name}.json", "--cores=2", "--out", folder)
    assert done.code == 0, done.err
    return assembly, json.loads((folder / "summary.json").read_text())["cycles"]


@pytest.mark.parametrize("name,word,other", [
    ("tuned_vector_add_16384", "--multibuffer=1", "--multibuffer=2"), ("tuned_matmul_rows_128x256x64", "--multibuffer=1", "--multibuffer=auto"),
    ("deinterleave", "--coalesce=off", "--coalesce=copy"), ("deinterleave", "--coalesce=copy", "--coalesce=full"),
    ("layer_norm", "--pack=off", "--pack=on"), ("silu_mul", "--sync=barrier-all", "--sync=auto")])
def test_each_option_has_an_effect(tools, tmp_path, name, word, other):
    slow, fast = (result(tools, tmp_path, name, each) for each in (word, other))
    assert slow[0] != fast[0]
    assert fast[1] < slow[1]
