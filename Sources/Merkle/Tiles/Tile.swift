/// A static file of a published tree: up to 256 hashes of one level, or up to 256 entries (C2SP tlog-tiles).
///
/// A full tile never changes. A partial one ends where the tree of some checkpoint ended, and is superseded by the full one.
public struct Tile: Hashable, Sendable {
    /// What a tile holds.
    public enum Kind: Hashable, Sendable {
        /// Hashes of a level, 0 to ``MerkleLimits/tileLevelMax``: 32 bytes each.
        case hashes(level: Int)
        /// The records themselves, each with its length in front; see ``EntryBundle``.
        case entries
    }

    /// What it holds.
    public let kind: Kind
    /// Which tile of its level, counted from 0.
    public let index: UInt64
    /// How many hashes or entries it has: 1 to ``MerkleLimits/tileWidth``, which is a full one.
    public let width: Int

    /// A tile.
    ///
    /// - Throws: ``MerkleError/Code-swift.struct/outOfRange`` for a level, index or width that no tile has.
    public init(_ kind: Kind, index: UInt64, width: Int = MerkleLimits.tileWidth) throws(MerkleError) {
        if case .hashes(let level) = kind, !(0...MerkleLimits.tileLevelMax).contains(level) {
            throw MerkleError(.outOfRange, "tile level \(level)")
        }
        guard index <= Self.indexMax, (1...MerkleLimits.tileWidth).contains(width) else {
            throw MerkleError(.outOfRange, "tile \(index) of width \(width)")
        }
        self.init(checked: kind, index: index, width: width)
    }

    init(checked kind: Kind, index: UInt64, width: Int) {
        self.kind = kind
        self.index = index
        self.width = width
    }

    /// The last tile of the largest tree.
    static let indexMax = MerkleLimits.sizeMax / UInt64(MerkleLimits.tileWidth)

    /// The level whose entries it has; entries stand beside level 0.
    public var level: Int {
        if case .hashes(let level) = kind { level } else { 0 }
    }

    /// Whether it has all of its hashes or entries.
    public var isFull: Bool { width == MerkleLimits.tileWidth }

    /// The places of its hashes within their level.
    public var range: Range<UInt64> {
        let start = index * UInt64(MerkleLimits.tileWidth)
        return start..<start + UInt64(width)
    }

    /// The tile of entries whose hashes are in this one; nil above level 0.
    public var entries: Tile? { level == 0 ? Tile(checked: .entries, index: index, width: width) : nil }

    /// Whether a tree of `size` leaves has all of its hashes. Partial tiles are no part of larger trees but can be made from them.
    public func isWithin(size: UInt64) -> Bool {
        range.upperBound <= TileLevels.entries(level: level, size: size)
    }
}
