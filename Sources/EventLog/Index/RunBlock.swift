internal import LMDB

/// A stored block of a run, read without copying. A wrong offset gives a wrong entry, but never a trap.
struct RunBlock: ~Escapable {
    private let bytes: Span<UInt8>
    /// At least 1.
    let count: Int
    private let entriesEnd: Int

    @_lifetime(copy bytes)
    init?(_ bytes: Span<UInt8>, key: UInt64) {
        guard bytes.count > IndexLayout.blockHeadBytes + 2, bytes.littleEndian64(at: 0) == key else { return nil }
        count = Int(bytes.littleEndian16(at: bytes.count - 2))
        entriesEnd = bytes.count - 2 - 2 * count
        guard count > 0, entriesEnd >= IndexLayout.blockHeadBytes + count * (IndexLayout.keyBytes + 2) else { return nil }
        self.bytes = bytes
    }

    @_lifetime(copy self)
    @inline(__always)
    func entry(_ index: Int) -> Span<UInt8> {
        let begin = offset(index)
        let end = index + 1 < count ? offset(index + 1) : entriesEnd
        return bytes.extracting(begin..<max(begin, end))
    }

    /// The number of entries before a key.
    func count(before key: PostingKey) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if stands(middle, before: key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func stands(_ index: Int, before key: PostingKey) -> Bool {
        let at = offset(index)
        let tag = Tag(TagKind(bytes[at]), bytes.littleEndian128(at: at + IndexLayout.valueAt))
        let type = EventType(bytes.littleEndian16(at: at + IndexLayout.typeAt))
        return key.follows(tag, type, first(at))
    }

    private func first(_ entry: Int) -> UInt64 {
        var at = entry + IndexLayout.keyBytes
        guard let head = bytes.varint(at: &at) else { return 0 }
        if head & 1 != 0 { _ = bytes.varint(at: &at) }
        return bytes.varint(at: &at) ?? 0
    }

    @inline(__always)
    private func offset(_ index: Int) -> Int {
        let offset = Int(bytes.littleEndian16(at: entriesEnd + 2 * index))
        return min(offset, entriesEnd - IndexLayout.keyBytes)
    }
}

/// Makes blocks in sequence; see ``IndexLayout``.
struct BlockBuilder: Sendable {
    private var bytes: [UInt8] = []
    private var offsets: [UInt16] = []

    mutating func begin(_ key: UInt64) {
        bytes = []
        bytes.reserveCapacity(IndexLayout.blockBytesMax)
        bytes.append(littleEndian: key)
        offsets.removeAll(keepingCapacity: true)
    }

    var isEmpty: Bool { offsets.isEmpty }

    func fits(_ count: Int) -> Bool { bytes.count + count + 2 * (offsets.count + 1) + 2 <= IndexLayout.blockBytesMax }

    /// The caller has checked that it ``fits(_:)``.
    mutating func append(_ piece: PieceBuilder) {
        offsets.append(UInt16(bytes.count))
        bytes.append(piece.tag.kind.rawValue)
        bytes.append(littleEndian: piece.type.rawValue)
        bytes.append(littleEndian: piece.tag.value)
        let isWhole = piece.count == piece.total
        bytes.append(varint: piece.count << 1 | (isWhole ? 0 : 1))
        if !isWhole { bytes.append(varint: piece.total) }
        bytes.append(varint: piece.first)
        if piece.count == 1 { return }
        bytes.append(varint: piece.last - piece.first)
        bytes.append(copying: piece.steps.span)
    }

    mutating func finish() -> [UInt8] {
        for offset in offsets { bytes.append(littleEndian: offset) }
        bytes.append(littleEndian: UInt16(offsets.count))
        return bytes
    }
}
