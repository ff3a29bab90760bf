/// The right edge of a growing tree: the state needed to append leaves and to compute the root.
///
/// The edge holds one hash for each complete subtree: as many as the binary form of the size has ones. An edge is a value. So a writer can
/// keep the old edge until the transaction with the new leaves is committed, and return to the old edge if the commit fails.
///
/// An append costs two hashes on average: one for the leaf and one for a node.
public struct TreeEdge: Sendable {
    /// The number of leaves.
    public private(set) var size: UInt64 = 0
    /// The roots of the complete subtrees, from the largest (leftmost) on.
    private var parts: [NodeHash] = []
    private var hasher = TreeHasher()

    /// The edge of the empty tree.
    public init() {}

    /// Restores the edge of a stored tree after its first `size` leaves. A writer does this at startup.
    ///
    /// Reads at most 255 entries per tile level.
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

    /// Hashes a record that is given as an array, and appends it.
    public mutating func append(_ record: [UInt8], completing entries: inout [TreeEntry]) {
        append(record.span, completing: &entries)
    }

    /// Appends a leaf, and adds to `entries` the hashes to store with it: the leaf's own hash at level 0, then one hash for each higher
    /// tile level at which the leaf completes an entry, in ascending order of levels.
    ///
    /// Traps beyond ``MerkleLimits/sizeMax`` leaves, which no log reaches.
    public mutating func append(leaf: NodeHash, completing entries: inout [TreeEntry]) {
        precondition(size < MerkleLimits.sizeMax, "the tree is full")
        entries.append(TreeEntry(level: 0, index: size, hash: leaf))
        var hash = leaf
        // This works like adding 1 to a binary number. Each trailing one bit of the size is a complete subtree, which merges with its new
        // right neighbour.
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

/// The relation between tile levels and heights of subtrees.
enum TileLevels {
    /// The number of levels of the binary tree for each tile level. A tile has 256 hashes, which is 2^8.
    static let height = 8

    /// The number of entries of a tile level in a tree: ⌊size / 256^level⌋.
    static func entries(level: Int, size: UInt64) -> UInt64 {
        level < UInt64.bitWidth / height ? size >> UInt64(level * height) : 0
    }
}

/// A hash that an append adds to a tile level, to be stored for ``HashSource``. It is stored once and never changes.
public struct TreeEntry: Hashable, Sendable {
    /// The tile level: 0 for a leaf's own hash.
    public let level: Int
    /// The index within the level, counted from 0.
    public let index: UInt64
    /// The root of the 256^level leaves from `index · 256^level` on.
    public let hash: NodeHash

    /// Creates an entry of a tile level.
    @inlinable
    public init(level: Int, index: UInt64, hash: NodeHash) {
        self.level = level
        self.index = index
        self.hash = hash
    }
}
