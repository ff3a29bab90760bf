"""Instructions and allocations of a program that runs under callgrind, by the kind of its threads."""

import collections
import glob
import os
import re
import shutil
import signal
import subprocess
import time

START_SECONDS, END_SECONDS = 120, 120
# What is left of a request when its answer has arrived: models that follow the log, and waits that end.
REST_SECONDS = 2
ALLOCATIONS = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc"}
# Valgrind writes to the mask that `sigsuspend` gets, and libdispatch keeps that mask in memory that nobody may write to. So a library that
# is loaded first gives valgrind a copy.
SUSPEND = """
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
int sigsuspend(const sigset_t *mask) { sigset_t copy = *mask; return syscall(SYS_rt_sigsuspend, &copy, 8); }
"""


class Failed(Exception):
    """A program could not be counted."""


class Counts:
    """What the threads of one kind did: instructions by function, and calls by function."""

    def __init__(self):
        self.instructions, self.calls = collections.Counter(), collections.Counter()

    @property
    def total(self):
        return sum(self.instructions.values())

    @property
    def allocations(self):
        return sum(count for name, count in self.calls.items() if name.split("'")[0] in ALLOCATIONS)


class Counted:
    """A server that runs under callgrind, which counts nothing until `begin`."""

    def __init__(self, program, arguments, folder):
        self.folder = os.path.join(folder, os.path.basename(program))
        os.makedirs(self.folder)
        self._prepare(program)
        self.errors = os.path.join(self.folder, "errors")
        command = [
            "valgrind", "--tool=callgrind", "--instr-atstart=no", "--separate-threads=yes", "--fair-sched=yes",
            f"--callgrind-out-file={self.folder}/counts", os.path.join(self.folder, "program"), *arguments]
        with open(self.errors, "w", encoding="utf-8") as errors:
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, text=True,
                env=dict(os.environ, LD_PRELOAD=os.path.join(self.folder, "suspend.so"), SWIFT_BACKTRACE="enable=no"))
        self.port = self._port()

    def _prepare(self, program):
        # Valgrind 3.19 cannot read the debugging information of Swift 6.3, and needs only the names of functions.
        subprocess.run(["strip", "-g", "-o", os.path.join(self.folder, "program"), program], check=True)
        for resources in glob.glob(os.path.join(os.path.dirname(program), "*.resources")):
            shutil.copytree(resources, os.path.join(self.folder, os.path.basename(resources)))
        subprocess.run(
            ["gcc", "-shared", "-fPIC", "-O1", "-x", "c", "-o", os.path.join(self.folder, "suspend.so"), "-"], input=SUSPEND, text=True,
            check=True)

    def _port(self):
        begun = time.monotonic()
        while time.monotonic() - begun < START_SECONDS:
            line = self.process.stdout.readline()
            found = re.search(r" ready on http://[^ ]*:([0-9]+)", line)
            if found:
                return int(found[1])
            if not line:
                break
        self.end()
        raise Failed(f"the server did not start:\n{open(self.errors, encoding='utf-8').read()[-1000:]}")

    def control(self, *words):
        subprocess.run(["callgrind_control", *words, str(self.process.pid)], capture_output=True, check=True)

    def begin(self):
        """Starts counting. The code that runs from now on is translated once more, so requests for warming up should come first."""
        self.control("-i", "on")

    def forget(self):
        """Sets all counts to zero."""
        time.sleep(REST_SECONDS)
        self.control("-z")

    def counts(self, kinds):
        """What was counted since `forget`, by the kind of thread.

        `kinds` are pairs of a part of a function's name and a kind. The first one decides whose function ran in the thread.
        """
        time.sleep(REST_SECONDS)
        self.control("-d")
        found = collections.defaultdict(Counts)
        for path in sorted(glob.glob(os.path.join(self.folder, "counts.1-*"))):
            instructions, calls = read(path)
            kind = next((kind for part, kind in kinds if any(part in name for name in instructions)), "other")
            found[kind].instructions.update(instructions)
            found[kind].calls.update(calls)
        return found

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def read(path):
    """Instructions and calls by function, from one file in callgrind's format."""
    names, instructions, calls = {}, collections.Counter(), collections.Counter()
    function = called = None

    def name(text):
        number, _, word = text.partition(" ")
        if word:
            names[number] = word
        return names[number]

    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith("fn="):
                function = name(line[3:].rstrip("\n"))
            elif line.startswith("cfn="):
                called = name(line[4:].rstrip("\n"))
            elif line.startswith("calls="):
                calls[called] += int(line[6:].split()[0])
                next(lines)
            elif function and line[:1] in "0123456789+-*" and line.strip():
                instructions[function] += int(line.split()[1])
    return instructions, calls
