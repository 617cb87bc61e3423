"""Sums JUnit files of ctest and pytest into one line: `N passed, N failed`. Exit code 1 if anything failed."""

import argparse
import sys
import xml.etree.ElementTree as ElementTree


def count(path):
    """Returns (passed, failed, skipped) over all test cases of one JUnit file."""
    passed = failed = skipped = 0
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", help="JUnit files")
    parser.add_argument("--extra", type=int, choices=(0, 1), action="append", default=[],
                        help="one more check: 1 passed, 0 failed")
    arguments = parser.parse_args()
    passed = sum(arguments.extra)
    failed = len(arguments.extra) - passed
    skipped = 0
    for path in arguments.files:
        try:
            p, f, s = count(path)
        except (OSError, ElementTree.ParseError) as error:
            print(f"sum_results: {path}: {error}", file=sys.stderr)
            p, f, s = 0, 1, 0
        passed, failed, skipped = passed + p, failed + f, skipped + s
    if not arguments.files or passed == 0:
        print("sum_results: no results were found", file=sys.stderr)
        failed += 1
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
