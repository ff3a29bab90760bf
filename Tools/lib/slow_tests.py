"""The slowest tests of a run, from the lines that the test runner prints as each one ends.

    python3 slow_tests.py LOG...

Tests run a dozen at a time, so a time has waiting for a core in it. Compare times of one run only.
"""

import re
import sys

SHOWN = 20
# Matches `✔ Test "A used code is rejected" passed after 0.2 seconds.`, also with a function's name, and with `with 3 test cases`.
ENDED = re.compile(
    r"Test (?P<name>\".+\"|[^\s\"]+)(?: with \d+ test cases?)? (?:passed|failed) after (?P<seconds>\d+(?:\.\d+)?) seconds")


def times(lines):
    """The seconds and names of the tests that have ended, in the order of the lines."""
    for line in lines:
        found = ENDED.search(line)
        if found:
            yield float(found["seconds"]), found["name"].strip('"')


def table(lines, shown=SHOWN):
    """The lines of the table, the slowest test first, with its share of all tests' seconds; empty if no test has ended."""
    every = sorted(times(lines), reverse=True)
    if not every:
        return []
    total = sum(seconds for seconds, _ in every)
    slowest = every[:shown]
    share = sum(seconds for seconds, _ in slowest) / total if total else 0
    title = f"the slowest {len(slowest)} of {len(every)} tests: {share:.0%} of the seconds that all tests took one by one"
    return [title] + [f"{seconds:8.1f} s  {name}" for seconds, name in slowest]


def main():
    lines = []
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8", errors="replace") as log:
            lines += log.readlines()
    print("\n".join(table(lines)))


if __name__ == "__main__":
    main()
