/// The storage of a tree's hashes by tile levels (C2SP tlog-tiles), with extensions that compute roots, proofs and tiles of every size.
///
/// Entry `i` of level L is the root of the leaves from `i · 256^L` up to `(i + 1) · 256^L`, and exists once all of them do. Nodes between
/// levels are computed from the lower level. ``TreeEdge`` computes the entries that an append adds.
public protocol HashSource: ~Copyable, ~Escapable {
    /// The entries of one level, in order.
    ///
    /// - MUST return `range.count` hashes, or throw. An entry MUST never change once it has been returned.
    /// - MUST have entry `i` of level L if `(i + 1) · 256^L` does not exceed the tree size in use.
    /// - One operation requests at most 256 entries per call, and no range twice.
    /// - All calls come on the operation's thread, before it returns.
    func hashes(level: Int, in range: Range<UInt64>) throws -> [NodeHash]
}

extension HashSource where Self: ~Copyable, Self: ~Escapable {
    /// One entry of a level.
    ///
    /// - Throws: any error of the source; ``MerkleError`` `.missingHash` if it did not return exactly one hash.
    public func hash(level: Int, index: UInt64) throws -> NodeHash { try counted(level: level, in: index..<index + 1)[0] }

    /// Checks the number of returned hashes.
    func counted(level: Int, in range: Range<UInt64>) throws -> [NodeHash] {
        let hashes = try hashes(level: level, in: range)
        guard hashes.count == range.count else {
            throw MerkleError(.missingHash, "level \(level) has \(hashes.count) hashes in \(range.lowerBound)..<\(range.upperBound)")
        }
        return hashes
    }

    /// The root of 2^`height` leaves. Reads at most 128 entries, all from one tile.
    func subtree(height: Int, index: UInt64, _ hasher: inout TreeHasher) throws -> NodeHash {
        let inner = height % TileLevels.height
        let range = index << UInt64(inner)..<(index + 1) << UInt64(inner)
        return hasher.root(ofComplete: try counted(level: height / TileLevels.height, in: range))
    }

    /// The range must begin where a subtree of RFC 6962 begins.
    func hash(of leaves: Range<UInt64>, _ hasher: inout TreeHasher) throws -> NodeHash {
        var parts: [NodeHash] = []
        for part in CompleteSubtrees(of: leaves) {
            parts.append(try subtree(height: part.height, index: part.index, &hasher))
        }
        return hasher.root(of: parts)
    }
}

extension HashSource where Self: ~Copyable, Self: ~Escapable {
    /// The root of the first `size` leaves (RFC 6962 §2.1).
    ///
    /// - Throws: any error of the source; ``MerkleError`` for a size beyond ``MerkleLimits/sizeMax``, or if hashes are missing.
    public func root(at size: UInt64) throws -> NodeHash {
        try MerkleError.check(size: size)
        var hasher = TreeHasher()
        return try hash(of: 0..<size, &hasher)
    }

    /// The proof that the leaf at `index`, from 0, is in the tree of the first `size` leaves (RFC 6962 §2.1.1).
    ///
    /// - Throws: any error of the source; ``MerkleError`` for an index beyond the tree, a size beyond ``MerkleLimits/sizeMax``, or missing
    ///   hashes.
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

    /// The proof that the tree of `newSize` leaves begins with the tree of `oldSize` leaves (RFC 6962 §2.1.2).
    ///
    /// - Throws: any error of the source; ``MerkleError`` if the old tree is larger, for a new size beyond ``MerkleLimits/sizeMax``, or
    ///   missing hashes.
    public func consistencyProof(from oldSize: UInt64, to newSize: UInt64) throws -> ConsistencyProof {
        try MerkleError.check(size: newSize)
        guard oldSize <= newSize else { throw MerkleError(.outOfRange, "from \(oldSize) leaves to \(newSize)") }
        var hasher = TreeHasher()
        var hashes: [NodeHash] = []
        var inside = 0..<newSize
        // A proof from size 0 needs no hashes.
        while oldSize > 0, inside.upperBound > oldSize {
            let (left, right) = inside.halves
            inside = oldSize <= right.lowerBound ? left : right
            hashes.append(try hash(of: inside == left ? right : left, &hasher))
        }
        // Otherwise this part is the whole old tree, whose root the verifier knows.
        if inside.lowerBound > 0 { hashes.append(try hash(of: inside, &hasher)) }
        return ConsistencyProof(oldSize: oldSize, newSize: newSize, hashes: hashes.reversed())
    }
}

extension Range where Bound == UInt64 {
    fileprivate var halves: (Range, Range) {
        let middle = lowerBound + (1 << UInt64(UInt64.bitWidth - 1 - (upperBound - lowerBound - 1).leadingZeroBitCount))
        return (lowerBound..<middle, middle..<upperBound)
    }
}

extension MerkleError {
    static func check(size: UInt64) throws(MerkleError) {
        guard size <= MerkleLimits.sizeMax else { throw MerkleError(.outOfRange, "a tree of \(size) leaves") }
    }
}

/// The path from a node up to the root (RFC 9162 §2.1.3.2, §2.1.4.2). At each height, a last node without a sibling moves up unchanged.
struct Climb {
    /// The side of the proof's next hash.
    enum Side { case left, right }

    private var node: UInt64
    private var last: UInt64

    init(from node: UInt64, last: UInt64) { (self.node, self.last) = (node, last) }

    var isAtRoot: Bool { last == 0 }

    /// The left sibling of a right child is part of the same known subtree.
    mutating func skipRightChildren() { while !node.isMultiple(of: 2) { rise() } }

    /// Moves past the next height with a sibling, and returns its side; nil at the root.
    mutating func next() -> Side? {
        guard !isAtRoot else { return nil }
        while node == last, node.isMultiple(of: 2) { rise() }
        let side: Side = node.isMultiple(of: 2) ? .right : .left
        rise()
        return side
    }

    private mutating func rise() {
        node >>= 1
        last >>= 1
    }
}
