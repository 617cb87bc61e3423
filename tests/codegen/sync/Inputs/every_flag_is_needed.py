"""Takes each flag out of a synchronised program, each unit flag too, and expects npu-check-sync to notice.

usage: every_flag_is_needed.py PROGRAM.mlir
"""
import re
import subprocess
import sys


def accepted(text):
    return subprocess.run(["dl-opt", "--npu-check-sync", "-"], input=text, capture_output=True, text=True).returncode == 0


def without_flags(text):
    """What was taken out, and the rest."""
    for flag in sorted(set(re.findall(r"npu\.set_flag (\w+ -> \w+ id \d+)", text))):
        uses = re.compile(r"npu\.(set|wait)_flag " + re.escape(flag) + r"\b")
        yield flag, "\n".join(line for line in text.split("\n") if not uses.search(line))
    lines = text.split("\n")
    for number, line in enumerate(lines):
        rest = [] if "npu.hand_over" in line else [re.sub(r"unit_flag = \d : i32", "unit_flag = 0 : i32", line)]
        if rest != [line]:
            yield line.strip(), "\n".join(lines[:number] + rest + lines[number + 1:])


def main():
    text = open(sys.argv[1]).read()
    assert accepted(text)
    programs = list(without_flags(text))
    superfluous = [flag for flag, rest in programs if accepted(rest)]
    print(f"{len(programs)} flags, {len(superfluous)} superfluous: {', '.join(superfluous)}")
    return 1 if superfluous or not programs else 0


sys.exit(main())
