#!/usr/bin/env python3
"""Runs tests, passes their output on, and ends them when nothing has been said for too long, naming the tests that are under way.

A time limit of Swift Testing only cancels a test's task. A test that blocks a thread, or awaits what no cancellation reaches, would go on.

Usage: watch_tests.py --minutes N COMMAND...
Exits like the command, or with 124 if it was ended.
"""
import collections
import os
import queue
import re
import signal
import subprocess
import sys
import threading

STARTED = re.compile(r"^\W+ Test (?!run\b|case\b)(.+) started\.$")
ENDED = re.compile(r"^\W+ Test (?!run\b|case\b)(.+?)(?: with \d+ test cases?)? (?:passed|failed|skipped|was cancelled)\b")
KILL_SECONDS = 10


class Watch:
    """A command in a session of its own, so that it can be ended with everything that it has started."""

    def __init__(self, command, seconds, out):
        self.seconds, self.out = seconds, out
        self.under_way = collections.Counter()
        self.lines = queue.Queue()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _note(self, line):
        text = line.decode("utf-8", "replace").rstrip("\n")
        if started := STARTED.match(text):
            self.under_way[started[1]] += 1
        elif ended := ENDED.match(text):
            self.under_way[ended[1]] -= 1

    def end(self, number=signal.SIGTERM):
        """Ends the command and everything in its session."""
        for each in (number, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, each)
                self.process.wait(timeout=KILL_SECONDS)
            except ProcessLookupError:
                return
            except subprocess.TimeoutExpired:
                continue

    def run(self):
        """Returns the exit status."""
        while True:
            try:
                line = self.lines.get(timeout=self.seconds)
            except queue.Empty:
                self.end()
                names = sorted(name for name, count in self.under_way.items() if count > 0)
                self.out.write(f"✘ Nothing was said for {self.seconds:g} s. Under way: {', '.join(names) or 'no test'}\n".encode())
                self.out.flush()
                return 124
            if line is None:
                return self.process.wait(timeout=self.seconds)
            self._note(line)
            self.out.write(line)
            self.out.flush()


def main():
    if len(sys.argv) < 4 or sys.argv[1] != "--minutes":
        sys.exit(__doc__)
    watch = Watch(sys.argv[3:], float(sys.argv[2]) * 60, sys.stdout.buffer)

    def stop(number, _):
        watch.end(number)
        sys.exit(128 + number)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    status = watch.run()
    sys.exit(128 - status if status < 0 else status)


if __name__ == "__main__":
    main()
