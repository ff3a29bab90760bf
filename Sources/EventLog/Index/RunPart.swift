internal import LMDB

/// A part of a run, read without copying: its filter, and the directory of the blocks that begin in it.
struct RunPart: ~Escapable {
    private let bytes: Span<UInt8>
    /// Blocks that begin before this part.
    private let begun: Int
    private let lines: Int
    private let directoryCount: Int
    private let directoryAt: Int

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

    /// False if the run certainly has no such list. True may be a false positive.
    ///
    /// - Throws: ``EventLogError/brokenIndex(_:)`` where a damaged line would exclude a list.
    @inline(__always)
    func mayHold(_ mask: borrowing FilterMask) throws(EventLogError) -> Bool {
        if lines == 0 { return true }
        let at = IndexLayout.filterAt + mask.line(of: lines) * IndexLayout.lineBytes
        for word in 0..<FilterMask.words {
            let bits = mask[word]
            if bytes.littleEndian64(at: at + word * 8) & bits == bits { continue }
            if isIntact(lineAt: at) { return false }
            throw .brokenIndex("a line of a filter")
        }
        return true
    }

    private func isIntact(lineAt at: Int) -> Bool {
        let bits = bytes.extracting(at..<at + IndexLayout.lineBitBytes)
        return CRC32C.checksum(of: bits) == bytes.littleEndian32(at: at + IndexLayout.lineBitBytes)
    }

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

/// The bits of a tag, or of a tag with a type, in one line of a part's filter.
///
/// A blocked Bloom filter (Bloom 1970; Putze, Sanders, Singler 2007): a query costs one cache miss. Of a line's eight words, five have a
/// bit for the tag, and three for tag and type; the last is half a word. With 32 lists per line, false positives are 1 in 100 for an absent
/// tag, 1 in 800 for one with a type, and 1 in 10 for a present tag with an absent type.
struct FilterMask: Sendable {
    private static let tagWords = 5
    private static let mixer: UInt64 = 0x9FB2_1C65_1E98_DF25
    static let words = 8

    let spread: UInt64
    private var bits = InlineArray<8, UInt64>(repeating: 0)

    @inline(__always)
    init(_ spread: UInt64, _ type: EventType?) {
        self.spread = spread
        var mixed = spread &* Self.mixer
        for word in 0..<Self.tagWords {
            bits[word] = 1 << (mixed & 63)
            mixed >>= 6
        }
        guard let type else { return }
        mixed = (spread ^ (UInt64(type.rawValue) + 1) &* 0xC2B2_AE3D_27D4_EB4F) &* 0x1656_67B1_9E37_79F9
        mixed ^= mixed >> 32
        for word in Self.tagWords..<Self.words {
            bits[word] = 1 << (mixed & (word == Self.words - 1 ? 31 : 63))
            mixed >>= 6
        }
    }

    /// The bits within the line come from other bits of the hash.
    @inline(__always)
    func line(of lines: Int) -> Int {
        let bits = (spread &* Self.mixer) >> 40
        return Int((bits &* UInt64(lines)) >> 24)
    }

    @inline(__always)
    subscript(word: Int) -> UInt64 { bits[word] }
}

struct PartBuilder: Sendable {
    private var spreads: [UInt64] = []
    private var types: [EventType] = []
    private var directory: [UInt8] = []
    private var directoryCount: UInt32 = 0
    /// Blocks that begin before this part.
    private var begun: UInt32 = 0
    private var words: [UInt64] = []

    @inline(__always)
    mutating func add(_ spread: UInt64, _ type: EventType) {
        // One list beyond the limit shows `fillLines` that there are too many for a filter.
        if spreads.count > IndexLayout.filterEntriesMax { return }
        spreads.append(spread)
        types.append(type)
    }

    mutating func noteBlock(_ piece: PieceBuilder) {
        directory.append(piece.tag.kind.rawValue)
        directory.append(littleEndian: piece.type.rawValue)
        directory.append(littleEndian: piece.tag.value)
        directory.append(littleEndian: piece.first)
        directoryCount += 1
    }

    /// Begins the next part too.
    mutating func finish(_ key: UInt64) -> [UInt8] {
        let lines = fillLines()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(IndexLayout.filterAt + lines * IndexLayout.lineBytes + directory.count)
        bytes.append(littleEndian: key)
        bytes.append(littleEndian: begun)
        bytes.append(littleEndian: UInt32(lines))
        bytes.append(littleEndian: directoryCount)
        while bytes.count < IndexLayout.filterAt { bytes.append(0) }
        for line in 0..<lines {
            let lineAt = bytes.count
            for word in words[line * FilterMask.words..<(line + 1) * FilterMask.words] { bytes.append(littleEndian: word) }
            // The upper half of the last word has no bits.
            bytes.removeLast(IndexLayout.lineBytes - IndexLayout.lineBitBytes)
            bytes.append(littleEndian: CRC32C.checksum(of: bytes.span.extracting(lineAt..<bytes.count)))
        }
        bytes += directory
        restart()
        return bytes
    }

    private mutating func fillLines() -> Int {
        words.removeAll(keepingCapacity: true)
        if spreads.count > IndexLayout.filterEntriesMax { return 0 }
        // At least one line, because a filter without lines would match everything.
        let lines = max(1, (spreads.count + IndexLayout.entriesPerLine - 1) / IndexLayout.entriesPerLine)
        words.append(contentsOf: repeatElement(0, count: lines * FilterMask.words))
        for index in spreads.indices {
            let mask = FilterMask(spreads[index], types[index])
            let at = mask.line(of: lines) * FilterMask.words
            for word in 0..<FilterMask.words { words[at + word] |= mask[word] }
        }
        return lines
    }

    private mutating func restart() {
        begun += directoryCount
        directoryCount = 0
        directory.removeAll(keepingCapacity: true)
        spreads.removeAll(keepingCapacity: true)
        types.removeAll(keepingCapacity: true)
    }
}
