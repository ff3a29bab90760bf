"""The slowest tests of a run, from the test runner's event streams.

    python3 slow_tests.py --at-once N EVENTS...

The runner starts every test at once, but only N tests run at a time. The others wait in a queue, first come, first served. The time that
the runner prints for a test includes this wait: in a run of 300 seconds, most tests would take up to 300 seconds. A test that has ended
then waits again for a thread that reports its end, for seconds if other tests occupy all threads.

Swift 6.3 writes the moments of a turn only for the cases of a test with arguments. For the other tests, this script estimates them. Both
queues keep their order, so a recorded moment bounds the moments of the tests before and after it. The table says by how much the queue
of turns misses the moments that the runner does record. Swift 6.4 writes the start of every test at its turn.

A test's own time depends on the tests beside it, because they share the processor's cores. Compare times of one run only. A run with
`swift test --no-parallel` gives the time that a test takes alone.
"""

import argparse
import collections
import json

SHOWN = 20


class Turns:
    """Which tests have a turn, while a stream is read: a queue before a fixed number of places."""

    def __init__(self, at_once):
        self.free = at_once
        self.queue = collections.deque()
        # The tests that have a turn, each with the moment at which the turn was given, in the order in which turns were given.
        self.given = []
        # The latest recorded start of a turn. Turns that are given later start later, even if they are given before that moment.
        self.started = 0.0

    def wait(self, test, moment, turns=1):
        """The test needs this many turns, from now on."""
        self.queue.extend([test] * turns)
        self._give(moment)

    def start(self, moment):
        """A turn has started, as the stream says."""
        self.started = moment

    def end(self, test, moment):
        """Ends a turn of the test. Returns when that turn began."""
        turn = next((turn for turn in self.given if turn[0] == test), None) or self._taken_from_another(test, moment)
        self.given.remove(turn)
        self.free += 1
        self._give(moment)
        return min(turn[1], moment)

    def _give(self, moment):
        while self.free > 0 and self.queue:
            self.given.append((self.queue.popleft(), max(moment, self.started)))
            self.free -= 1

    def _taken_from_another(self, test, moment):
        """The turn of a test that this queue has given to another test, because both came at nearly the same moment. It is most likely the
        last turn. The other test goes on waiting."""
        if test in self.queue:
            self.queue.remove(test)
        if self.given:
            other, moment = self.given.pop()
            self.queue.appendleft(other)
        else:
            self.free -= 1
        self.given.append((test, moment))
        return self.given[-1]


class Stream:
    """The records of one process that ran tests."""

    def __init__(self, lines, at_once):
        self.tests, self.events = {}, []
        for line in lines:
            self._read(line)
        self.events.sort(key=lambda event: event["instant"]["absolute"])
        self.turns = Turns(at_once)
        # Each test's own seconds; those of a test with arguments are the seconds of all its cases.
        self.seconds = collections.Counter()
        # The differences between the moments of the queue and those of the stream.
        self.errors = []
        self._follow()

    def _read(self, line):
        try:
            record = json.loads(line)
        except ValueError:
            return  # The last line of a process that was killed.
        if record.get("kind") == "test" and record["payload"].get("kind") == "function":
            self.tests[record["payload"]["id"]] = record["payload"]
        elif record.get("kind") == "event":
            self.events.append(record["payload"])

    def _has_cases(self, test):
        return self.tests[test].get("isParameterized", False)

    def _ends(self):
        """The end of each test without cases: before the end of the last case of every test whose end is reported later."""
        last = {event["testID"]: event["instant"]["absolute"] for event in self.events if event["kind"] == "testCaseEnded"}
        ends, bound = {}, float("inf")
        for event in reversed(self.events):
            if event["kind"] == "testEnded" and event["testID"] in self.tests:
                test = event["testID"]
                if self._has_cases(test):
                    bound = min(bound, last.get(test, bound))
                else:
                    ends[test] = min(event["instant"]["absolute"], bound)
        return ends

    def _moments(self):
        """The events of tests as pairs of a moment and an event, in the order of the moments."""
        ends, began = self._ends(), {}
        for event in self.events:
            test, moment = event.get("testID"), event["instant"]["absolute"]
            if test not in self.tests:
                continue
            if event["kind"] == "testStarted":
                began[test] = moment
            elif event["kind"] == "testEnded" and test in ends:
                moment = max(ends[test], began.get(test, moment))
            yield moment, event

    def _follow(self):
        cases = collections.Counter(event["testID"] for event in self.events if event["kind"] == "testCaseStarted")
        began = collections.defaultdict(collections.deque)
        for moment, event in sorted(self._moments(), key=lambda pair: pair[0]):
            kind, test = event["kind"], event["testID"]
            if kind == "testStarted":
                self.turns.wait(test, moment, cases[test] if self._has_cases(test) else 1)
            elif kind == "testCaseStarted":
                began[test].append(moment)
                self.turns.start(moment)
            elif kind == "testCaseEnded" and began[test]:
                exactly = began[test].popleft()
                self.errors.append(abs(self.turns.end(test, moment) - exactly))
                self.seconds[test] += moment - exactly
            elif kind == "testEnded" and not self._has_cases(test):
                self.seconds[test] += moment - self.turns.end(test, moment)

    def times(self):
        """The seconds and names of the tests that have ended."""
        return [(seconds, self.tests[test].get("displayName") or self.tests[test]["name"]) for test, seconds in self.seconds.items()]


def quantile(values, part):
    """The value that this part of the values does not exceed."""
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def table(streams, shown=SHOWN):
    """The lines of the table, the slowest test first, with its share of all tests' seconds; empty if no test has ended."""
    every = sorted((each for stream in streams for each in stream.times()), reverse=True)
    if not every:
        return []
    total = sum(seconds for seconds, _ in every)
    slowest = every[:shown]
    share = sum(seconds for seconds, _ in slowest) / total if total else 0
    title = f"the slowest {len(slowest)} of {len(every)} tests: {share:.0%} of the {total:.0f} s of all tests, without waits for a turn"
    lines = [title] + [f"{seconds:8.1f} s  {name}" for seconds, name in slowest]
    errors = [error for stream in streams for error in stream.errors]
    if errors:
        half, most = quantile(errors, 0.5), quantile(errors, 0.99)
        lines.append(f"most turns are estimated: {len(errors)} that the runner records differ by {half:.2f} s (median), {most:.2f} s (p99)")
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--at-once", type=int, required=True)
    parser.add_argument("streams", nargs="+")
    asked = parser.parse_args()
    streams = []
    for path in asked.streams:
        with open(path, encoding="utf-8", errors="replace") as lines:
            streams.append(Stream(lines, asked.at_once))
    print("\n".join(table(streams)))


if __name__ == "__main__":
    main()
