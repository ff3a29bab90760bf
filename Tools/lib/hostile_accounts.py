"""Attacks by a few accounts at one address, with all limits on: they want every slot, or work that nobody pays for.

Each attack is a function like those of `hostile_clients`, which runs in a process of its own until it is told to end. `Neighbours` are the
honest accounts beside them, each at an address of its own, which use what the attacks want to close.
"""

import json
import multiprocessing
import os
import signal
import socket
import struct
import time
import zlib

from hostile_clients import PROMISED, REQUESTS_PER_SECOND, Client

# The hostile accounts at one address, and those that read lists of codes.
ACCOUNTS, READERS = 10, 4
# The gifts that fill each history, and the stamps of a gift: together an export that is longer than the buffers of a connection.
GIFTS, GIFT_STAMPS = 35, 10
# The strips of codes of a shop, and the codes of a strip.
STRIPS, STRIP_CODES = 50, 100
# The bytes that a stalled upload keeps back, and the seconds between two of its bytes.
KEPT_BACK, DRIP_SECONDS = 600, 6


def accounts(client, count, kind):
    """Access tokens of new accounts, with their phone numbers. Their codes were sent, so their number is limited by the service."""
    base = client.random.randrange(10**6)
    phones = [f"+8613{kind}{base:06d}{number:02d}" for number in range(count)]
    return [(token, phone) for phone in phones if (token := client.sign_in(phone))]


def shop(client, token, goal=3):
    """Opens a shop with a running campaign, and returns both ids."""
    body = {"name": "Hostile", "phone": "+861012345678", "address": "1 Road", "location": {"latitude": 31.2, "longitude": 121.4}}
    place = made(patient(client, "POST", "/v1/shops", json.dumps(body), token))
    body = {"kind": "stampCard", "title": "Cups", "details": "Any.", "goal": goal, "reward": "One",
            "startsAt": "2020-01-01T00:00:00Z", "endsAt": "2099-01-01T00:00:00Z"}
    return place, made(patient(client, "POST", f"/v1/shops/{place}/campaigns", json.dumps(body), token))


def patient(client, *request):
    """Sends a request that prepares an attack, again while the service asks for patience."""
    for _ in range(300):
        status, body = client.ask(*request)
        if status != 429:
            break
        time.sleep(2)
    if status not in (201, 204):
        raise RuntimeError(f"{status} {body[:600].decode(errors='replace')}")
    return body


def made(answer):
    """The id in the answer to a request that made something."""
    return json.loads(answer)["id"]


def hold(client, ends, requests, drip=b"", every=1.0):
    """Keeps one connection open for each request and reads nothing. Connections that were closed are opened again."""
    links = {}
    client.prepared.set()
    while not ends():
        for number, request in enumerate(requests):
            if links.get(number) is None and not ends():
                try:
                    link = socket.socket()
                    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
                    link.bind((client.address, 0))
                    link.settimeout(10)
                    link.connect(client.server)
                    link.sendall(request)
                    links[number] = link
                    client.count("held")
                except OSError:
                    client.count("refused")
            elif drip:
                try:
                    links[number].send(drip)
                except OSError:
                    client.count("cut off")
                    links[number] = None
        end = time.monotonic() + every
        while time.monotonic() < end and not ends():
            time.sleep(0.1)
        for number, link in list(links.items()):
            if link is not None and not drip and is_closed(link):
                client.count("cut off")
                link.close()
                links[number] = None


def is_closed(link):
    """Whether the service has reset the connection. Nothing is read."""
    return link.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0


def stalled_uploads(client, ends):
    """Ten accounts with two uploads each, which stop some bytes before their end and then send a byte every six seconds."""
    requests = []
    for token, _ in accounts(client, ACCOUNTS, "3"):
        head = (f"POST /v1/images HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n"
                f"Content-Type: image/png\r\nContent-Length: {PROMISED}\r\n\r\n").encode()
        requests += [head + b"a" * (PROMISED - KEPT_BACK)] * 2
    hold(client, ends, requests, b"a", DRIP_SECONDS)


def unread_exports(client, ends):
    """Ten accounts with long histories that request their exports and read nothing."""
    owner = client.sign_in(f"+86137{client.random.randrange(10**8):08d}")
    _, campaign = shop(client, owner, goal=1)
    known = accounts(client, ACCOUNTS, "4")
    for _, phone in known:
        for number in range(GIFTS):
            if ends():
                return
            patient(client, "POST", f"/v1/campaigns/{campaign}/stamps", json.dumps({"phone": phone, "stamps": GIFT_STAMPS}), owner,
                    "application/json", {"Idempotency-Key": f"gift-{phone[1:]}-{number}"})
    requests = [f"GET /v1/me/export HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n\r\n".encode() for token, _ in known]
    hold(client, ends, requests)


def what_ifs(client, ends):
    """Ten owners, one of whom asks one what-if question after another, as the others do more slowly."""
    owners = [(token, *shop(client, token)) for token, _ in accounts(client, ACCOUNTS, "5")]
    number = 0
    client.prepared.set()
    while not ends():
        client.pace(10)
        number += 1
        token, place, campaign = owners[number % len(owners) if number % 5 == 0 else 0]
        client.ask("POST", f"/shop/{place}/numbers/what-if", f"campaign={campaign}&goal={2 + number % 5}", token,
                   "application/x-www-form-urlencoded")


def used_codes(client, ends):
    """Four owners of shops with five thousand codes each, who list the used ones, of which there are none."""
    places = []
    for token, _ in accounts(client, READERS, "6"):
        place, campaign = shop(client, token)
        for _ in range(STRIPS):
            if ends():
                return
            patient(client, "POST", f"/v1/campaigns/{campaign}/codes", json.dumps({"count": STRIP_CODES}), token)
        places.append((token, place))
    client.prepared.set()
    while not ends():
        client.pace(REQUESTS_PER_SECOND)
        token, place = client.random.choice(places)
        client.ask("GET", f"/v1/shops/{place}/codes?status=used&limit=100", token=token)


# The outcomes that show that an attack took place, as in `hostile_clients`.
SIGNS = {"stalled_uploads": ["held"], "unread_exports": ["held"], "what_ifs": ["303"], "used_codes": ["200"]}

ALL = [stalled_uploads, unread_exports, what_ifs, used_codes]


def picture():
    """A small PNG."""
    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
    pixels = zlib.compress(b"".join(b"\0" + os.urandom(3 * 32) for _ in range(32)))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 32, 32, 8, 2, 0, 0, 0)) + chunk(b"IDAT", pixels)
            + chunk(b"IEND", b""))


class Neighbours:
    """Honest accounts, each at an address of its own, that upload, scan, export, ask and read seldom enough for every limit."""

    COUNT = 6
    # The steps of a round, which each account plays once in this many seconds. It exports in its first round of ten minutes alone.
    SECONDS = 30

    def __init__(self, server, sms):
        self.results, self.ends = multiprocessing.Queue(), multiprocessing.Event()
        self.processes = [
            multiprocessing.Process(target=self.run, args=(number, server, sms), daemon=True) for number in range(self.COUNT)]
        for process in self.processes:
            process.start()

    def run(self, number, server, sms):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        client = Client(f"127.{150 + number}.0.1", server, sms, "", 1_000 + number)
        refused = []
        token = client.sign_in(f"+861381{number:02d}{os.getpid() % 10**5:05d}")
        place, campaign = shop(client, token)
        steps = [
            lambda: client.ask("POST", "/v1/images", picture(), token, "image/png"),
            lambda: client.ask("POST", "/scan", picture(), token, "image/png"),
            lambda: client.ask("GET", f"/v1/shops/{place}/codes?status=used", token=token),
            lambda: client.ask("POST", f"/shop/{place}/numbers/what-if", f"campaign={campaign}&goal=2", token,
                               "application/x-www-form-urlencoded"),
            lambda: client.ask("GET", f"/v1/shops/{place}/statistics", token=token),
            lambda: client.ask("GET", "/v1/me/export", token=token),
        ]
        exported = -10**9
        while not self.ends.wait(client.random.uniform(0.5, 1) * self.SECONDS / len(steps) / 2):
            step = client.random.randrange(len(steps))
            if step == 5 and time.monotonic() - exported < 61:
                continue
            if step == 5:
                exported = time.monotonic()
            status, body = steps[step]()
            if status == 0 or status >= 400:
                refused.append(f"{status} {body[:200].decode(errors='replace')}")
        self.results.put((sum(client.counts.values()), refused))

    def stop(self):
        """Returns how many requests they sent, and the answers of those that were refused."""
        self.ends.set()
        parts = [self.results.get(timeout=120) for _ in self.processes]
        for process in self.processes:
            process.join()
        return sum(count for count, _ in parts), [text for _, refused in parts for text in refused]
