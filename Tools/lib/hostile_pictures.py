#!/usr/bin/env python3
"""Pictures made to hurt whoever decodes them, from nothing but the formats' specifications: the same bytes on every run.

    hostile_pictures.py FOLDER

Writes one file each into FOLDER and prints a line for it: its name, and the verdicts that are right for it, separated by "|".
  made         a picture that is decoded: extreme, but within the limits
  unsupported  no picture, or a damaged one
  tooLarge     more pixels, scans, memory or processor time than a picture may take
"""
import os
import struct
import sys
import zlib

# The side in pixels of the largest square picture that the service decodes.
LARGE = 5000


# --- Hostile PNG pictures (W3C, third edition)

PNG = b"\x89PNG\r\n\x1a\n"


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def header(width, height, depth=8, kind=2):
    return PNG + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0))


def pixels(width, height, bits=24, value=0):
    """The compressed rows of a picture: all are unfiltered, have one value, and are compressed as far as possible."""
    row = b"\0" + bytes([value]) * ((width * bits + 7) // 8)
    deflate = zlib.compressobj(9)
    return b"".join([deflate.compress(row) for _ in range(height)]) + deflate.flush()


def png(before=b"", after=b"", width=40, height=40):
    return header(width, height) + before + chunk(b"IDAT", pixels(width, height)) + after + chunk(b"IEND", b"")


def tiff(directory):
    return b"MM\0*" + struct.pack(">I", directory)


def shared_directory():
    """Small eXIf chunks, all of which point to the same directory of 60,000 entries further on in the file."""
    entries = b"".join(struct.pack(">HHII", 0x8000, 3, 1, 0) for _ in range(60_000))
    shared = struct.pack(">H", 60_000) + entries
    count, size = 15_000, 8 + 12
    behind = count * size + 8
    small = [chunk(b"eXIf", tiff(behind - (number * size + 8))) for number in range(count)]
    return png(b"".join(small) + chunk(b"tEXt", shared))


def png_cases():
    yield "size-60000", "tooLarge", header(60_000, 60_000) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")
    yield "size-31-bits", "unsupported|tooLarge", header(0x7FFFFFFF, 0x7FFFFFFF) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")
    yield "size-32-bits", "unsupported|tooLarge", header(0xFFFFFFFF, 0xFFFFFFFF) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")
    yield "size-0", "unsupported", header(0, 5) + chunk(b"IEND", b"")
    yield "size-lied-about", "unsupported", header(LARGE, LARGE) + chunk(b"IDAT", pixels(8, 8)) + chunk(b"IEND", b"")
    yield "exif-shared", "made", shared_directory()
    yield "exif-many", "made", png(chunk(b"eXIf", tiff(8)) * 400_000)
    yield "exif-large", "made", png(chunk(b"eXIf", tiff(8) + b"\xff\xff" + b"\x80" * 6_000_000))
    yield "exif-behind-the-end", "made", png(chunk(b"eXIf", tiff(0xFFFFFFF0)), chunk(b"eXIf", tiff(8)))
    yield "text-inflated", "unsupported|tooLarge|made", png(
        chunk(b"zTXt", b"Comment\0\0" + zlib.compress(bytes(7_900_000), 9)) * 900)
    yield "text-many", "made", png(chunk(b"tEXt", b"a\0b") * 400_000)
    yield "profile-inflated", "unsupported|made", png(chunk(b"iCCP", b"a\0\0" + zlib.compress(bytes(500_000_000), 9)))
    # Such large pictures take two of the three seconds of processor time that a child has, and more beside other work.
    yield "pixels-inflated", "made|tooLarge", (
        header(LARGE, LARGE, 16, 6) + chunk(b"IDAT", pixels(LARGE, LARGE, 64)) + chunk(b"IEND", b""))
    yield "pixels-too-many", "made|unsupported", png()[:-12] + chunk(b"IDAT", pixels(LARGE, LARGE)) + chunk(b"IEND", b"")
    data = pixels(300, 300)
    yield "data-a-byte-at-a-time", "made", (
        header(300, 300) + b"".join(chunk(b"IDAT", data[place:place + 1]) for place in range(len(data)))
        + chunk(b"IDAT", b"") * 300_000 + chunk(b"IEND", b""))
    palette = chunk(b"PLTE", b"\xff\0\0\0\xff\0")
    yield "palette-exceeded", "made|unsupported", (
        header(64, 64, 8, 3) + palette + chunk(b"IDAT", pixels(64, 64, 8, 0xFF)) + chunk(b"IEND", b""))
    yield "palette-missing", "unsupported", header(64, 64, 8, 3) + chunk(b"IDAT", pixels(64, 64, 8)) + chunk(b"IEND", b"")
    yield "palette-twice", "made|unsupported", (
        header(64, 64, 8, 3) + palette + palette + chunk(b"IDAT", pixels(64, 64, 8)) + chunk(b"IEND", b""))
    yield "palette-large", "made|tooLarge", (
        header(LARGE, LARGE, 1, 3) + palette + chunk(b"IDAT", pixels(LARGE, LARGE, 1)) + chunk(b"IEND", b""))
    yield "animated", "made|unsupported", png(
        chunk(b"acTL", struct.pack(">II", 100_000, 0)) + chunk(b"fcTL", bytes(26)) * 100_000, chunk(b"fdAT", bytes(30)) * 50_000)
    yield "chunk-without-end", "unsupported", header(40, 40) + struct.pack(">I", 0x7FFFFFFF) + b"eXIf" + bytes(100)
    yield "checksum-wrong", "unsupported", png()[:-16] + b"\0\0\0\0" + png()[-12:]
    yield "cut-off", "unsupported", png()[:-30]
    yield "end-missing", "unsupported", png()[:-12]
    yield "signature-only", "unsupported", PNG


# --- Hostile JPEG pictures (ITU-T T.81)

def segment(marker, content):
    return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content


def table(kind, symbol):
    """A Huffman table with one code, a single 0 bit."""
    return segment(0xC4, bytes([kind, 1] + [0] * 15 + [symbol]))


def frame(width, height, marker=0xC0, components=1):
    parts = b"".join(bytes([number + 1, 0x11, 0]) for number in range(components))
    return segment(marker, struct.pack(">BHHB", 8, height, width, components) + parts)


def scan(first, last, data, components=1):
    parts = b"".join(bytes([number + 1, 0]) for number in range(components))
    return segment(0xDA, bytes([components]) + parts + bytes([first, last, 0])) + data


def bits(text):
    """Bits as bytes. The last byte is filled with ones, and a zero follows each 0xFF."""
    text += "1" * (-len(text) % 8)
    return int(text, 2).to_bytes(len(text) // 8, "big").replace(b"\xff", b"\xff\0") if text else b""


QUANTIZATION = segment(0xDB, bytes([0] + [1] * 64))


def blocks(width, height):
    return -(-width // 8) * -(-height // 8)


def jpeg(before=b"", width=40, height=40, components=1):
    """A grey square in which no block differs from the one before."""
    data = bits("00" * blocks(width, height) * components)
    tables = QUANTIZATION + table(0x00, 0) + table(0x10, 0)
    return b"\xff\xd8" + before + tables + frame(width, height, 0xC0, components) + scan(0, 63, data, components) + b"\xff\xd9"


def progressive(scans, width=LARGE, height=LARGE):
    """The grey square in many scans, each of which says again that every block is empty."""
    count = blocks(width, height)
    runs = ""
    while count > 0:
        # The Huffman table has a single code, which stands for a run of empty blocks: 16,384 blocks plus the number in the following
        # fourteen bits. The sizes of the pictures are chosen so that the last run, too, has at least 16,384 blocks.
        run = min(count, 32_767)
        runs += "0" + format(run - (1 << 14), "014b")
        count -= run
    again = scan(1, 63, bits(runs))
    return (b"\xff\xd8" + QUANTIZATION + table(0x00, 0) + table(0x10, 0xE0) + frame(width, height, 0xC2)
            + scan(0, 0, bits("0" * blocks(width, height))) + again * scans + b"\xff\xd9")


def hidden_frame():
    """A JPEG in which 0xFF00, which is no marker, precedes the frame. A reader that takes it for a segment skips to a harmless frame."""
    real = frame(16_384, 1_500)
    harmless = frame(16, 16)
    hidden = b"\xff\0" + struct.pack(">H", len(real) + 2)
    tables = QUANTIZATION + table(0x00, 0) + table(0x10, 0)
    return b"\xff\xd8" + tables + hidden + real + harmless + scan(0, 63, b"\0" * 100_000) + b"\xff\xd9"


def jpeg_cases():
    exif = segment(0xE1, b"Exif\0\0" + tiff(8) + struct.pack(">H", 60_000) + struct.pack(">HHII", 0x8000, 3, 1, 0) * 5_400)
    yield "control", "made", jpeg()
    yield "size-65535", "unsupported", jpeg(width=16, height=16).replace(frame(16, 16), frame(65_535, 65_535))
    yield "size-65500", "tooLarge", jpeg(width=16, height=16).replace(frame(16, 16), frame(65_500, 65_500))
    yield "size-0", "unsupported", jpeg(width=16, height=16).replace(frame(16, 16), frame(16, 0))
    yield "size-lied-about", "unsupported", jpeg(width=16, height=16).replace(frame(16, 16), frame(LARGE, LARGE))
    # A square of 4,960 pixels has 384,400 blocks: eleven runs of 32,767 blocks, and one run that still has more than 16,384.
    yield "scans-2500", "tooLarge", progressive(2_500, 4_960, 4_960)
    yield "scans-49", "made|tooLarge", progressive(48, 4_960, 4_960)
    yield "scans-of-a-small-one", "tooLarge", progressive(60_000, 1_024, 1_024)
    yield "frame-hidden", "unsupported|tooLarge", hidden_frame()
    yield "frame-twice", "unsupported", jpeg(frame(8, 8))
    yield "frame-missing", "unsupported", b"\xff\xd8" + scan(0, 63, b"\0\0") + b"\xff\xd9"
    yield "exif-many", "made", jpeg(exif * 120)
    # libjpeg keeps these segments in a list, and walks through the whole list for each new segment.
    yield "exif-tiny", "made|tooLarge", jpeg(segment(0xE1, b"Exif\0\0" + tiff(8)) * 400_000)
    yield "comments", "made", jpeg(segment(0xFE, b"") * 1_500_000)
    yield "tables", "made", jpeg(table(0x00, 0) * 200_000)
    yield "restarts", "made|unsupported", jpeg().replace(b"\xff\xd9", b"\xff\xd0" * 1_000_000 + b"\xff\xd9")
    yield "inks", "made|tooLarge", jpeg(width=3_000, height=3_000, components=4)
    yield "arithmetic", "made|unsupported", (
        b"\xff\xd8" + QUANTIZATION + frame(LARGE, LARGE, 0xC9) + scan(0, 63, bytes(range(255)) * 8_000) + b"\xff\xd9")
    yield "twelve-bits", "unsupported", jpeg(width=16, height=16).replace(frame(16, 16)[:5], frame(16, 16)[:4] + b"\x0c")
    yield "cut-off", "unsupported", jpeg(width=400, height=400)[:-300]
    yield "beginning-only", "unsupported", b"\xff\xd8\xff"
    yield "filled-up", "unsupported|made", b"\xff\xd8" + b"\xff" * 8_000_000


# --- Hostile WebP pictures (RFC 9649)

def riff(*chunks):
    body = b"WEBP" + b"".join(
        name + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2) for name, content in chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def lossless(width, height):
    """A picture of one colour whose codes have no bits, so that any size fits into twenty bytes."""
    fields = [(width - 1, 14), (height - 1, 14), (0, 1), (0, 3), (0, 1), (0, 1), (0, 1)]
    for _ in range(5):  # A simple code of one symbol, which is 0.
        fields += [(1, 1), (0, 1), (0, 1), (0, 1)]
    number = place = 0
    for value, size in fields:
        number |= value << place
        place += size
    return b"\x2f" + number.to_bytes(place // 8 + 8, "little")


def canvas(width, height, flags=0):
    return b"VP8X", bytes([flags, 0, 0, 0]) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")


def webp_cases():
    exif = tiff(8) + struct.pack(">H", 60_000) + struct.pack(">HHII", 0x8000, 3, 1, 0) * 60_000
    one = (b"VP8L", lossless(40, 40))
    yield "control", "made", riff(one)
    yield "size-16384", "tooLarge", riff((b"VP8L", lossless(16_384, 16_384)))
    yield "pixels-inflated", "made|tooLarge", riff((b"VP8L", lossless(LARGE, LARGE)))
    yield "canvas-larger", "unsupported|tooLarge", riff(canvas(16_000_000, 16_000_000), one)
    yield "canvas-smaller", "unsupported|tooLarge", riff(canvas(1, 1), (b"VP8L", lossless(16_384, 16_384)))
    yield "animated", "unsupported", riff(
        canvas(40, 40, 2), (b"ANIM", bytes(6)), *[(b"ANMF", bytes(16) + b"VP8L" + struct.pack("<I", 20) + lossless(1, 1))] * 50_000)
    yield "exif-large", "made", riff(canvas(40, 40, 8), one, (b"EXIF", exif))
    yield "exif-many", "made", riff(canvas(40, 40, 8), one, *[(b"EXIF", tiff(8))] * 400_000)
    yield "chunks", "made", riff(canvas(40, 40), one, *[(b"ABCD", b"")] * 900_000)
    yield "chunk-without-end", "unsupported", b"RIFF\xff\xff\xff\xffWEBPVP8L\xff\xff\xff\xff" + lossless(40, 40)
    yield "lossy-without-data", "unsupported|tooLarge", riff((b"VP8 ", b"\x10\0\0\x9d\x01\x2a\xff\x3f\xff\x3f" + bytes(100)))
    yield "lossy-of-zeros", "unsupported|made", riff((b"VP8 ", b"\x10\x20\0\x9d\x01\x2a\x80\x13\x80\x13" + bytes(400_000)))
    yield "cut-off", "unsupported", riff(one)[:-9]
    yield "name-only", "unsupported", b"RIFF\x0c\0\0\0WEBPVP8L"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for kind, cases in ("png", png_cases()), ("jpeg", jpeg_cases()), ("webp", webp_cases()):
        for name, verdicts, content in cases:
            file = f"{kind}-{name}"
            with open(os.path.join(sys.argv[1], file), "wb") as out:
                out.write(content)
            print(file, verdicts)


if __name__ == "__main__":
    main()
