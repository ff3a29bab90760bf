"""Customers who collect stamps at any node of a cluster, and the books about what they were told. Used by Tools/cluster --faults."""

import itertools
import os
import random
import threading
import time
from datetime import datetime, timedelta, timezone

from cluster_world import Unmet, ask, until

OWNER = "+8613700000001"
STAMPS_EACH = 6
# No fault lasts longer.
OUTCOME_SECONDS = 120
# An answer that tells nothing about the outcome, or asks to try again.
UNSURE = {0, 408, 425, 429, 500, 502, 503, 504}
phones = itertools.count(1)


def new_phone():
    return f"+86138{os.getpid() % 1_000:03}{next(phones):05}"


def from_home(phone):
    """Headers by which each number comes from a network of its own, because one network gets two hundred messages a day."""
    number = int(phone[-8:])
    return {"X-Forwarded-For": f"10.{number >> 8 & 255}.{number & 255}.1"}


def sign_in(world, url, phone, tries=40):
    """An access token. A code that a writer has forgotten is asked for again."""
    home = from_home(phone)
    for _ in range(tries):
        status, _, _ = ask(url() + "/v1/verifications", {"phone": phone}, headers=home)
        if status == 202:
            code, key = until(10, lambda: world.text_message(phone), f"a code for {phone}"), os.urandom(16).hex()
            for _ in range(tries):
                status, answer, _ = ask(url() + "/v1/sessions", {"phone": phone, "code": code}, key=key, headers=home)
                if status == 201:
                    return answer["accessToken"]
                if status not in UNSURE:
                    break
                time.sleep(0.1)
        elif status not in UNSURE:
            raise Unmet(f"a code for {phone} is refused: {status}")
        time.sleep(0.2)
    raise Unmet(f"{phone} cannot sign in")


def open_shop(node, world):
    """A shop with a campaign: its id and the campaign's."""
    token, now = sign_in(world, lambda: node.url, OWNER), datetime.now(timezone.utc)
    shop = {
        "name": "好喝奶茶店", "phone": "+86 10 1234 5678", "region": "CN", "address": "南京东路 1 号",
        "location": {"latitude": 31.23, "longitude": 121.47}}
    start, end = ((now + timedelta(days=days)).isoformat().replace("+00:00", "Z") for days in (-1, 365))
    campaign = {
        "kind": "stampCard", "title": "Ten cups", "details": "Any drink.", "goal": 10, "reward": "One free drink", "startsAt": start,
        "endsAt": end}
    status, opened, _ = ask(node.url + "/v1/shops", shop, token, "shop")
    if status == 201:
        status, published, _ = ask(f"{node.url}/v1/shops/{opened['id']}/campaigns", campaign, token, "campaign")
    if status != 201:
        raise Unmet(f"a shop with a campaign: {status}")
    return opened["id"], published["id"]


def issue(world, node):
    """A new code of the shop."""
    token = sign_in(world, lambda: node.url, OWNER)
    status, answer, _ = ask(f"{node.url}/v1/campaigns/{world.campaign}/codes", {}, token, os.urandom(16).hex())
    return answer["code"] if status == 201 else "ABCDEFGH"


class Books:
    """Everything that was acknowledged."""

    def __init__(self):
        self.lock = threading.Lock()
        # (asked, answered, position)
        self.writes = []
        # By customer: (token, stamps that were acknowledged).
        self.given, self.findings, self.last_trouble = {}, [], ""

    def note(self, asked, position):
        with self.lock:
            self.writes.append((asked, time.monotonic(), position))

    def find(self, text):
        with self.lock:
            self.findings.append(text)

    def longest_gap(self, since):
        """The most seconds between two acknowledgements since a time."""
        with self.lock:
            times = [since] + sorted(answered for _, answered, _ in self.writes if answered > since)
        return max((later - earlier for earlier, later in zip(times, times[1:])), default=0)

    def disorder(self):
        """What was asked after another answer, and stands before it."""
        with self.lock:
            writes = list(self.writes)
        found, highest, answered = [], 0, sorted(writes, key=lambda write: write[1])
        index = 0
        for asked, _, position in sorted(writes):
            while index < len(answered) and answered[index][1] < asked:
                highest, index = max(highest, answered[index][2]), index + 1
            if position <= highest:
                found.append(f"position {position} was asked after the answer of {highest}")
        if len({position for _, _, position in writes}) != len(writes):
            found.append("two acknowledged writes have one position")
        return found


class Load:
    """Customers in threads. Each write is repeated with its key, at any node, until its outcome is known."""

    def __init__(self, world, campaign, workers=6, seed=1):
        self.world, self.campaign, self.books = world, campaign, Books()
        self.over, self.owner_lock, self.owner = threading.Event(), threading.Lock(), None
        self.threads = [
            threading.Thread(target=self._run, args=(random.Random(f"{seed} {number}"),), daemon=True) for number in range(workers)]
        for thread in self.threads:
            thread.start()

    def end(self):
        self.over.set()
        for thread in self.threads:
            thread.join()

    def owner_token(self, url, old=None):
        with self.owner_lock:
            if self.owner in (None, old):
                self.owner = sign_in(self.world, url, OWNER)
            return self.owner

    def _run(self, choice):
        def url():
            return choice.choice([node for node in self.world.nodes if node.alive()] or self.world.nodes).url

        while not self.over.is_set():
            try:
                self._customer(url, choice)
            except Unmet as reason:
                # Nobody can sign in while there is no writer for long.
                if not self.over.wait(1):
                    self.books.last_trouble = str(reason)

    def _customer(self, url, choice):
        token, stamps = sign_in(self.world, url, new_phone()), 0
        for _ in range(STAMPS_EACH):
            if self.over.is_set():
                break
            owner = self.owner_token(url)
            code = self._settle(url, f"/v1/campaigns/{self.campaign}/codes", {}, lambda: owner)
            if code is None:
                self.owner_token(url, old=owner)
                continue
            made = self._settle(url, "/v1/stamps", {"code": code["code"]}, lambda: token)
            if made is not None:
                stamps += 1
                self.books.given[token] = stamps
                self._read(url(), token, stamps, made["position"])
            time.sleep(choice.random() * 0.02)

    def _settle(self, url, path, body, token):
        """The answer of a write; None if the session has ended. Goes on after the end of the load, until the outcome is known."""
        key, asked = os.urandom(16).hex(), time.monotonic()
        while True:
            status, answer, headers = ask(url() + path, body, token(), key)
            if status in (200, 201):
                self.books.note(asked, int(headers["GreenTea-Position"]))
                return answer
            if status == 401:
                return None
            if status not in UNSURE:
                self.books.find(f"{path}: refused with {status} {answer}")
                return None
            if time.monotonic() - asked > OUTCOME_SECONDS:
                self.books.find(f"{path}: no outcome in {OUTCOME_SECONDS} s, last {status} {answer}")
                return None
            time.sleep(0.05)

    def _read(self, url, token, stamps, position):
        status, answer, _ = ask(
            url + "/v1/me/cards?status=collecting,full,redeemed", token=token, headers={"GreenTea-Min-Position": str(position)})
        if status == 200 and (seen := sum(card["stamps"] for card in answer["items"])) != stamps:
            self.books.find(f"a read from {position} on shows {seen} stamps of {stamps}")

    def check(self, seconds=60):
        """Call after :meth:`end`. Compares every node with the books, and all nodes with each other."""
        books, nodes = self.books, [node for node in self.world.nodes if node.alive()]
        self.world.await_caught_up(nodes, seconds)
        texts = {ask(node.url + "/checkpoint")[1].split("\n\n")[0] for node in nodes}
        if len(texts) != 1:
            books.find(f"the nodes' checkpoints differ: {texts}")
        for token, stamps in list(books.given.items())[-60:]:
            for node in nodes:
                status, answer = self._cards(node, token)
                seen = sum(card["stamps"] for card in answer["items"]) if status == 200 else None
                # A token lives fifteen minutes.
                if status != 401 and seen != stamps:
                    books.find(f"{node.name} shows {seen} stamps ({status}) of a customer who was given {stamps}")
        return books.findings + books.disorder()

    @staticmethod
    def _cards(node, token):
        """A node that was down has all events before it has done what they ask for, and refuses such reads until then."""
        end = time.monotonic() + 20
        while True:
            status, answer, _ = ask(node.url + "/v1/me/cards?status=collecting,full,redeemed", token=token)
            if status != 503 or time.monotonic() > end:
                return status, answer
            time.sleep(0.1)


class Readers:
    """One reader for each node. A read that fails while its node is up is a finding."""

    def __init__(self, world, shop):
        self.world, self.path, self.over, self.failures, self.answers = world, f"/v1/shops/{shop}", threading.Event(), [], 0
        self.threads = [threading.Thread(target=self._run, args=(node,), daemon=True) for node in world.nodes]
        for thread in self.threads:
            thread.start()

    def _run(self, node):
        while not self.over.wait(0.1):
            begun = node.alive() and node.name not in self.world.resting
            status, _, _ = ask(node.url + self.path, seconds=10)
            if not begun or not node.alive() or node.name in self.world.resting:
                continue
            self.answers += 1
            # A node that ends by itself closes its port first.
            if status != 200 and not self._ends(node):
                self.failures.append(f"a read at {node.name}, which is up: {status}")

    def _ends(self, node):
        for _ in range(30):
            if not node.alive() or node.name in self.world.resting:
                return True
            time.sleep(0.1)
        return False

    def end(self):
        self.over.set()
        for thread in self.threads:
            thread.join()
