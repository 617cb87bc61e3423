"""Runs sweeps of (kernel, shape, options, chip) through dlc and dlsim, with a content-addressed cache."""

from experiments.runner.cases import Case, load_case, micro, triton
from experiments.runner.sweep import run_sweep
from experiments.runner.tools import Tools

__all__ = ["Case", "Tools", "load_case", "micro", "run_sweep", "triton"]
