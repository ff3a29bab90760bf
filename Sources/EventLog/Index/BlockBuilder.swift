internal import LMDB

/// Makes one block after the other: see ``IndexLayout``.
struct BlockBuilder: Sendable {
    private var bytes: [UInt8] = []
    private var offsets: [UInt16] = []

    /// Begins a block that is to be stored under a key.
    mutating func begin(_ key: UInt64) {
        bytes = []
        bytes.reserveCapacity(IndexLayout.blockBytesMax)
        bytes.append(littleEndian: key)
        offsets.removeAll(keepingCapacity: true)
    }

    var isEmpty: Bool { offsets.isEmpty }

    /// Whether an entry of so many bytes still has room.
    func fits(_ count: Int) -> Bool { bytes.count + count + 2 * (offsets.count + 1) + 2 <= IndexLayout.blockBytesMax }

    /// Adds an entry; the caller has asked whether it ``fits(_:)``.
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

    /// The finished block.
    mutating func finish() -> [UInt8] {
        for offset in offsets { bytes.append(littleEndian: offset) }
        bytes.append(littleEndian: UInt16(offsets.count))
        return bytes
    }
}
