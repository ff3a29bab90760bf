internal import LMDB

/// Makes the head of one part after the other: what is in it is gathered, and the filter made for just that many entries.
struct PartBuilder: Sendable {
    private var spreads: [UInt64] = []
    private var types: [EventType] = []
    private var directory: [UInt8] = []
    private var directoryCount: UInt32 = 0
    /// Blocks begun before this part.
    private var begun: UInt32 = 0
    private var words: [UInt64] = []

    /// Notes a list of the part.
    @inline(__always)
    mutating func add(_ spread: UInt64, _ type: EventType) {
        // More than a filter is made for: one too many says so.
        if spreads.count > IndexLayout.filterEntriesMax { return }
        spreads.append(spread)
        types.append(type)
    }

    /// Notes that a block begins with an entry of this part.
    mutating func noteBlock(_ piece: PieceBuilder) {
        directory.append(piece.tag.kind.rawValue)
        directory.append(littleEndian: piece.type.rawValue)
        directory.append(littleEndian: piece.tag.value)
        directory.append(littleEndian: piece.first)
        directoryCount += 1
    }

    /// The finished head; the next part begins.
    mutating func finish(_ key: UInt64) -> [UInt8] {
        let lines = fillLines()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(IndexLayout.filterAt + lines * IndexLayout.lineBytes + directory.count)
        bytes.append(littleEndian: key)
        bytes.append(littleEndian: begun)
        bytes.append(littleEndian: UInt32(lines))
        bytes.append(littleEndian: directoryCount)
        while bytes.count < IndexLayout.filterAt { bytes.append(0) }
        for word in words { bytes.append(littleEndian: word) }
        bytes += directory
        restart()
        return bytes
    }

    private mutating func fillLines() -> Int {
        words.removeAll(keepingCapacity: true)
        if spreads.count > IndexLayout.filterEntriesMax { return 0 }
        // At least one, for none would mean that anything may be here.
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
