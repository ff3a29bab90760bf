import Seeds

/// A file on a simulated disk: its durable content, and the unflushed content that may or may not survive a power cut.
///
/// Since its last flush, each sector has a list of versions, one for each write that touched it. The disk may hold any one of them, or the
/// durable content, because the page cache is written back at any time, independently for each sector. The file's size has versions in the
/// same way. A flush makes the newest version durable and drops the older ones.
struct DiskFile: Sendable {
    /// The part of one write that falls into one sector. If `bytes` is nil, the range is filled with zeros.
    private struct Piece: Sendable {
        let number: Int
        let range: Range<Int>
        let bytes: ArraySlice<UInt8>?
    }

    /// The durable size and the durable bytes, which survive every power cut. There may be more durable bytes than the size covers.
    private var durableSize = 0
    private var durable: [UInt8] = []
    /// The size that programs see.
    private(set) var size = 0
    /// Whether the file was mapped for shared writing. Then its content after a power cut is unpredictable.
    private(set) var isMapped = false

    private var pieces: [Int: [Piece]] = [:]
    private var sizes: [(number: Int, size: Int)] = []

    /// Applies the write of the `number`-th record.
    mutating func write(_ bytes: [UInt8], at offset: Int, number: Int) {
        let end = offset + bytes.count
        for (sector, range) in Sectors.pieces(of: offset..<end) {
            let part = bytes[range.lowerBound - offset..<range.upperBound - offset]
            pieces[sector, default: []].append(Piece(number: number, range: range, bytes: part))
        }
        if end > size { setSize(end, number) }
    }

    /// Applies the truncation or extension of the `number`-th record.
    mutating func resize(to newSize: Int, number: Int) {
        for (sector, range) in Sectors.pieces(of: min(newSize, size)..<size) {
            pieces[sector, default: []].append(Piece(number: number, range: range, bytes: nil))
        }
        if newSize != size { setSize(newSize, number) }
    }

    mutating func map() { isMapped = true }

    /// Makes everything durable that the first `covered` records wrote.
    mutating func flush(_ covered: Int) {
        settleSizes(before: covered)
        for sector in pieces.keys.sorted() { settle(sector, before: covered) }
    }

    /// Drops the pages written by the first `covered` records, as the kernel does when writing them back fails.
    mutating func lose(_ covered: Int) {
        for (sector, rows) in pieces {
            let rest = rows.filter { $0.number >= covered }
            pieces[sector] = rest.isEmpty ? nil : rest
        }
    }

    /// Makes the write of one record durable: the content of its sectors up to this write, and a file size that includes the write.
    mutating func flush(write range: Range<Int>, number: Int) {
        if range.upperBound > durableSize { settleSizes(before: number + 1) }
        for (sector, _) in Sectors.pieces(of: range) { settle(sector, before: number + 1) }
    }

    /// Returns a possible content after a power cut at this moment.
    func content(_ chance: Chance, _ random: inout SeededRandom) -> [UInt8] {
        var content = durable
        let changes = chance.count(of: sizes.count, &random)
        let size = changes == 0 ? durableSize : sizes[changes - 1].size
        for sector in pieces.keys.sorted() {
            let rows = pieces[sector, default: []]
            for piece in rows.prefix(chance.count(of: rows.count, &random)) { Self.apply(piece, to: &content) }
        }
        Self.fit(&content, to: size)
        return isMapped ? content.map { random.oneIn(2) ? $0 : UInt8(random.int(0...255)) } : content
    }

    private mutating func setSize(_ newSize: Int, _ number: Int) {
        size = newSize
        sizes.append((number, newSize))
    }

    private mutating func settleSizes(before number: Int) {
        let settled = sizes.prefix { $0.number < number }
        if let last = settled.last { durableSize = last.size }
        sizes.removeFirst(settled.count)
    }

    private mutating func settle(_ sector: Int, before number: Int) {
        guard let rows = pieces[sector] else { return }
        let settled = rows.prefix { $0.number < number }
        for piece in settled { Self.apply(piece, to: &durable) }
        let rest = Array(rows.dropFirst(settled.count))
        pieces[sector] = rest.isEmpty ? nil : rest
    }

    private static func apply(_ piece: Piece, to content: inout [UInt8]) {
        if let bytes = piece.bytes {
            if content.count < piece.range.upperBound { fit(&content, to: piece.range.upperBound) }
            content.replaceSubrange(piece.range, with: bytes)
        } else {
            for index in piece.range.clamped(to: 0..<content.count) { content[index] = 0 }
        }
    }

    private static func fit(_ content: inout [UInt8], to size: Int) {
        if size < content.count { content.removeLast(content.count - size) }
        if size > content.count { content.append(contentsOf: repeatElement(0, count: size - content.count)) }
    }
}
