"""The people in the check of the package. They send requests to the service over TLS, in a separate network."""

import ctypes
import fcntl
import json
import os
import re
import socket
import ssl
import struct
import time
import urllib.error
import urllib.request
import uuid
import zlib
from datetime import datetime, timedelta, timezone

from package_root import Failed, require

MESSAGES = "/var/lib/greentea/messages"
PHONE = "+8613800131001"


def picture():
    """A small grey PNG."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = b"".join(b"\0" + bytes([128]) * 16 for _ in range(16))
    header = struct.pack(">IIBBBBB", 16, 16, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Client:
    """A person with a phone, who uses TLS."""

    def __init__(self, root):
        self.root, self.token, self.account = root, None, None
        self.trust = ssl.create_default_context(cafile=root.path("/etc/greentea/chain.pem"))

    def ask(self, path, body=None, kind="application/json"):
        """The status, the JSON and the Retry-After header of an answer; status 0 without an answer."""
        headers = {"Content-Type": kind, "Idempotency-Key": str(uuid.uuid4())} if body is not None else {}
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(
                    urllib.request.Request("https://localhost" + path, data, headers), timeout=30, context=self.trust) as answer:
                return answer.status, json.loads(answer.read() or b"null"), 0
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"null"), int(error.headers.get("Retry-After") or 0)
        except OSError as error:
            return 0, str(error), 0

    def sign_in(self):
        self.token, sent = None, len(self.messages())
        status, answer, wait = self.ask("/v1/verifications", {"phone": PHONE})
        if status == 429 and wait <= 60:
            # A phone number gets at most one message per minute.
            time.sleep(wait)
            status, answer, _ = self.ask("/v1/verifications", {"phone": PHONE})
        require(status == 202, f"no code was sent: {status} {answer}")
        code = self.sent_after(sent)
        status, answer, _ = self.ask("/v1/sessions", {"phone": PHONE, "code": code})
        require(status == 201, f"no session: {status} {answer}")
        self.token = answer["accessToken"]
        return answer["account"]["id"]

    def messages(self):
        return self.root.read(MESSAGES).splitlines() if self.root.exists(MESSAGES) else []

    def sent_after(self, count):
        """The code in the next message. The service sends it after its answer."""
        end = time.monotonic() + 10
        while len(self.messages()) <= count:
            require(time.monotonic() < end, f"no message came into {MESSAGES}")
            time.sleep(0.1)
        return re.search(r"\b\d{6}\b", json.loads(self.messages()[-1])["text"])[0]

    def open_shop(self):
        """Opens a shop with a picture, because the picture's decoder is a child process with libraries of its own."""
        status, image, _ = self.ask("/v1/images", picture(), "image/png")
        require(status == 201, f"no picture: {status} {image}")
        status, shop, _ = self.ask("/v1/shops", {
            "name": "Tea", "phone": "+861012345670", "address": "1 Road", "location": {"latitude": 31.2, "longitude": 121.4},
            "images": [image["id"]]})
        require(status == 201, f"no shop: {status} {shop}")
        return shop["id"]

    def start_campaign(self, shop):
        """A stamp card, which is an event that no earlier backup has."""
        now = datetime.now(timezone.utc)
        starts, ends = (f"{now + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%SZ}" for seconds in (-60, 86_400))
        status, campaign, _ = self.ask(f"/v1/shops/{shop}/campaigns", {
            "kind": "stampCard", "title": "Ten cups", "details": "", "goal": 10, "reward": "The eleventh",
            "startsAt": starts, "endsAt": ends})
        require(status == 201, f"no campaign: {status} {campaign}")
        return campaign["id"]


def own_network():
    """Moves this process to a network namespace that has only loopback, where every port is free."""
    if ctypes.CDLL(None, use_errno=True).unshare(0x40000000) != 0:
        raise Failed(f"no network namespace: {os.strerror(ctypes.get_errno())}")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # Starts the loopback interface, by setting IFF_UP with the request SIOCSIFFLAGS.
        fcntl.ioctl(probe, 0x8914, struct.pack("16sh", b"lo", 1) + bytes(16))
