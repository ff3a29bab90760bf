/// A static file of a published tree: up to 256 hashes of one level, or up to 256 entries (C2SP tlog-tiles).
///
/// A full tile never changes. A partial tile ends where a checkpoint's tree ended; the full tile later replaces it.
public struct Tile: Hashable, Sendable {
    /// The content of a tile.
    public enum Kind: Hashable, Sendable {
        /// 32-byte hashes of a level, 0 to ``MerkleLimits/tileLevelMax``.
        case hashes(level: Int)
        /// The records; see ``EntryBundle``.
        case entries
    }

    public let kind: Kind
    /// The tile's number within its level, from 0.
    public let index: UInt64
    /// The number of hashes or entries, from 1 to ``MerkleLimits/tileWidth``.
    public let width: Int

    /// Creates a tile.
    ///
    /// - Throws: ``MerkleError`` `.outOfRange` for a level, index or width that no tile has.
    public init(_ kind: Kind, index: UInt64, width: Int = MerkleLimits.tileWidth) throws(MerkleError) {
        if case .hashes(let level) = kind, !(0...MerkleLimits.tileLevelMax).contains(level) {
            throw MerkleError(.outOfRange, "tile level \(level)")
        }
        guard index <= Self.indexMax, (1...MerkleLimits.tileWidth).contains(width) else {
            throw MerkleError(.outOfRange, "tile \(index) of width \(width)")
        }
        self.init(checked: kind, index: index, width: width)
    }

    init(checked kind: Kind, index: UInt64, width: Int) { (self.kind, self.index, self.width) = (kind, index, width) }

    static let indexMax = MerkleLimits.sizeMax / UInt64(MerkleLimits.tileWidth)

    /// The level of the hashes; 0 for a tile of entries.
    public var level: Int { if case .hashes(let level) = kind { level } else { 0 } }

    public var isFull: Bool { width == MerkleLimits.tileWidth }

    /// The indices of the hashes within their level, or of the leaves for a tile of entries.
    public var range: Range<UInt64> {
        let start = index * UInt64(MerkleLimits.tileWidth)
        return start..<start + UInt64(width)
    }

    /// The tile of entries of this tile of hashes; nil above level 0.
    public var entries: Tile? { level == 0 ? Tile(checked: .entries, index: index, width: width) : nil }

    /// Whether a tree of `size` leaves has all hashes of this tile, even if it has outgrown the partial tile.
    public func isWithin(size: UInt64) -> Bool { range.upperBound <= TileLevels.entries(level: level, size: size) }
}

extension Tile: CustomStringConvertible {
    private static let start = "tile"
    private static let entriesWord = "entries"
    private static let partialSuffix = ".p"
    private static let slash = UInt8(ascii: "/")
    private static let more = UInt8(ascii: "x")
    private static let groupDigits = 3
    private static let groupBase: UInt64 = 1_000

    /// The path below the log's URL prefix, such as `tile/0/x001/x234/067` or `tile/entries/000.p/5`.
    public var path: String {
        let place: String
        switch kind {
        case .hashes(let level): place = "\(level)"
        case .entries: place = Self.entriesWord
        }
        let partial = isFull ? "" : "\(Self.partialSuffix)/\(width)"
        return "\(Self.start)/\(place)/\(Self.groups(of: index))\(partial)"
    }

    public var description: String { path }

    /// Parses a path below the log's URL prefix, without a leading slash. Each tile has one path; other spellings are rejected.
    ///
    /// - Throws: ``MerkleError`` `.malformedTile`.
    public init(path: String) throws(MerkleError) {
        guard let tile = Self.parsed(path), tile.path.utf8.elementsEqual(path.utf8) else {
            throw MerkleError(.malformedTile, "this is no path of a tile")
        }
        self = tile
    }

    /// In groups, so that no folder holds more than a thousand full tiles.
    private static func groups(of index: UInt64) -> String {
        var text = group(index)
        var rest = index / groupBase
        while rest > 0 {
            text = "x\(group(rest))/\(text)"
            rest /= groupBase
        }
        return text
    }

    private static func group(_ number: UInt64) -> String {
        let digits = String(number % groupBase)
        return String(repeating: "0", count: groupDigits - digits.utf8.count) + digits
    }

    /// Accepts other spellings too; ``init(path:)`` rejects them.
    private static func parsed(_ path: String) -> Tile? {
        guard path.utf8.count <= pathBytesMax else { return nil }
        var parts = Array(path.utf8).split(separator: slash, omittingEmptySubsequences: false)[...]
        guard parts.popFirst()?.elementsEqual(start.utf8) == true, let kind = parts.popFirst().flatMap(Self.kind)
        else { return nil }
        var width = MerkleLimits.tileWidth
        if let last = parts.last, let name = parts.dropLast().last, name.suffix(2).elementsEqual(partialSuffix.utf8) {
            guard let number = Decimal.number(last, max: UInt64(MerkleLimits.tileWidth - 1)) else { return nil }
            width = Int(number)
            parts = parts.dropLast(2) + [name.dropLast(2)]
        }
        guard let index = Self.index(parts) else { return nil }
        return try? Tile(kind, index: index, width: width)
    }

    /// The longest path has 47 bytes.
    private static let pathBytesMax = 64

    private static func kind(_ part: ArraySlice<UInt8>) -> Kind? {
        if part.elementsEqual(entriesWord.utf8) { return .entries }
        return Decimal.number(part, max: UInt64(MerkleLimits.tileLevelMax)).map { .hashes(level: Int($0)) }
    }

    private static func index(_ parts: ArraySlice<ArraySlice<UInt8>>) -> UInt64? {
        var index: UInt64 = 0
        for part in parts {
            let digits = part.first == more ? part.dropFirst() : part
            guard digits.count == groupDigits, let group = Decimal.digits(digits, max: groupBase - 1) else { return nil }
            guard index <= indexMax / groupBase else { return nil }
            index = index * groupBase + group
        }
        return parts.isEmpty ? nil : index
    }
}
