#!/usr/bin/env python3
"""Runs a build and shows its progress in one line, instead of its output.

Usage: build_progress.py COMMAND...

SwiftPM prints `[214/1870] Compiling …` for each step. On a terminal, one line is rewritten; elsewhere, a line a minute is printed. All of
it goes to standard error. The output is kept, and is shown as a whole if the build fails. Exits like the command.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

# The seconds between two looks at the output, and between two lines where the line cannot be rewritten.
LOOK_SECONDS = 0.5
LINE_SECONDS = 60
# Before as many seconds and steps, there is no rate from which to compute the time that is left.
RATE_SECONDS = 5
RATE_STEPS = 5

STEP = re.compile(r"\[(\d+)/(\d+)\] (\S+)")
CONTROL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
# The first word of a step, and what is shown for it. For other words, the previous one goes on being shown.
WORDS = {"Fetching": "fetching", "Downloading": "fetching", "Compiling": "compiling", "Emitting": "compiling", "Linking": "linking"}


class Progress:
    """The steps that a build has announced."""

    def __init__(self):
        self.word, self.done, self.all = "", 0, 0
        # Where the present phase began: packages are fetched faster than they are compiled.
        self.from_done, self.from_moment = 0, 0.0
        self.rest = ""

    def read(self, text, moment):
        """Reads more of the output. Its last line may be incomplete."""
        *lines, self.rest = re.split(r"[\r\n]", self.rest + CONTROL.sub("", text))
        for line in lines:
            if found := STEP.match(line):
                self._step(int(found[1]), int(found[2]), found[3], moment)

    def _step(self, done, every, word, moment):
        shown = WORDS.get(word, self.word or "compiling")
        if not self.word or "fetching" in (self.word, shown) and shown != self.word or done < self.done:
            self.from_done, self.from_moment = done, moment
        self.word, self.done, self.all = shown, done, every

    def line(self, moment):
        """`compiling 214 of 1,870, about 12 min left`; empty before the first step."""
        if not self.word:
            return ""
        left = self._seconds_left(moment)
        return f"{self.word} {self.done:,} of {self.all:,}" + ("" if left is None else f", about {duration(left)} left")

    def _seconds_left(self, moment):
        steps, seconds = self.done - self.from_done, moment - self.from_moment
        if steps < RATE_STEPS or seconds < RATE_SECONDS:
            return None
        return (self.all - self.done) * seconds / steps


def duration(seconds):
    return f"{round(seconds)} s" if seconds < 90 else f"{round(seconds / 60)} min"


class Display:
    """One line on a terminal, or a line a minute."""

    def __init__(self, out):
        self.out, self.is_terminal = out, out.isatty()
        self.shown, self.printed = "", time.monotonic()

    def show(self, line, moment):
        if self.is_terminal and line != self.shown:
            columns = os.get_terminal_size(self.out.fileno()).columns or 80
            self._write(f"\r\x1b[K{line[:columns - 1]}")
            self.shown = line
        elif not self.is_terminal and line and moment - self.printed >= LINE_SECONDS:
            self._write(line + "\n")
            self.printed = moment

    def clear(self):
        if self.shown:
            self._write("\r\x1b[K")

    def _write(self, text):
        self.out.write(text)
        self.out.flush()


def run(command, out):
    """Returns the exit status of the command."""
    progress, display = Progress(), Display(out)
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        signal.signal(signal.SIGTERM, lambda number, _: process.send_signal(number))
        # Ctrl-C reaches the build, too. What it prints then is shown.
        signal.signal(signal.SIGINT, lambda *_: None)
        position, status = 0, None
        while status is None:
            try:
                status = process.wait(LOOK_SECONDS)
            except subprocess.TimeoutExpired:
                pass
            more = os.pread(output.fileno(), 1 << 20, position)
            position += len(more)
            moment = time.monotonic()
            progress.read(more.decode("utf-8", "replace"), moment)
            display.show(progress.line(moment), moment)
        display.clear()
        if status != 0:
            output.seek(0)
            out.write(output.read().decode("utf-8", "replace"))
            out.flush()
    return 128 - status if status < 0 else status


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(run(sys.argv[1:], sys.stderr))
