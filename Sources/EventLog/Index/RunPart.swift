internal import LMDB

/// The head of a part of a run, in place: its filter, and the directory of the blocks that begin in it.
struct RunPart: ~Escapable {
    private let bytes: Span<UInt8>
    /// How many blocks of the run begin before this part.
    private let begun: Int
    private let lines: Int
    private let directoryCount: Int
    private let directoryAt: Int

    /// Nil when the bytes are not the part that was stored under `key`.
    @_lifetime(copy bytes)
    init?(_ bytes: Span<UInt8>, key: UInt64) {
        guard bytes.count >= IndexLayout.filterAt, bytes.littleEndian64(at: 0) == key else { return nil }
        begun = Int(bytes.littleEndian32(at: IndexLayout.begunAt))
        lines = Int(bytes.littleEndian32(at: IndexLayout.linesAt))
        directoryCount = Int(bytes.littleEndian32(at: IndexLayout.directoryCountAt))
        directoryAt = IndexLayout.filterAt + lines * IndexLayout.lineBytes
        guard bytes.count == directoryAt + directoryCount * IndexLayout.directoryEntryBytes else { return nil }
        self.bytes = bytes
    }

    /// False when the key is not in the run; true may be wrong.
    @inline(__always)
    func mayHold(_ mask: borrowing FilterMask) -> Bool {
        if lines == 0 { return true }
        let at = IndexLayout.filterAt + mask.line(of: lines) * IndexLayout.lineBytes
        for word in 0..<FilterMask.words {
            let bits = mask[word]
            if bytes.littleEndian64(at: at + word * 8) & bits != bits { return false }
        }
        return true
    }

    /// The block in which the last entry before a place stands; nil when there is none.
    func block(before key: PostingKey) -> UInt32? {
        var (low, high) = (0, directoryCount)
        while low < high {
            let middle = (low + high) / 2
            if begins(middle, before: key) { low = middle + 1 } else { high = middle }
        }
        return begun + low > 0 ? UInt32(truncatingIfNeeded: begun + low - 1) : nil
    }

    private func begins(_ index: Int, before key: PostingKey) -> Bool {
        let at = directoryAt + index * IndexLayout.directoryEntryBytes
        let tag = Tag(TagKind(bytes[at]), bytes.littleEndian128(at: at + IndexLayout.valueAt))
        let type = EventType(bytes.littleEndian16(at: at + IndexLayout.typeAt))
        return key.follows(tag, type, bytes.littleEndian64(at: at + IndexLayout.keyBytes))
    }
}
