"""The work of every peer, and its results. Shared by `Tools/peers`, its peers, and the processes that load UmaDB."""

import hashlib
import os
import shutil
import signal
import tempfile

PAYLOAD_BYTES = 256
SHOPS = 1_000
EVENT_TYPE = "Happened"
# Reads are measured only in a store whose appends have this many events.
READ_EVENTS = 64
READERS = (1, 16)
STOP_SECONDS = 20


class Skip(Exception):
    """A peer that is not installed; the text says how to install it."""


class Wrong(Exception):
    """A peer that did not do the measured work, so that its figures are invalid."""


class Shape:
    """The number of concurrent writers, and of events per append: `64x512` means 64 writers with 512 events in every append."""

    def __init__(self, text):
        writers, _, events = text.partition("x")
        self.writers, self.events = int(writers), int(events)
        if self.writers < 1 or self.events < 1:
            raise ValueError(text)

    def __str__(self):
        return f"{self.writers}x{self.events}"


class Load:
    """The work of some lanes: the time of each operation, the number of operations of each lane, and the total time."""

    def __init__(self, microseconds, counts, seconds):
        self.microseconds = sorted(microseconds)
        self.counts = counts
        self.seconds = seconds

    @property
    def count(self):
        return len(self.microseconds)

    @property
    def rate(self):
        return self.count / self.seconds

    def percentile(self, part):
        return self.microseconds[min(self.count - 1, int(self.count * part))]


def tag(lane, number):
    """A tag that no other append has, which looks random like an identifier."""
    return "unique:" + hashlib.blake2b(f"{lane}-{number}".encode(), digest_size=16).hexdigest()


def shop(lane, number):
    return f"shop:{(lane + number) % SHOPS}"


def figures_of_appends(load, shape):
    return {
        "events": load.rate * shape.events,
        "p50 of an append": load.percentile(0.5),
        "p99 of an append": load.percentile(0.99),
        "stored": load.count * shape.events,
    }


def figures_of_reads(load, readers):
    return {
        f"reads by {readers}": load.rate,
        f"p50 of a read by {readers}": load.percentile(0.5),
        f"p99 of a read by {readers}": load.percentile(0.99),
    }


class TemporaryFolder:
    """A temporary folder on the measured disk. Servers that run as another user may enter it."""

    def __init__(self, parent=None):
        self.parent = parent

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="greentea-peers-", dir=self.parent)
        os.chmod(self.path, 0o755)
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def stop(process, with_signal=signal.SIGKILL):
    """Ends a process that was started here and waits for its end. A process that does not end is killed."""
    process.send_signal(with_signal)
    try:
        process.wait(STOP_SECONDS)
    except Exception:  # Whatever happens: nothing that was started here stays.
        process.kill()
        process.wait()
