internal import LMDB

/// An immutable, sorted piece of the index: every indexed tag of the events from one position through another.
///
/// Lists are ordered by ``Tag/spread``, tag and type. The space of spreads is cut into equal parts, so that the part of a tag is
/// computed; it holds a filter, which nearly always tells without a further look that a tag is not in the run, and the directory of
/// the blocks that begin in it.
struct Run: Hashable, Sendable {
    /// Its number, never given twice while anything of it is stored.
    let number: UInt32
    /// How often its postings were merged: 0 for what was flushed.
    let level: UInt32
    /// The first and last position that it covers.
    let first, last: UInt64
    /// How many blocks there are.
    let blocks: UInt32
    /// How many parts there are, at least 1.
    let parts: UInt32
    /// How many different tags there are.
    let tags: UInt64

    /// Where its first entry is, if there is one.
    var firstPlace: RunPlace? { blocks > 0 ? RunPlace(block: 0, entry: 0) : nil }

    /// How many positions it covers.
    var count: UInt64 { last - first + 1 }

    /// The part in which a spread lies.
    @inline(__always)
    func part(of spread: UInt64) -> UInt32 { Self.part(of: spread, in: parts) }

    @inline(__always)
    static func part(of spread: UInt64, in parts: UInt32) -> UInt32 {
        UInt32(truncatingIfNeeded: spread.multipliedFullWidth(by: UInt64(parts)).high)
    }

    /// How many parts a run with so many tags should have.
    static func parts(for tags: Int) -> UInt32 {
        UInt32(clamping: (tags + IndexLayout.tagsPerPart - 1) / IndexLayout.tagsPerPart).clamped(to: 1...UInt32(IndexLayout.partBit - 1))
    }

    @inline(__always)
    static func key(ofBlock block: UInt32, run: UInt32) -> UInt64 { UInt64(run) << 32 | UInt64(block) }

    @inline(__always)
    static func key(ofPart part: UInt32, run: UInt32) -> UInt64 { UInt64(run) << 32 | IndexLayout.partBit | UInt64(part) }
}

extension Run {
    /// A run as the manifest has it at an offset; the caller has checked the length.
    init(_ bytes: Span<UInt8>, at offset: Int) {
        number = bytes.littleEndian32(at: offset)
        level = bytes.littleEndian32(at: offset + 4)
        first = bytes.littleEndian64(at: offset + 8)
        last = bytes.littleEndian64(at: offset + 16)
        blocks = bytes.littleEndian32(at: offset + 24)
        parts = bytes.littleEndian32(at: offset + 28)
        tags = bytes.littleEndian64(at: offset + 32)
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append(littleEndian: number)
        bytes.append(littleEndian: level)
        bytes.append(littleEndian: first)
        bytes.append(littleEndian: last)
        bytes.append(littleEndian: blocks)
        bytes.append(littleEndian: parts)
        bytes.append(littleEndian: tags)
    }
}

extension Comparable {
    fileprivate func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}
