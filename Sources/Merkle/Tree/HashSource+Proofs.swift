extension HashSource where Self: ~Copyable, Self: ~Escapable {
    /// The root of the first `size` leaves (RFC 6962 §2.1).
    ///
    /// - Throws: what the source throws; ``MerkleError`` for a size beyond ``MerkleLimits/sizeMax`` or hashes that are missing.
    public func root(at size: UInt64) throws -> NodeHash {
        try MerkleError.check(size: size)
        var hasher = TreeHasher()
        return try hash(of: 0..<size, &hasher)
    }

    /// The proof that the leaf at `index`, counted from 0, is in the tree of the first `size` leaves (RFC 6962 §2.1.1).
    ///
    /// - Throws: what the source throws; ``MerkleError`` for an index that the tree does not have or hashes that are missing.
    public func inclusionProof(of index: UInt64, at size: UInt64) throws -> InclusionProof {
        try MerkleError.check(size: size)
        guard index < size else { throw MerkleError(.outOfRange, "leaf \(index) of a tree of \(size)") }
        var hasher = TreeHasher()
        var hashes: [NodeHash] = []
        var inside = 0..<size
        while inside.count > 1 {
            let (left, right) = inside.halves
            inside = left.contains(index) ? left : right
            hashes.append(try hash(of: inside == left ? right : left, &hasher))
        }
        return InclusionProof(index: index, size: size, hashes: hashes.reversed())
    }

    /// The proof that the tree of `oldSize` leaves is how the tree of `newSize` leaves began (RFC 6962 §2.1.2).
    ///
    /// - Throws: what the source throws; ``MerkleError`` when the old tree is the larger one or hashes are missing.
    public func consistencyProof(from oldSize: UInt64, to newSize: UInt64) throws -> ConsistencyProof {
        try MerkleError.check(size: newSize)
        guard oldSize <= newSize else { throw MerkleError(.outOfRange, "from \(oldSize) leaves to \(newSize)") }
        var hasher = TreeHasher()
        var hashes: [NodeHash] = []
        var inside = 0..<newSize
        // Every tree begins with the empty one: nothing is left to be shown.
        while oldSize > 0, inside.upperBound > oldSize {
            let (left, right) = inside.halves
            inside = oldSize <= right.lowerBound ? left : right
            hashes.append(try hash(of: inside == left ? right : left, &hasher))
        }
        // Where the way led right at least once, the old tree's last part has no name yet; else it is the old tree itself.
        if inside.lowerBound > 0 { hashes.append(try hash(of: inside, &hasher)) }
        return ConsistencyProof(oldSize: oldSize, newSize: newSize, hashes: hashes.reversed())
    }
}

extension Range where Bound == UInt64 {
    /// The two subtrees of a tree over these leaves: the left one has the largest power of two below their number.
    fileprivate var halves: (Range, Range) {
        let middle = lowerBound + (1 << UInt64(UInt64.bitWidth - 1 - (upperBound - lowerBound - 1).leadingZeroBitCount))
        return (lowerBound..<middle, middle..<upperBound)
    }
}

extension MerkleError {
    /// Refuses a size that no tree has.
    static func check(size: UInt64) throws(MerkleError) {
        guard size <= MerkleLimits.sizeMax else { throw MerkleError(.outOfRange, "a tree of \(size) leaves") }
    }
}
