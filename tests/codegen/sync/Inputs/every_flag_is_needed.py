"""Takes each flag out of a synchronised program and expects npu-check-sync to notice.

usage: every_flag_is_needed.py PROGRAM.mlir
"""
import re
import subprocess
import sys


def main():
    text = open(sys.argv[1]).read()
    flags = sorted(set(re.findall(r"npu\.set_flag (\w+ -> \w+ id \d+)", text)))
    superfluous = []
    for flag in flags:
        uses = re.compile(r"npu\.(set|wait)_flag " + re.escape(flag) + r"\b")
        rest = "\n".join(line for line in text.split("\n") if not uses.search(line))
        run = subprocess.run(["dl-opt", "--npu-check-sync", "-"], input=rest, capture_output=True, text=True)
        if run.returncode == 0:
            superfluous.append(flag)
    print(f"{len(flags)} flags, {len(superfluous)} superfluous: {', '.join(superfluous)}")
    return 1 if superfluous or not flags else 0


sys.exit(main())
