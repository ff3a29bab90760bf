"""A data folder with a chain of five backups and two copies of its keys, made by real load. Used by Tools/check-damage."""

import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys

import demo_town
from damage_service import Service, ask, new_person

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# A visit of the till's history becomes so many events, and a request of greentea-load so many.
EVENTS_OF_A_VISIT, EVENTS_OF_A_REQUEST = 2.5, 0.24
INCREMENTS, SECONDS_OF_LOAD = 4, 2
DATA, CHAIN, KEYS_OLD, KEYS = "data", "backups", "keys-old", "keys-new"

# Each kind of file: its name, its share of the cases, and the paths that belong to it. The first that matches counts.
KINDS = [
    ("log", 5, r"data/log/data\.mdb"),
    ("keys", 4, r"data/keys/data\.mdb"),
    ("model", 7, r"data/derived/models/(?!discovery/)[^/]+/[^/]+/data\.mdb"),
    ("search database", 3, r"data/derived/models/discovery/[^/]+/discovery\.sqlite.*"),
    ("index run", 3, r"data/derived/index/run-\d+"),
    ("index manifest", 1, r"data/derived/index/manifest"),
    ("lock file", 1, r"data/.*(lock\.mdb|writer\.lock|/writer)"),
    ("model state", 2, r"data/derived/models/.*"),
    ("checkpoint", 2, r"data/checkpoint(\.vkey)?"),
    ("master key", 1, r"data/master\.key"),
    ("picture", 3, r"data/blobs/.*"),
    ("note", 1, r"data/.*"),
    ("full backup", 3, r"backups/[^/]+/log/data\.mdb"),
    ("backup lock file", 1, r"backups/(.*/lock\.mdb|\.lock)"),
    ("increment events", 3, r"backups/[^/]+/events"),
    ("increment manifest", 2, r"backups/[^/]+/increment"),
    ("backup checkpoint", 1, r"backups/[^/]+/checkpoint(\.vkey)?"),
    ("backup picture list", 1, r"backups/[^/]+/pictures"),
    ("backup picture", 2, r"backups/[^/]+/blobs/.*"),
    ("backup other", 1, r"backups/.*"),
    ("keys copy", 3, r"keys-(old|new)/.*"),
]


class World:
    """The folder that is copied for each case."""

    def __init__(self, programs, folder, events, say):
        self.programs, self.folder, self.events, self.say = programs, folder, events, say
        self.facts = {}

    def program(self, name):
        return os.path.join(self.programs, name)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run(self, name, *arguments):
        subprocess.run([self.program(name), *arguments], check=True, capture_output=True, text=True, timeout=600)

    def make(self):
        """Makes the town, unless this folder has one of this size."""
        note = self.path("world.json")
        if os.path.exists(note):
            with open(note, encoding="utf-8") as file:
                self.facts = json.load(file)
            if self.facts["events"] == self.events:
                return
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.path(CHAIN))
        self.import_history()
        service = Service(self, self.path(DATA), self.path("server.log"))
        service.start()
        subprocess.run([sys.executable, os.path.join(ROOT, "Tools", "demo-town"), service.url], check=True, capture_output=True)
        self.facts = {"events": self.events, "used": self.use_codes(service)}
        for number in range(INCREMENTS + 1):
            keys = ["--keys", self.path(KEYS_OLD if number == 0 else KEYS)] if number in (0, INCREMENTS) else []
            self.run("greentea-audit", "backup", "--data", self.path(DATA), "--in", self.path(CHAIN), *keys,
                     *(["--incremental"] if number else []))
            self.load(service)
        service.stop()
        self.run("greentea-audit", "drill", "--data", self.path(DATA), "--scratch", self.folder)
        with open(note, "w", encoding="utf-8") as file:
            json.dump(self.facts, file)

    def import_history(self):
        """Imports the till's history, again and again for further shops, until four fifths of the events are there."""
        lines = demo_town.history().splitlines(keepends=True)
        rows = int(self.events * 0.8 / EVENTS_OF_A_VISIT)
        number = 0
        while rows > 0:
            with open(self.path("visits.csv"), "w", encoding="utf-8") as file:
                file.writelines(lines[:rows + 1])
            owner = ["--owner-phone", demo_town.OWNER] if number == 0 else []
            self.run("greentea", "import", "--data", self.path(DATA), "--visits", self.path("visits.csv"), "--goal", "10", "--redeem",
                     "--shop", demo_town.IMPORT_NAME + (f" {number}" if number else ""), *owner)
            rows -= len(lines) - 1
            number += 1

    def load(self, service):
        requests = self.events * 0.2 / EVENTS_OF_A_REQUEST / (INCREMENTS + 1)
        self.run("greentea-load", "--url", service.url, "--seconds", str(SECONDS_OF_LOAD), "--accounts", "30", "--shops", "3",
                 "--rate", str(max(100, int(requests / SECONDS_OF_LOAD))))

    def use_codes(self, service):
        """Enters some codes. Returns them: nobody may enter them again."""
        owner, customer = (new_person(service.url, phone) for phone in (demo_town.OWNER, demo_town.CUSTOMER))
        shop = ask(service.url + "/v1/me/shops", token=owner)[1]["items"][0]["id"]
        campaigns = ask(f"{service.url}/v1/shops/{shop}")[1]["campaigns"]
        campaign = next(each["id"] for each in campaigns if each["kind"] == "stampCard")
        used = [ask(f"{service.url}/v1/campaigns/{campaign}/codes", {}, owner)[1]["code"] for _ in range(3)]
        for code in used:
            ask(service.url + "/v1/stamps", {"code": code}, customer, code)
        return used

    # The files of the world, and the cases made of them.

    def files(self):
        """The paths of each kind, sorted, so that a seed means the same file again."""
        found = collections.defaultdict(list)
        for folder in (DATA, CHAIN, KEYS_OLD, KEYS):
            for place, _, names in os.walk(self.path(folder)):
                for path in (os.path.relpath(os.path.join(place, name), self.folder) for name in names):
                    kind = next(kind for kind, _, pattern in KINDS if re.fullmatch(pattern, path))
                    found[kind].append(path)
        return {kind: sorted(paths) for kind, paths in found.items()}

    def kind_of_case(self, number, seed, files):
        """The kind of a case. Each stretch of cases has every kind, the important ones more often."""
        deck = [kind for kind, share, _ in KINDS if kind in files for _ in range(share)]
        random.Random(f"{seed} {number // len(deck)}").shuffle(deck)
        return deck[number % len(deck)]

    def copy(self, place):
        """A copy of everything for one case."""
        for name in (DATA, CHAIN, KEYS_OLD, KEYS):
            subprocess.run(["cp", "-a", "--reflink=auto", self.path(name), place], check=True)
