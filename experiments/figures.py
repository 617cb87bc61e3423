#!/usr/bin/python3
"""Regenerates the figures and reports/out/index.html: runs what is not up to date, on all cores, and goes on after an interruption.

Quick sizes take about six minutes on two cores, --full about three quarters of an hour (4500 s of processor time, from samples of its points). Results are cached by content in .cache (or $DLSIM_CACHE), so a rerun
computes only what a change of kernel, option, chip or tool touches. On a cluster: --profile experiments/slurm/profile.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from experiments import EXPERIMENTS  # noqa: E402
from experiments.runner.tools import CACHE_ROOT, REPOSITORY, ToolError, Tools  # noqa: E402


def command(options, snakemake):
    """The words of the workflow's program."""
    words = [snakemake, "-s", str(REPOSITORY / "experiments" / "Snakefile"), "--directory", str(CACHE_ROOT / "workflow"),
             "--rerun-incomplete", "--keep-going", "--rerun-triggers", "mtime", "params", "--nolock"]
    words += [] if options.verbose else ["--quiet", "rules"]
    words += ["--profile", str(Path(options.profile).resolve())] if options.profile else ["--cores", str(options.jobs or os.cpu_count())]
    words += ["--config", f"out={options.out.resolve()}", f"full={options.full}"]
    words += [f"only={','.join(options.only)}"] if options.only else []
    return words


def main():
    parser = argparse.ArgumentParser(prog="dl figures", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="the sizes of the figures for papers (resumable)")
    parser.add_argument("--quick", action="store_true", help="small sizes (the default)")
    parser.add_argument("--only", action="append", choices=EXPERIMENTS, help="one experiment (may be repeated)")
    parser.add_argument("--jobs", type=int, help="simulations at a time (default: the number of cores)")
    parser.add_argument("--profile", help="a Snakemake profile, for a cluster")
    parser.add_argument("--verbose", action="store_true", help="every step of the workflow")
    parser.add_argument("--record", action="store_true", help="keep the tables as experiments/NAME/recorded.csv, which the tests read")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "reports" / "out", help="folder for the results")
    options = parser.parse_args()
    snakemake = shutil.which("snakemake", path="/usr/bin:" + os.environ.get("PATH", ""))
    if not snakemake:
        print("figures: snakemake is not installed; run ./dl setup", file=sys.stderr)
        return 2
    try:
        Tools()
    except ToolError as error:
        print(f"figures: {error}", file=sys.stderr)
        return 2
    (CACHE_ROOT / "workflow").mkdir(parents=True, exist_ok=True)
    done = subprocess.run(command(options, snakemake), cwd=REPOSITORY, check=False).returncode
    if options.record and done == 0:
        for name in options.only or EXPERIMENTS:
            shutil.copyfile(options.out / f"{name}.csv", REPOSITORY / "experiments" / name / "recorded.csv")
    print(f"figures: {'report: ' + str(options.out / 'index.html') if done == 0 else 'some steps failed; run the command again to go on'}")
    return 1 if done else 0


if __name__ == "__main__":
    sys.exit(main())
