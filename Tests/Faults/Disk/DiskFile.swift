import Seeds

/// A file as a disk has it: what is there for certain, and what may be.
///
/// Each sector has had a row of versions since it was last flushed, one for each write that touched it. The disk may hold any one
/// of them, for the page cache writes back what it has when it likes; sectors are independent of each other. So are the versions
/// of the size. What is flushed takes the older versions with it.
struct DiskFile: Sendable {
    /// What a write changed in one sector; nil bytes are zeros.
    private struct Piece: Sendable {
        let number: Int
        let range: Range<Int>
        let bytes: ArraySlice<UInt8>?
    }

    /// What a cut cannot take away: the size, and bytes, of which there may be more than the size shows.
    private var durableSize = 0
    private var durable: [UInt8] = []
    /// The size that programs see.
    private(set) var size = 0
    /// Whether it was mapped for shared writing, so that its content is anybody's guess.
    private(set) var isMapped = false

    private var pieces: [Int: [Piece]] = [:]
    private var sizes: [(number: Int, size: Int)] = []

    /// The `number`-th record wrote these bytes.
    mutating func write(_ bytes: [UInt8], at offset: Int, number: Int) {
        let end = offset + bytes.count
        for (sector, range) in Sectors.pieces(of: offset..<end) {
            let part = bytes[range.lowerBound - offset..<range.upperBound - offset]
            pieces[sector, default: []].append(Piece(number: number, range: range, bytes: part))
        }
        if end > size { setSize(end, number) }
    }

    /// The `number`-th record cut or stretched the file.
    mutating func resize(to newSize: Int, number: Int) {
        for (sector, range) in Sectors.pieces(of: min(newSize, size)..<size) {
            pieces[sector, default: []].append(Piece(number: number, range: range, bytes: nil))
        }
        if newSize != size { setSize(newSize, number) }
    }

    mutating func map() { isMapped = true }

    /// Everything of the first `covered` records is on disk.
    mutating func flush(_ covered: Int) {
        settleSizes(before: covered)
        for sector in pieces.keys.sorted() { settle(sector, before: covered) }
    }

    /// The pages written by the first `covered` records never reach the disk: the kernel drops them when writing them back fails.
    mutating func lose(_ covered: Int) {
        for (sector, rows) in pieces {
            let rest = rows.filter { $0.number >= covered }
            pieces[sector] = rest.isEmpty ? nil : rest
        }
    }

    /// The write of one record is on disk: its sectors, as they were then, and a size that holds them.
    mutating func flush(write range: Range<Int>, number: Int) {
        if range.upperBound > durableSize { settleSizes(before: number + 1) }
        for (sector, _) in Sectors.pieces(of: range) { settle(sector, before: number + 1) }
    }

    /// What the disk may hold after a cut now.
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
