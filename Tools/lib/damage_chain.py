"""One damaged file of the chain of backups or of a copy of the keys: who tells, and what is restored? Used by Tools/check-damage."""

import glob
import os
import re
import shutil
import time

from damage_cases import Case
from damage_service import Service
from damage_world import CHAIN, DATA, KEYS, KEYS_OLD, ROOT



def timed_checks():
    """The checks that a timer runs, and whether its drill reads the chain."""
    found = []
    for path in glob.glob(os.path.join(ROOT, "Tools", "deploy", "*.service")):
        with open(path, encoding="utf-8") as file:
            found += re.findall(r"(?m)^Exec\w+=.*?greentea-audit (.*)$", file.read())
    listings = [command for command in found if command.startswith("backups ")]
    names = {"backup --incremental", "drill"} | ({"backups"} if listings else set())
    verified = any("--verify" in command for command in listings)
    return names | ({"backups --verify"} if verified else set()), any(re.match("drill .*--in ", command) for command in found)


class ChainCase(Case):
    """Damage to the chain, beside an intact data folder that has gone on since the last backup."""

    def play(self, known, usual):
        self.prepare()
        self.damage()
        self.ask(usual)
        self.keys_case(known) if self.kind == "keys copy" else self.chain_case(usual)

    def tells(self, name, code, said, usual):
        """Notes that a check has told of the damage: by its exit code, or by a line that an intact chain does not have."""
        lines = {re.sub(r"\d+", "N", line.replace(self.place, "")) for line in said.splitlines()}
        strange = [line for line in lines if line and line not in usual.get(name, lines)]
        if code == 64:
            self.fault(f"{name} is not understood: {said[-200:]}")
            return False
        if code != 0 or name == "backups" and strange:
            self.saw(name, text=said)
            return True
        return False

    def ask(self, usual):
        """Asks every check that there is, the timers' first ones included."""
        self.newest = self.last()
        place = ["--data", self.path(DATA), "--in", self.path(CHAIN)]
        keys = ["--keys", self.path(KEYS_OLD), "--keys", self.path(KEYS)]
        timed, drills_chain = timed_checks()
        drill = ["drill", "--data", self.path(DATA), "--scratch", self.place, *(place[2:] if drills_chain else [])]
        told = {name for name, arguments in [
            ("backups", ["backups", *place, *keys]), ("backups --verify", ["backups", *place, *keys, "--verify"]), ("drill", drill),
            ("backup --incremental", ["backup", *place, "--incremental"])]
            if self.tells(name, *self.tool("greentea-audit", *arguments), usual)}
        self.timed, self.built_on = told & timed, "backup --incremental" not in told

    def restores(self, source, target, *keys):
        """Restores a backup into a new folder. Returns whether it is restored, and whether all of it is there."""
        code, said = self.tool("greentea-audit", "restore", "--from", source, "--data", target, *keys)
        if code != 0:
            self.texts += " " + said
            return False, False, said
        code, verified = self.tool("greentea-audit", "verify", "--data", target)
        if code != 0:
            self.fault(f"restore of {os.path.basename(source)} ends with 0, and verify of it with {code}: {verified[-300:]}")
        found, wanted = self.pictures(target), self.pictures(self.path(DATA))
        return True, code == 0 and found >= wanted, f"{found} of {wanted} pictures" if found < wanted else said

    def pictures(self, data):
        return sum(len(names) for _, _, names in os.walk(os.path.join(data, "blobs")))

    def last(self):
        return sorted(glob.glob(self.path(CHAIN, "2*")))[-1]

    def chain_case(self, usual):
        restored, whole, said = self.restores(self.last(), self.path("restored"))
        if not restored and not re.search(r"restore|backup|take", said):
            self.fault(f"restore names no way out: {said[-300:]}")
        self.harmless = restored and whole and self.first_restores()
        if not self.seen and not self.harmless:
            self.fault("no check tells of it, and the chain restores less: " + said[-200:])
        elif not self.timed and not self.harmless:
            self.fault(f"no timer tells of it, only {', '.join(self.seen)}; the chain restores less: {said[-200:]}")
        # Of the other links, an increment looks at the sizes alone.
        is_newest = self.path(self.file) == self.newest + "/events"
        if self.built_on and not restored and (is_newest or self.way in ("cut off", "removed")):
            self.fault(f"backup --incremental builds on a chain whose file is {self.way}")
        began = time.monotonic()
        code, said = self.tool("greentea-audit", "backup", "--data", self.path(DATA), "--in", self.path(CHAIN))
        self.remedy = "a full backup now"
        restored, whole, more = self.restores(self.last(), self.path("again"))
        if code != 0 or not restored or not whole:
            self.fault(f"after a full backup ({code}: {said[-200:]}), restore of {os.path.basename(self.last())}: {more[-300:]}")
        self.health_seconds = time.monotonic() - began

    def first_restores(self):
        """Whether each older backup restores too."""
        good = True
        for number, source in enumerate(sorted(glob.glob(self.path(CHAIN, "2*")))[:-1]):
            target = self.path(f"older-{number}")
            restored, _, _ = self.restores(source, target)
            good &= restored
            shutil.rmtree(target, ignore_errors=True)
        return good

    def keys_case(self, known):
        """A start on the restored log with the damaged copy must refuse or serve; with the other copy it serves."""
        if not self.seen and self.matters is not False:
            self.fault("no check tells of it")
        began = time.monotonic()
        shutil.rmtree(self.path("fresh"), ignore_errors=True)
        place = ["--data", self.path(DATA), "--in", self.path(CHAIN)]
        code, said = self.tool("greentea-audit", "backup", *place, "--keys", self.path("fresh"))
        self.remedy = "backup --keys with a new folder"
        restored, _, more = self.restores(self.last(), self.path("again"), "--keys", self.path("fresh"))
        if not restored:
            self.fault(f"after {self.remedy} ({code}: {said[-200:]}), restore: {more[-300:]}")
            return
        shutil.copy(self.path(DATA, "master.key"), self.path("again"))
        service = Service(self.world, self.path("again"), self.path("server.log"))
        try:
            if not service.start() or not known.probe(service).whole():
                self.fault(f"after {self.remedy}, a start: {service.last_words()}")
            self.health_seconds = time.monotonic() - began
        finally:
            service.end()
