"""This log in process, the raw writer thread beside it, and whole stamps over HTTP, all measured by `greentea-bench`."""

import json
import os
import shutil
import subprocess

import peers_work

HTTP_CONNECTIONS = 64
HTTP_ROWS = {
    "events": f"durable stamps over HTTP, {HTTP_CONNECTIONS} connections",
    "p50 of an append": "  p50 of a stamp over HTTP",
    "p99 of an append": "  p99 of a stamp over HTTP",
}


def find_bench(given, root):
    """The path of greentea-bench; without it, an error that says how to build it."""
    path = given or os.path.join(root, ".build-release", "release", "greentea-bench")
    if not os.path.exists(path):
        raise peers_work.Skip(
            f"there is no {path}: swift build -c release --scratch-path .build-release --product greentea-bench, or give --bench")
    return path


def rows(bench, *arguments):
    """The figures of a run, by name."""
    done = subprocess.run([bench, "--rounds", "1", "--json", *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise peers_work.Wrong(f"greentea-bench {' '.join(arguments)}: {done.stderr.strip()[-400:]}")
    return {row["name"]: row["median"] for row in json.loads(done.stdout)["rows"]}


class Log:
    """This log, called in process. The same run measures the raw writer thread."""

    name = "log"
    description = "this log in process: LogWriter.append(_:unless:) from as many tasks, durable, indexed, with its Merkle tree"

    def __init__(self, bench):
        self.bench = bench

    def measure(self, shape, seconds, folder):
        """All figures of one shape in one round, for the log and for the raw writer."""
        found = rows(self.bench, "--part", "log", "--appends", str(shape), "--seconds", str(seconds), "--folder", folder)
        sides = (self.name, Raw.name)
        return {
            side: {name.partition(", ")[2]: value for name, value in found.items() if name.startswith(f"{side} {shape}, ")}
            for side in sides}


class Raw:
    """The raw writer thread, which is measured together with the log."""

    name = "raw LMDB"
    description = "the ceiling, in process: one thread that appends the payloads to an LMDB table and commits; no condition or tags"


class HTTP:
    """The whole service behind HTTP."""

    name = "stamps over HTTP"
    description = (
        "this service over HTTP, one stamp a request: token, idempotency, decision, read model; not a bare append; "
        f"wrk with {HTTP_CONNECTIONS} connections")

    def __init__(self, bench):
        for tool in ("wrk", "curl"):
            if not shutil.which(tool):
                raise peers_work.Skip(f"no {tool}: apt-get install {tool}")
        self.bench = bench

    def measure(self, shape, seconds, folder):
        """One event per request over this many connections; no figures for other shapes."""
        if (shape.writers, shape.events) != (HTTP_CONNECTIONS, 1):
            return None
        found = rows(self.bench, "--part", "http", "--seconds", str(seconds), "--folder", folder)
        return {figure: found[row] for figure, row in HTTP_ROWS.items()}
