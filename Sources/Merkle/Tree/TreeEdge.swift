/// The right edge of a growing tree: the state that is needed to append leaves and to compute its root.
///
/// It holds one hash for each complete subtree, of which there are as many as the size has bits set. It is a value: a writer keeps the old
/// one until the commit has returned, and goes back to it if the commit fails.
///
/// An append costs two hashes on average, the leaf's and one node's.
public struct TreeEdge: Sendable {
    /// How many leaves the tree has.
    public private(set) var size: UInt64 = 0
    /// The roots of the complete subtrees, the largest (the left) first.
    private var parts: [NodeHash] = []
    private var hasher = TreeHasher()

    /// The edge of the empty tree.
    public init() {}

    /// The edge of a stored tree, as it was after its first `size` leaves: what a start begins with.
    ///
    /// Reads at most 255 entries a tile level.
    ///
    /// - Throws: what the source throws; ``MerkleError`` for a size that no tree has or hashes that are missing.
    public init(at size: UInt64, of source: borrowing some HashSource & ~Copyable & ~Escapable) throws {
        try MerkleError.check(size: size)
        for part in CompleteSubtrees(of: 0..<size) {
            parts.append(try source.subtree(height: part.height, index: part.index, &hasher))
        }
        self.size = size
    }

    /// The root of the tree (RFC 6962 §2.1): at most 62 hashes.
    public var root: NodeHash {
        var hasher = hasher
        return hasher.root(of: parts)
    }

    /// Hashes a record and appends it; see ``append(leaf:completing:)``.
    public mutating func append(_ record: Span<UInt8>, completing entries: inout [TreeEntry]) {
        append(leaf: hasher.leaf(record), completing: &entries)
    }

    /// The same for a record in an array.
    public mutating func append(_ record: [UInt8], completing entries: inout [TreeEntry]) {
        append(record.span, completing: &entries)
    }

    /// Appends a leaf, and to `entries` what has to be stored with it: the leaf's own hash at level 0, then one hash for each
    /// tile level that the leaf completes, in ascending order of levels.
    ///
    /// Traps beyond ``MerkleLimits/sizeMax`` leaves, which no log reaches.
    public mutating func append(leaf: NodeHash, completing entries: inout [TreeEntry]) {
        precondition(size < MerkleLimits.sizeMax, "the tree is full")
        entries.append(TreeEntry(level: 0, index: size, hash: leaf))
        var hash = leaf
        // As in adding one to a binary number: each set bit at the end is a subtree that now finds its right neighbour.
        for height in 1..<(size.trailingOneBitCount + 1) {
            hash = hasher.node(parts.removeLast(), hash)
            if height.isMultiple(of: TileLevels.height) {
                entries.append(TreeEntry(level: height / TileLevels.height, index: size >> UInt64(height), hash: hash))
            }
        }
        parts.append(hash)
        size += 1
    }
}

extension UInt64 {
    fileprivate var trailingOneBitCount: Int { (~self).trailingZeroBitCount }
}

/// How the levels of tiles and the heights of subtrees go together.
enum TileLevels {
    /// Levels of the binary tree between two tile levels: 2^8 = 256.
    static let height = 8

    /// How many entries a tile level has in a tree: ⌊size / 256^level⌋.
    static func entries(level: Int, size: UInt64) -> UInt64 {
        level < UInt64.bitWidth / height ? size >> UInt64(level * height) : 0
    }
}

/// An entry of ``HashSource`` that an append has made: stored once, never changed.
public struct TreeEntry: Hashable, Sendable {
    /// The tile level: 0 for a leaf's own hash.
    public let level: Int
    /// The place within the level, counted from 0.
    public let index: UInt64
    /// The root of the 256^level leaves from `index · 256^level` on.
    public let hash: NodeHash

    /// An entry.
    @inlinable
    public init(level: Int, index: UInt64, hash: NodeHash) {
        self.level = level
        self.index = index
        self.hash = hash
    }
}
