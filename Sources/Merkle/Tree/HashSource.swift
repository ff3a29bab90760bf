/// Where the hashes of a tree are kept, by tile levels (C2SP tlog-tiles).
///
/// Level 0 holds a hash a leaf. Level L holds a hash for each 256^L leaves: entry `i` is the root of the leaves from `i · 256^L`
/// up to `(i + 1) · 256^L`, and is there as soon as they all are. What lies between two levels is computed from the lower one,
/// so that the storage is a 256th larger than the leaf hashes alone. ``TreeEdge`` says which entries an append makes.
///
/// Roots, proofs and tiles of every size up to the stored one come as extensions.
public protocol HashSource: ~Copyable, ~Escapable {
    /// The entries of one level, in order.
    ///
    /// - MUST return `range.count` hashes, or throw; what was once returned MUST be returned for ever.
    /// - MUST have entry `i` of level L whenever `(i + 1) · 256^L` is not beyond a size that it is asked about.
    /// - Is asked for at most 256 entries at once, and for each range once an operation; it may cache and need not.
    /// - Is called on the caller's thread and never after the operation has returned.
    func hashes(level: Int, in range: Range<UInt64>) throws -> [NodeHash]
}

extension HashSource where Self: ~Copyable, Self: ~Escapable {
    /// One entry of a level.
    ///
    /// - Throws: what the source throws; ``MerkleError/Code-swift.struct/missingHash`` if it returned none.
    public func hash(level: Int, index: UInt64) throws -> NodeHash {
        try counted(level: level, in: index..<index + 1)[0]
    }

    /// As ``hashes(level:in:)``, and just as many as asked for.
    func counted(level: Int, in range: Range<UInt64>) throws -> [NodeHash] {
        let hashes = try hashes(level: level, in: range)
        guard hashes.count == range.count else {
            throw MerkleError(
                .missingHash, "level \(level) has \(hashes.count) hashes in \(range.lowerBound)..<\(range.upperBound)")
        }
        return hashes
    }

    /// The root of the complete subtree of 2^`height` leaves that begins at leaf `index · 2^height`.
    ///
    /// Reads at most 128 entries: those of the level below, in one tile.
    func subtree(height: Int, index: UInt64, _ hasher: inout TreeHasher) throws -> NodeHash {
        let inner = height % TileLevels.height
        let range = index << UInt64(inner)..<(index + 1) << UInt64(inner)
        return hasher.root(ofComplete: try counted(level: height / TileLevels.height, in: range))
    }

    /// The root of the leaves in a range, which must begin where a subtree of RFC 6962 does.
    func hash(of leaves: Range<UInt64>, _ hasher: inout TreeHasher) throws -> NodeHash {
        var parts: [NodeHash] = []
        for part in CompleteSubtrees(of: leaves) {
            parts.append(try subtree(height: part.height, index: part.index, &hasher))
        }
        return hasher.root(of: parts)
    }
}
