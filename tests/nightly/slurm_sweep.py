#!/usr/bin/python3
"""A sweep of 200 points on a one-machine Slurm cluster: the same CSV as without it, through a killed worker, and without computing again.

Run by `./dl slurm-test` (root; packages of .ci/packages-slurm.txt). Exit code 1 when a check fails.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from experiments.runner import Tools, workloads  # noqa: E402
from experiments.runner.sweep import run_sweep  # noqa: E402
from experiments.slurm.cluster import Cluster  # noqa: E402

POINTS, PARTS = 200, 20
PART = """import json, sys
sys.path.insert(0, {root!r})
from pathlib import Path
from tests.nightly.slurm_sweep import records
part = int(sys.argv[1])
Path(sys.argv[2]).write_text(json.dumps(records(part, Path({cache!r}))))
"""
SNAKEFILE = """rule all:
    input: "{out}/all.csv"
rule points:
    output: "{out}/{{part}}.json"
    shell: "{python} {script} {{wildcards.part}} {{output}}"
rule table:
    input: expand("{out}/{{part}}.json", part=range({parts}))
    output: "{out}/all.csv"
    run:
        import json
        rows = sorted(row for name in input for row in json.load(open(name)))
        open(output[0], "w").write("\\n".join(",".join(map(str, row)) for row in rows) + "\\n")
localrules: all, table
"""


def cases():
    return [workloads.vector_add({"n": 1024 * (n + 1)}, 1024 * (n + 1)) for n in range(POINTS)]


def records(part, cache):
    """[elements, cycles] of every PARTS-th point; what had to be computed is noted beside the cache."""
    results = run_sweep(cases()[part::PARTS], Tools(), jobs=1, cache=cache, say=lambda text: note(cache, text))
    return [[case.labels["n"], summary["cycles"]] for case, summary, error in results if not error]


def note(cache, text):
    cache.mkdir(parents=True, exist_ok=True)
    with (cache.parent / "computed.txt").open("a") as file:
        file.write("" if "cached" in text else text.split("]")[1].split(":")[0].strip() + "\n")


def workflow(folder, name, cache, *words, environment=None):
    """The words that run the sweep as a workflow of its own in folder/name."""
    out = folder / name
    out.mkdir()
    (out / "part.py").write_text(PART.format(root=str(ROOT), cache=str(cache)))
    (out / "Snakefile").write_text(SNAKEFILE.format(out=out, python=sys.executable, script=out / "part.py", parts=PARTS))
    return ["/usr/bin/snakemake", "-s", str(out / "Snakefile"), "--directory", str(out), "--quiet", "--nolock", "--rerun-incomplete", *words]


def check(what, good):
    print(f"{'ok' if good else 'FAILED'}: {what}", flush=True)
    if not good:
        sys.exit(1)


def computed(folder):
    path = folder / "computed.txt"
    return path.read_text().split("\n")[:-1] if path.exists() else []


def main():
    os.environ["DLSIM_BIN"] = str(Tools().folder.resolve())
    with tempfile.TemporaryDirectory(prefix="dlsim-slurm-") as text:
        folder = Path(text)
        os.chmod(folder, 0o755)
        (folder / "plain").mkdir()
        subprocess.run(workflow(folder, "here", folder / "plain" / "cache", "--cores", str(os.cpu_count())), check=True, capture_output=True)
        expected = (folder / "here" / "all.csv").read_text()
        check(f"{POINTS} points without Slurm", expected.count("\n") == POINTS)
        (folder / "shared").mkdir()
        cache = folder / "shared" / "cache"
        with Cluster(folder / "cluster") as cluster:
            words = workflow(folder, "there", cache, "--profile", str(ROOT / "experiments" / "slurm" / "profile"))
            first = subprocess.Popen(words, env=cluster.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while len(computed(folder / "shared")) < POINTS // 2 and first.poll() is None:
                time.sleep(0.2)
            cluster.kill_worker()
            first.kill()
            first.wait()
            done = len(list(cache.glob("*.json")))
            check(f"the worker was killed half way ({done} points done)", 0 < done < POINTS)
            before = len(computed(folder / "shared"))
            cluster.start_worker()
            for job in cluster.jobs():
                cluster.run("scancel", job, check=False)
            host = cluster.run("sinfo", "-h", "-o", "%n").split()[0]
            cluster.run("scontrol", "update", f"NodeName={host}", "State=RESUME", check=False)
            again = subprocess.run(words, env=cluster.environment, capture_output=True, text=True, timeout=400, check=False)
            check(f"the rerun completes {again.stderr[-300:] if again.returncode else ''}", again.returncode == 0)
            after = len(computed(folder / "shared")) - before
            check(f"finished points are not computed again: {after} of {POINTS} were left to do after {done}", after <= POINTS - done)
            check("the table is the same as without Slurm", (folder / "there" / "all.csv").read_text() == expected)
    print(json.dumps({"points": POINTS, "done before the kill": done, "computed after": after}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
