"""`./dl figures` killed half way goes on: finished points are not run again, and a run with nothing to do runs nothing."""

import os
import signal
import subprocess
import sys
import time

import pytest
from conftest import ROOT

from experiments.runner import Tools
from experiments.runner.steps import load

NAME = "ub_banks"
JOBS = 2


@pytest.fixture
def figures(tmp_path):
    """Words and environment of a workflow of its own, whose dlsim writes down each run."""
    real, folder = Tools().folder.resolve(), tmp_path / "bin"
    folder.mkdir()
    (folder / "dlc").symlink_to(real / "dlc")
    # The report's own traced runs are no points.
    (folder / "dlsim").write_text(f'#!/bin/sh\ncase "$*" in timeline*|*--trace*) ;; *) echo "$3" >> {tmp_path}/runs.txt ;; esac\n'
                                  f'exec {real}/dlsim "$@"\n')
    (folder / "dlsim").chmod(0o755)
    environment = {**os.environ, "DLSIM_BIN": str(folder), "DLSIM_CACHE": str(tmp_path / "cache")}
    words = [sys.executable, str(ROOT / "experiments" / "figures.py"), "--only", NAME, "--jobs", str(JOBS), "--out", str(tmp_path / "out")]
    return words, environment


def runs(folder):
    path = folder / "runs.txt"
    return len(path.read_text().splitlines()) if path.exists() else 0


def finished(folder):
    return {path.name: path.stat().st_mtime_ns for path in (folder / "cache" / "runner").glob("*.json")}


def test_a_killed_workflow_goes_on(figures, tmp_path):
    words, environment = figures
    points = len(load(NAME).cases(True))
    with (tmp_path / "first.txt").open("w") as log:
        first = subprocess.Popen(words, env=environment, stdout=log, stderr=log, start_new_session=True)
        until = time.monotonic() + 400
        while len(finished(tmp_path)) < points // 3 and first.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()
    done, before = finished(tmp_path), runs(tmp_path)
    assert 0 < len(done) < points, (tmp_path / "first.txt").read_text()[-1000:]
    again = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=500, check=False)
    assert again.returncode == 0, again.stderr[-2000:]
    assert {name: stamp for name, stamp in finished(tmp_path).items() if name in done} == done, "a finished point was written again"
    assert len(finished(tmp_path)) == points
    # Points that were under way when the workflow was killed are run a second time, no others.
    assert before - len(done) <= JOBS and runs(tmp_path) - before == points - len(done)
    assert (tmp_path / "out" / "index.html").exists()
    after = runs(tmp_path)
    idle = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=100, check=False)
    assert idle.returncode == 0 and runs(tmp_path) == after
    assert "points" not in idle.stderr, "no part of the sweep is looked at again"
