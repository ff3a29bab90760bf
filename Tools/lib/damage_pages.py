"""Damage to files, and which pages of a file of LMDB have a meaning. Used by Tools/check-damage."""

import os
import struct

PAGE = 4096
BRANCH, LEAF, OVERFLOW, META, LEAF2 = 0x01, 0x02, 0x04, 0x08, 0x20
BIG, SUBTREE = 0x01, 0x02
MAGIC = 0xBEEFC0DE
NO_PAGE = 0xFFFF_FFFF_FFFF_FFFF
WAYS = ("overwritten", "zeroed", "cut off", "removed")


class Unreadable(Exception):
    """A file is not one of LMDB, or is changing while it is read."""


class Pages:
    """The pages that the newest commit of a file of LMDB uses, by a walk of its own that shares nothing with the service's."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.live = {0, 1}
        try:
            self.walk()
        except (struct.error, IndexError, RecursionError) as error:
            raise Unreadable(f"{path}: {error}") from error

    def walk(self):
        heads = [struct.unpack_from("<II", self.bytes, number * PAGE + 16)[0] == MAGIC and number for number in (0, 1)]
        if heads != [0, 1]:
            raise Unreadable("a head page is no head page")
        newest = max((0, 1), key=lambda number: struct.unpack_from("<Q", self.bytes, number * PAGE + 16 + 24 + 96 + 8)[0])
        for table in (0, 1):
            self.visit(self.root(newest * PAGE + 16 + 24 + 48 * table))

    def root(self, record):
        return struct.unpack_from("<Q", self.bytes, record + 40)[0]

    def visit(self, page):
        if page == NO_PAGE or page in self.live:
            return
        start = page * PAGE
        flags, lower = struct.unpack_from("<HH", self.bytes, start + 10)
        self.live.add(page)
        if flags & LEAF2:
            return
        if not flags & (BRANCH | LEAF):
            raise Unreadable(f"page {page} has the flags {flags:#x}")
        for offset in struct.unpack_from(f"<{(lower - 16) // 2}H", self.bytes, start + 16):
            low, high, kind, key = struct.unpack_from("<HHHH", self.bytes, start + offset)
            if flags & BRANCH:
                self.visit(low | high << 16 | kind << 32)
            elif kind & BIG:
                first = struct.unpack_from("<Q", self.bytes, start + offset + 8 + key)[0]
                self.live.update(range(first, first + struct.unpack_from("<I", self.bytes, first * PAGE + 12)[0]))
            elif kind & SUBTREE:
                self.visit(self.root(start + offset + 8 + key))


class Hurt:
    """One damage: what is done to which file, and whether it can matter."""

    def __init__(self, path, way, random):
        self.path, self.way, size = path, way, os.path.getsize(path)
        self.page = random.randrange(max(1, -(-size // PAGE)))
        self.bytes = random.randbytes(min(PAGE, size - self.page * PAGE)) if way == "overwritten" else b""
        self.keep = self.page * PAGE if size > PAGE else random.randrange(max(1, size))

    def __str__(self):
        small = self.way in ("cut off",) and self.page == 0
        return self.way if self.way == "removed" else f"{self.way} at byte {self.keep}" if small else f"{self.way} at page {self.page}"

    def matters(self):
        """Whether the damage meets a page that the newest commit uses; None where nobody can tell."""
        if not self.path.endswith("data.mdb") or self.way == "removed":
            return None
        try:
            live = Pages(self.path).live
        except (Unreadable, OSError):
            return None
        return any(page >= self.page for page in live) if self.way == "cut off" else self.page in live

    def is_past(self):
        """Whether commits have replaced the page since, or written it anew. A server under load may do so at any moment."""
        if self.way not in ("overwritten", "zeroed"):
            return False
        with open(self.path, "rb") as file:
            file.seek(self.page * PAGE)
            held = file.read(PAGE)
        return held != (self.bytes or bytes(len(held))) or self.matters() is False

    def apply(self):
        """Changes the file in its place, so that a process which has it open meets the damage."""
        if self.way == "removed":
            os.remove(self.path)
            return
        descriptor = os.open(self.path, os.O_RDWR)
        try:
            size = os.fstat(descriptor).st_size
            if self.way == "cut off":
                os.ftruncate(descriptor, self.keep)
            else:
                length = min(PAGE, size - self.page * PAGE)
                os.pwrite(descriptor, (self.bytes + bytes(PAGE))[:length] if self.way == "overwritten" else bytes(length), self.page * PAGE)
        finally:
            os.close(descriptor)
