"""Every construct of the TTIR language: a small kernel around it gives the values that numpy computes."""

import numpy as np
import pytest

from tests.e2e.language import builder, gathers, integers, probes

PROBES = {probe.name: probe for probe in probes.everything()}


@pytest.mark.parametrize("name", PROBES)
def test_values(tools, tmp_path, name):
    run(tools, tmp_path, PROBES[name])


@pytest.mark.parametrize("mode", ["off", "copy"])
@pytest.mark.parametrize("name", [probe.name for probe in (*gathers.probes(), *integers.wide())])
def test_other_lowerings(tools, tmp_path, name, mode):
    run(tools, tmp_path, PROBES[name], f"--coalesce={mode}")


def run(tools, tmp_path, probe, *options):
    source, case = builder.write(probe, tmp_path)
    kernel = tools.compile(source, *options)
    done = tools.run(kernel, case, "--out", tmp_path / "out", "--check")
    assert done.code == 0, done.out + done.err
    with np.load(tmp_path / "out" / "outputs.npz") as results:
        assert not builder.differences(probe, results)
