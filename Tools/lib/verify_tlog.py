#!/usr/bin/env python3
"""Checks what a transparency log has handed out, and shares no code with the log.

    verify_tlog.py tiles DIR --key VKEY [--entries] [--old CHECKPOINT]
    verify_tlog.py proof FILE [--record FILE] --key VKEY
    verify_tlog.py consistency OLD NEW --proof FILE --key VKEY

tiles        DIR is a static tree (C2SP tlog-tiles): `checkpoint` and `tile/...`. The root is computed from the hashes of level 0,
             every other tile that is there must agree with them, and with --entries so must the entries themselves. With --old,
             the tree must continue the one of an older checkpoint.
proof        FILE is a .tlog-proof (C2SP tlog-proof) of the record in the other file, or else of the one in its line `extra`.
consistency  OLD and NEW are checkpoints; the proof is the hashes of RFC 6962 in Base64, one a line.

Options for all: --origin NAME (default: the key's name), --witness VKEY (repeatable), --witnesses N (how many of them must have
cosigned; default 0), --pure (check Ed25519 here even where the `cryptography` package is installed).

Prints one line. Exits 0 when everything holds, 1 when something does not, 2 when it was not asked properly.
"""

import argparse
import base64
import binascii
import hashlib
import os
import re
import sys

HASH_BYTES = 32
TILE_WIDTH = 256
SIZE_MAX = 2**63 - 1


class Refused(Exception):
    """A condition that does not hold, in words for people."""


# Hashing in the log's Merkle tree (RFC 6962, section 2.1)


def leaf_hash(record):
    return hashlib.sha256(b"\x00" + record).digest()


def node_hash(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_of(leaves):
    """The root over leaf hashes, computed row by row. A last node without a sibling moves up unchanged."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    row = list(leaves)
    while len(row) > 1:
        paired = [node_hash(row[i], row[i + 1]) for i in range(0, len(row) - 1, 2)]
        row = paired + row[len(row) - len(row) % 2 :]
    return row[0]


def included(index, size, leaf, hashes):
    """The root to which an inclusion proof leads, by the recursive definition of the tree, applied backwards."""
    if index >= size:
        raise Refused(f"leaf {index} is not in a tree of {size}")
    if size == 1:
        if hashes:
            raise Refused("the proof has too many hashes")
        return leaf
    if not hashes:
        raise Refused("the proof has too few hashes")
    left_size = 1 << ((size - 1).bit_length() - 1)
    if index < left_size:
        return node_hash(included(index, left_size, leaf, hashes[:-1]), hashes[-1])
    return node_hash(hashes[-1], included(index - left_size, size - left_size, leaf, hashes[:-1]))


def consistent(old_size, new_size, old_root, hashes, known=True):
    """Both roots to which a consistency proof leads. `known` is true while the old tree is a complete subtree."""
    if old_size == new_size:
        if known:
            if hashes:
                raise Refused("the proof has too many hashes")
            return old_root, old_root
        if len(hashes) != 1:
            raise Refused("the proof has a wrong number of hashes")
        return hashes[0], hashes[0]
    if not hashes:
        raise Refused("the proof has too few hashes")
    left_size = 1 << ((new_size - 1).bit_length() - 1)
    if old_size <= left_size:
        old, new = consistent(old_size, left_size, old_root, hashes[:-1], known)
        return old, node_hash(new, hashes[-1])
    old, new = consistent(old_size - left_size, new_size - left_size, old_root, hashes[:-1], False)
    return node_hash(hashes[-1], old), node_hash(hashes[-1], new)


def check_consistency(old, new, hashes):
    (old_size, old_root), (new_size, new_root) = old, new
    if old_size > new_size:
        raise Refused(f"the older tree has {old_size} leaves, the newer {new_size}")
    if old_size == 0:
        if hashes or old_root != root_of([]):
            raise Refused("an empty tree has the empty root and needs no proof")
        return
    if consistent(old_size, new_size, old_root, hashes) != (old_root, new_root):
        raise Refused(f"the tree of {new_size} leaves does not continue that of {old_size}")


# Ed25519 signatures (RFC 8032, section 5.1), for machines without a library. This code is slow, and suitable for public data only.

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)


def recover_x(y, sign):
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    return P - x if x % 2 != sign else x


def decode_point(data):
    number = int.from_bytes(data, "little")
    y, sign = number % 2**255, number >> 255
    x = recover_x(y, sign) if y < P else None
    return None if x is None else (x, y, 1, x * y % P)


def add_points(a, b):
    """Adds two points in extended coordinates (X, Y, Z, T), where x = X/Z, y = Y/Z and T = XY/Z."""
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    g = 2 * a[3] * b[3] * D % P
    h = 2 * a[2] * b[2] % P
    return (f - e) * (h - g) % P, (h + g) * (f + e) % P, (h - g) * (h + g) % P, (f - e) * (f + e) % P


def multiply_point(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = add_points(result, point)
        point = add_points(point, point)
        scalar >>= 1
    return result


def same_point(a, b):
    return (a[0] * b[2] - b[0] * a[2]) % P == 0 and (a[1] * b[2] - b[1] * a[2]) % P == 0


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE = (recover_x(BASE_Y, 0), BASE_Y, 1, recover_x(BASE_Y, 0) * BASE_Y % P)


def verify_here(public_key, signature, message):
    if len(public_key) != 32 or len(signature) != 64:
        return False
    key, commitment = decode_point(public_key), decode_point(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or commitment is None or scalar >= ORDER:
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + public_key + message).digest(), "little") % ORDER
    return same_point(multiply_point(scalar, BASE), add_points(commitment, multiply_point(challenge, key)))


def verify_by_library(public_key, signature, message):
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
        return True
    except (InvalidSignature, ValueError):
        return False


def choose_verifier(pure):
    if pure:
        return verify_here
    try:
        import cryptography  # noqa: F401
    except ImportError:
        return verify_here
    return verify_by_library


# Notes and checkpoints (C2SP signed-note, tlog-checkpoint, tlog-cosignature)


def base64_bytes(text, what):
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Refused(f"{what} is not Base64")
    if base64.b64encode(data).decode() != text:
        raise Refused(f"{what} is not in the one spelling of Base64")
    return data


def base64_hash(text, what):
    data = base64_bytes(text, what)
    if len(data) != HASH_BYTES:
        raise Refused(f"{what} has {len(data)} bytes")
    return data


def number(text, what):
    if not re.fullmatch("0|[1-9][0-9]{0,18}", text, re.ASCII) or int(text) > SIZE_MAX:
        raise Refused(f"{what} is not a number")
    return int(text)


class Key:
    """A verifier key: name, key id, kind and public key."""

    def __init__(self, text):
        parts = text.split("+", 2)
        if len(parts) != 3 or not parts[0]:
            raise Refused("a key is not of the form name+id+base64")
        material = base64_bytes(parts[2], "a key")
        self.name, self.kind, self.public = parts[0], material[:1], material[1:]
        self.id = hashlib.sha256(self.name.encode() + b"\n" + material).digest()[:4]
        if self.id.hex() != parts[1] or self.kind not in (b"\x01", b"\x04") or len(self.public) != 32:
            raise Refused("a key's id is wrong, or its kind is neither Ed25519 nor cosignature")

    def verifies(self, signature, text, verify):
        if self.kind == b"\x01":
            return verify(self.public, signature, text)
        if len(signature) != 72 or signature[0] > 127:
            return False
        time = int.from_bytes(signature[:8], "big")
        return verify(self.public, signature[8:], b"cosignature/v1\ntime %d\n" % time + text)


def split_note(data):
    end = data.rfind(b"\n\n")
    if end < 0 or not data.endswith(b"\n") or any(byte < 32 and byte != 10 for byte in data):
        raise Refused("the checkpoint is not a signed note")
    try:
        data.decode()
        lines = data[end + 2 :].decode().split("\n")[:-1]
    except UnicodeDecodeError:
        raise Refused("the checkpoint is not UTF-8")
    if not lines:
        raise Refused("the checkpoint has no signature")
    return data[: end + 1], [split_signature(line) for line in lines]


def split_signature(line):
    match = re.fullmatch("\u2014 ([^\\s+]+) ([A-Za-z0-9+/=]+)", line)
    if not match:
        raise Refused("a signature line is malformed")
    data = base64_bytes(match[2], "a signature")
    if len(data) < 5:
        raise Refused("a signature is too short")
    return match[1], data[:4], data[4:]


def parse_checkpoint(text):
    lines = text.decode().split("\n")
    if len(lines) < 4 or lines[-1] != "" or "" in lines[:-1]:
        raise Refused("the checkpoint has too few lines, or an empty one")
    return lines[0], number(lines[1], "the size"), base64_hash(lines[2], "the root")


class Policy:
    """The keys that are trusted, and the number of witnesses that are required."""

    def __init__(self, options):
        self.log, self.witnesses = Key(options.key), [Key(text) for text in options.witness]
        self.origin = options.origin or self.log.name
        self.least = options.witnesses
        self.verify = choose_verifier(options.pure)

    def open(self, data):
        """Size and root of a checkpoint. The log's signature must be present, and the signatures of all known keys must verify."""
        text, signatures = split_note(data)
        signers = set()
        for name, key_id, signature in signatures:
            for key in [self.log] + self.witnesses:
                if (key.name, key.id) != (name, key_id):
                    continue
                if not key.verifies(signature, text, self.verify):
                    raise Refused(f"the signature of {name} does not verify")
                signers.add((key.name, key.id))
        if (self.log.name, self.log.id) not in signers:
            raise Refused("the log's key has not signed")
        if len(signers - {(self.log.name, self.log.id)}) < self.least:
            raise Refused("too few witnesses have cosigned")
        origin, size, root = parse_checkpoint(text)
        if origin != self.origin:
            raise Refused(f"the checkpoint is not of {self.origin}")
        return size, root


# Tiles of the log's Merkle tree (C2SP tlog-tiles)


def tile_path(level, index, width):
    groups = [f"{index % 1000:03d}"]
    while index >= 1000:
        index //= 1000
        groups.insert(0, f"x{index % 1000:03d}")
    return f"tile/{level}/{'/'.join(groups)}" + (f".p/{width}" if width < TILE_WIDTH else "")


def parse_path(path):
    """Level (or `entries`), index and width in a tile's path; None for any other path."""
    match = re.fullmatch(r"tile/(0|[1-9][0-9]?|entries)/((?:x[0-9]{3}/)*[0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?", path, re.ASCII)
    if not match:
        return None
    level = match[1] if match[1] == "entries" else int(match[1])
    index, width = int(match[2].replace("x", "").replace("/", "")), int(match[3] or TILE_WIDTH)
    if tile_path(level, index, width) != path or (match[3] and width >= TILE_WIDTH):
        return None
    return level, index, width


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def read_level(folder, level, count):
    """The hashes of a level. If a partial tile is missing, the full tile is used."""
    hashes = []
    for index in range(-(-count // TILE_WIDTH)):
        width = min(TILE_WIDTH, count - index * TILE_WIDTH)
        path, partial = tile_path(level, index, width), width < TILE_WIDTH
        if partial and not os.path.exists(os.path.join(folder, path)):
            path, partial = tile_path(level, index, TILE_WIDTH), False
        try:
            data = read(folder, path)
        except OSError:
            raise Refused(f"{tile_path(level, index, width)} is missing")
        if len(data) != (width if partial else TILE_WIDTH) * HASH_BYTES:
            raise Refused(f"{path} has {len(data)} bytes")
        hashes += [data[i * HASH_BYTES : (i + 1) * HASH_BYTES] for i in range(width)]
    return hashes


def read_levels(folder, size):
    """All levels of a tree of this size, each computed from the one below and compared with its tiles."""
    levels = [read_level(folder, 0, size)]
    while len(levels[-1]) >= TILE_WIDTH:
        below, level = levels[-1], len(levels)
        computed = [root_of(below[i : i + TILE_WIDTH]) for i in range(0, len(below) - TILE_WIDTH + 1, TILE_WIDTH)]
        stored = read_level(folder, level, len(computed))
        for index, pair in enumerate(zip(computed, stored)):
            if pair[0] != pair[1]:
                raise Refused(f"hash {index} of level {level} is not the root of its tile below")
        levels.append(computed)
    return levels


def split_bundle(data, path):
    records, at = [], 0
    while at < len(data):
        length = int.from_bytes(data[at : at + 2], "big")
        if at + 2 + length > len(data):
            raise Refused(f"{path} is cut off")
        records.append(data[at + 2 : at + 2 + length])
        at += 2 + length
    return records


def check_file(folder, path, tile, levels):
    """Compares one file of the tree with the hashes of the levels. Files beyond the checkpoint's tree are ignored."""
    level, index, width = tile
    start = index * TILE_WIDTH
    depth = 0 if level == "entries" else level
    if depth >= len(levels) or start + width > len(levels[depth]):
        return False
    data, hashes = read(folder, path), levels[depth][start : start + width]
    if level == "entries":
        if [leaf_hash(record) for record in split_bundle(data, path)] != hashes:
            raise Refused(f"{path} does not hold the records of the tree")
    elif data != b"".join(hashes):
        raise Refused(f"{path} does not hold the hashes of the tree")
    return True


def check_files(folder, levels):
    """Checks every existing tile, including partial ones of older checkpoints. Returns the number of checked entries."""
    entries = set()
    for place, _, names in os.walk(os.path.join(folder, "tile")):
        for name in names:
            path = os.path.relpath(os.path.join(place, name), folder).replace(os.sep, "/")
            tile = parse_path(path)
            if tile is None:
                raise Refused(f"{path} is no tile")
            if check_file(folder, path, tile, levels) and tile[0] == "entries":
                entries |= set(range(tile[1] * TILE_WIDTH, tile[1] * TILE_WIDTH + tile[2]))
    return len(entries)


# The commands of this program


def run_tiles(options, policy):
    size, root = policy.open(read(options.folder, "checkpoint"))
    levels = read_levels(options.folder, size)
    if root_of(levels[0]) != root:
        raise Refused("the tiles do not give the checkpoint's root")
    entries = check_files(options.folder, levels)
    if options.entries and entries != size:
        raise Refused(f"{size - entries} of {size} entries are missing")
    if options.old:
        old_size, old_root = policy.open(read(options.old))
        if old_size > size or root_of(levels[0][:old_size]) != old_root:
            raise Refused(f"the tree does not continue the older one of {old_size} leaves")
    return f"{size} leaves under {root.hex()}, {entries} entries"


def run_proof(options, policy):
    lines, _, note = read(options.file).partition(b"\n\n")
    try:
        head = lines.decode().split("\n")
    except UnicodeDecodeError:
        raise Refused("the receipt is not UTF-8")
    if head.pop(0) != "c2sp.org/tlog-proof@v1":
        raise Refused("this is no receipt")
    record = None
    if head and head[0].startswith("extra "):
        record = base64_bytes(head.pop(0)[6:], "extra")
    if options.record:
        record = read(options.record)
    if record is None:
        raise Refused("the receipt does not hold the record, and no other file was named")
    if not head or not head[0].startswith("index "):
        raise Refused("the receipt has no index")
    index = number(head.pop(0)[6:], "the index")
    hashes = [base64_hash(line, "a hash") for line in head]
    size, root = policy.open(note)
    if included(index, size, leaf_hash(record), hashes) != root:
        raise Refused("the proof does not lead from the record to the checkpoint's root")
    return f"the record is leaf {index} of {size} under {root.hex()}"


def run_consistency(options, policy):
    old, new = policy.open(read(options.old)), policy.open(read(options.new))
    text = read(options.proof).decode("ascii", "replace")
    hashes = [base64_hash(line, "a hash") for line in text.splitlines()]
    check_consistency(old, new, hashes)
    return f"the tree of {new[0]} leaves continues that of {old[0]}"


def parse_arguments(arguments):
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--key", required=True)
    common.add_argument("--origin")
    common.add_argument("--witness", action="append", default=[])
    common.add_argument("--witnesses", type=int, default=0)
    common.add_argument("--pure", action="store_true")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    tiles = commands.add_parser("tiles", parents=[common])
    tiles.add_argument("folder")
    tiles.add_argument("--entries", action="store_true")
    tiles.add_argument("--old")
    tiles.set_defaults(run=run_tiles)
    proof = commands.add_parser("proof", parents=[common])
    proof.add_argument("file")
    proof.add_argument("--record")
    proof.set_defaults(run=run_proof)
    consistency = commands.add_parser("consistency", parents=[common])
    consistency.add_argument("old")
    consistency.add_argument("new")
    consistency.add_argument("--proof", required=True)
    consistency.set_defaults(run=run_consistency)
    return parser.parse_args(arguments)


def main():
    options = parse_arguments(sys.argv[1:])
    try:
        print(f"verified: {options.run(options, Policy(options))}")
        return 0
    except (Refused, OSError, RecursionError) as error:
        print(f"REFUSED: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
