#!/usr/bin/env python3
"""Writes what a fuzzer begins with: fuzz_seeds.py FIXTURES FOLDER makes FOLDER/TARGET/… from the golden files."""
import base64
import pathlib
import struct
import sys

TILES = ["tile/0/000", "tile/0/x001/234.p/255", "tile/3/x001/x234/067", "tile/entries/x123/456", "tile/62/000.p/1"]
TABLES = ['a,b,c\n1,2,3\n', '\ufeff"a","b ""c""",\r\n\r\n,"x\ny",z', 'a"b,c\n"open\nd,e\n"x"y\n', "ü,é\n" * 12]


def unhexed(path):
    return bytes.fromhex(path.read_text())


def transfers(records):
    """The same records in both formats. Readers of these files do not compare the root."""
    root = bytes(range(32))
    head = b"GreenTea events\n" + struct.pack("<HH", 1, 11) + b"example/log" + struct.pack("<QQ", 0, len(records))
    batch = struct.pack("<I", len(records)) + b"".join(struct.pack("<H", len(record)) + record for record in records) + root
    yield head + batch + bytes(4)
    yield head + batch + batch + bytes(4)
    lines = ['{"format":"greentea-events","version":1,"after":0,"count":%d,"origin":"example/log"}' % len(records)]
    for number, record in enumerate(records):
        lines.append('{"position":%d,"record":"%s"}' % (number + 1, base64.b64encode(record).decode()))
    lines.append('{"through":%d,"root":"%s"}' % (len(records), root.hex()))
    yield "".join(line + "\n" for line in lines).encode()


def seeds(fixtures):
    records = [unhexed(path) for path in sorted(fixtures.glob("records/*.hex"))]
    events = [unhexed(path) for path in sorted(fixtures.glob("events/*.hex"))]
    note = (fixtures / "merkle/checkpoint").read_bytes()
    receipt = (fixtures / "merkle/record271.tlog-proof").read_bytes()
    return {
        "record": records + events,
        "event": events,
        "note": [note],
        "checkpoint": [note[: note.rindex(b"\n\n") + 1]],
        "receipt": [receipt],
        "tile": [path.encode() for path in TILES],
        "key": (fixtures / "merkle/keys.txt").read_bytes().splitlines(),
        "csv": [table.encode() for table in TABLES],
        "transfer": list(transfers(events[:3])),
    }


def main():
    fixtures, folder = map(pathlib.Path, sys.argv[1:])
    for target, inputs in seeds(fixtures).items():
        place = folder / target
        place.mkdir(parents=True, exist_ok=True)
        for number, content in enumerate(inputs):
            (place / f"seed-{number}").write_bytes(content)
        for found in sorted((fixtures / "fuzz").glob(f"{target}-*.hex")):
            (place / found.stem).write_bytes(unhexed(found))


main()
