"""What checks cost: seconds on the clock, and seconds of processors, which repeat better on a machine that has other work."""

import collections
import contextlib
import os
import time

TICKS = os.sysconf("SC_CLK_TCK")
# The indices of fields in /proc/PID/stat, counted after the name of the program: the parent, and the times of the process and of its
# children that have ended.
PARENT, TIMES = 1, slice(11, 15)


def processor_seconds():
    """Of this process and all below it, such as servers and browsers, with those that have ended."""
    children, ticks = collections.defaultdict(list), {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue  # It has ended since the folder was read.
        children[int(fields[PARENT])].append(int(name))
        ticks[int(name)] = sum(map(int, fields[TIMES]))
    total, waiting = 0, [os.getpid()]
    while waiting:
        process = waiting.pop()
        total += ticks.get(process, 0)
        waiting += children[process]
    return total / TICKS


class Costs:
    """Seconds and processor seconds of each kind of work. A kind within another counts for both."""

    def __init__(self):
        self.kinds = collections.defaultdict(lambda: [0, 0.0, 0.0])

    @contextlib.contextmanager
    def of(self, kind):
        """Counts the work in the block."""
        began, before = time.monotonic(), processor_seconds()
        try:
            yield
        finally:
            entry = self.kinds[kind]
            entry[0] += 1
            entry[1] += time.monotonic() - began
            entry[2] += processor_seconds() - before


def added(each):
    """What several processes have counted, in one list of rows; the longest work first."""
    total = collections.defaultdict(lambda: [0, 0.0, 0.0])
    for kinds in each:
        for name, entry in kinds.items():
            total[name] = [one + more for one, more in zip(total[name], entry)]
    return sorted(((name, *entry) for name, entry in total.items()), key=lambda row: -row[2])


def table(title, rows):
    """Lines of names with their times: how often, seconds, and seconds of processors."""
    width = max([len(title), *(len(name) for name, *_ in rows)])
    yield f"{title:{width}}  times  seconds  processors"
    for name, count, seconds, processors in rows:
        yield f"{name:{width}}  {count:5}  {seconds:7.1f}  {processors:10.1f}"
