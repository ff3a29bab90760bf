"""Looks at the memory and the file of each member of etcd while all nodes are under load. Used by Tools/cluster --soak."""

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import threading
import time
from datetime import datetime, timedelta, timezone

from cluster_world import ask

SAMPLES = 20
# etcd keeps 64 MB of events for slow nodes, which stamps alone would take an hour to fill.
TEXT = "奶茶" * 1_000
EDITS_PER_SECOND = 5
# The writer is busy.
LATER = {429, 503}
# Garbage collection moves the memory of a member that does not grow by some percent.
GROWTH_MAX = 1.1


def grew(values):
    """Whether the highest value of the last quarter exceeds that of the quarter before."""
    quarter = max(1, len(values) // 4)
    before, last = values[-2 * quarter:-quarter] or values[:1], values[-quarter:]
    return max(last) > max(before) * GROWTH_MAX


def memory(process):
    """The bytes of a process in memory."""
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmRSS:"))


class Member:
    """A member of etcd, as NAME=PROCESS=FILE."""

    def __init__(self, text):
        self.name, process, self.file = text.split("=", 2)
        self.process, self.memory, self.size = int(process), [], []

    def look(self):
        self.memory.append(memory(self.process))
        self.size.append(os.path.getsize(self.file))
        return f"{self.name} {self.memory[-1] >> 20:>5} MB memory {self.size[-1] >> 20:>5} MB file"

    def findings(self):
        return [f"the {what} of {self.name} still grows" for what, values in (("memory", self.memory), ("file", self.size)) if grew(values)]


class Owner(threading.Thread):
    """Edits a campaign with long texts until it is told to end."""

    def __init__(self, number, url):
        super().__init__(daemon=True)
        self.phone, self.url = f"+86137{os.getpid() % 10_000:04}{number:04}", url
        self.over, self.edits, self.failure = threading.Event(), 0, None

    def ask(self, path, body, method=None, tag=None):
        """The answer and its entity tag, once the writer has room for the request."""
        key = os.urandom(16).hex()
        while True:
            status, answer, headers = ask(self.url + path, body, self.token, key, method, {"If-Match": tag} if tag else None)
            if status < 300 and status:
                return answer, headers.get("ETag")
            if status not in LATER or self.over.wait(1):
                raise ValueError(f"{path}: {status} {answer}")

    token = None

    def run(self):
        try:
            code = self.ask("/v1/verifications", {"phone": self.phone})[0]["devCode"]
            self.token = self.ask("/v1/sessions", {"phone": self.phone, "code": code})[0]["accessToken"]
            shop, _ = self.ask("/v1/shops", {
                "name": "好喝奶茶店", "phone": "+86 10 1234 5678", "region": "CN", "address": "南京东路 1 号",
                "location": {"latitude": 31.23, "longitude": 121.47}})
            start, end = ((datetime.now(timezone.utc) + timedelta(days=days)).isoformat().replace("+00:00", "Z") for days in (-1, 365))
            campaign, tag = self.ask(f"/v1/shops/{shop['id']}/campaigns", {
                "kind": "stampCard", "title": "Ten cups", "details": "", "goal": 10, "reward": "One free drink", "startsAt": start,
                "endsAt": end})
            for number in itertools.count():
                if self.over.wait(1 / EDITS_PER_SECOND):
                    return
                details = f"{number % 1_000:03}" + TEXT[3:]
                _, tag = self.ask(f"/v1/campaigns/{campaign['id']}", {"details": details}, "PATCH", tag)
                self.edits += 1
        except (ValueError, TypeError, KeyError) as reason:
            if not self.over.is_set():
                self.failure = str(reason)


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--load", required=True, help="greentea-load")
    parser.add_argument("--nodes", required=True, help="their addresses, with commas")
    parser.add_argument("--owners", type=int, default=64, help="of shops, who edit long texts")
    parser.add_argument("members", nargs="+", type=Member)
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parse(arguments)
    seconds = options.minutes * 60
    urls = options.nodes.split(",")
    with tempfile.TemporaryFile() as output:
        loads = [
            subprocess.Popen([options.load, "--url", url, "--seconds", str(seconds), "--seed", str(number)], stdout=output, stderr=output)
            for number, url in enumerate(urls, 1)
        ]
        began, findings = time.monotonic(), []
        owners = [Owner(number, urls[number % len(urls)]) for number in range(options.owners)]
        for owner in owners:
            owner.start()
        try:
            for number in range(1, SAMPLES + 1):
                time.sleep(max(0, began + number * seconds / SAMPLES - time.monotonic()))
                print(f"{time.monotonic() - began:6.0f} s  " + "   ".join(member.look() for member in options.members), flush=True)
            codes = [load.wait(seconds + 120) for load in loads]
        except OSError as reason:
            print(f"a member of etcd has ended: {reason}", file=sys.stderr)
            return 1
        finally:
            for owner in owners:
                owner.over.set()
            for load in loads:
                load.kill()
        if any(codes):
            output.seek(0)
            findings.append(f"the load ended with {codes}: " + output.read().decode(errors="replace")[-600:])
        findings += [f"an owner could not go on: {owner.failure}" for owner in owners if owner.failure]
        print(f"{sum(owner.edits for owner in owners)} edits of 6 kB beside the mix of greentea-load")
    findings += [finding for member in options.members for finding in member.findings()]
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
