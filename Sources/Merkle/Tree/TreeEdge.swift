/// The right edge of a growing tree: the state needed to append leaves, at two hashes each on average, and to compute the root.
///
/// An edge is a value. So a writer can keep the old edge until the new leaves are committed, and return to it if the commit fails.
public struct TreeEdge: Sendable {
    /// The number of leaves.
    public private(set) var size: UInt64 = 0
    /// Complete subtrees, from the largest (leftmost) on.
    private var parts: [NodeHash] = []
    private var hasher = TreeHasher()

    /// The edge of the empty tree.
    public init() {}

    /// Restores the edge after the first `size` leaves of a stored tree. Reads at most 255 entries per tile level.
    ///
    /// - Throws: any error of the source; ``MerkleError`` for a size that no tree has, or if hashes are missing.
    public init(at size: UInt64, of source: borrowing some HashSource & ~Copyable & ~Escapable) throws {
        try MerkleError.check(size: size)
        for part in CompleteSubtrees(of: 0..<size) {
            parts.append(try source.subtree(height: part.height, index: part.index, &hasher))
        }
        self.size = size
    }

    /// The root of the tree (RFC 6962 §2.1). Computes at most 62 hashes.
    public var root: NodeHash {
        var hasher = hasher
        return hasher.root(of: parts)
    }

    /// Hashes a record and appends it; see ``append(leaf:completing:)``.
    public mutating func append(_ record: Span<UInt8>, completing entries: inout [TreeEntry]) {
        append(leaf: hasher.leaf(record), completing: &entries)
    }

    /// Hashes a record given as an array, and appends it.
    public mutating func append(_ record: [UInt8], completing entries: inout [TreeEntry]) {
        append(record.span, completing: &entries)
    }

    /// Appends a leaf, and adds to `entries` the hashes to store with it: its own at level 0, then one for each higher tile level at which
    /// it completes an entry, in ascending order.
    ///
    /// Traps beyond ``MerkleLimits/sizeMax`` leaves.
    public mutating func append(leaf: NodeHash, completing entries: inout [TreeEntry]) {
        precondition(size < MerkleLimits.sizeMax, "the tree is full")
        entries.append(TreeEntry(level: 0, index: size, hash: leaf))
        var hash = leaf
        // Like adding 1 to a binary number: each trailing one bit is a complete subtree, which merges.
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

/// Tile levels and heights of subtrees.
enum TileLevels {
    /// A tile has 2^8 hashes.
    static let height = 8

    static func entries(level: Int, size: UInt64) -> UInt64 {
        level < UInt64.bitWidth / height ? size >> UInt64(level * height) : 0
    }
}

/// A hash that an append adds to a tile level, stored once for ``HashSource`` and never changed.
public struct TreeEntry: Hashable, Sendable {
    /// The tile level: 0 for a leaf's own hash.
    public let level: Int
    /// The index within the level, from 0.
    public let index: UInt64
    /// The root of the 256^level leaves from `index · 256^level` on.
    public let hash: NodeHash

    @inlinable
    public init(level: Int, index: UInt64, hash: NodeHash) { (self.level, self.index, self.hash) = (level, index, hash) }
}
