/// The proof that a record is in a tree: the sibling hashes from its leaf up to the root (RFC 6962 §2.1.1), made by ``HashSource``.
///
/// It has at most ``MerkleLimits/proofHashesMax`` hashes, and 20 for a million records.
public struct InclusionProof: Hashable, Sendable {
    /// The leaf's number, from 0: an event's position minus one.
    public let index: UInt64
    /// The leaves of the tree.
    public let size: UInt64
    /// The hashes from the leaf's sibling up to the child of the root.
    public let hashes: [NodeHash]

    /// Creates a proof without checking anything.
    public init(index: UInt64, size: UInt64, hashes: [NodeHash]) { (self.index, self.size, self.hashes) = (index, size, hashes) }

    /// Checks that a record is in the tree with this root.
    ///
    /// - Throws: as ``root(of:)``, and ``MerkleError`` `.rootMismatch`.
    public func verify(_ record: Span<UInt8>, root: NodeHash) throws(MerkleError) {
        var hasher = TreeHasher()
        try verify(leaf: hasher.leaf(record), root: root)
    }

    /// Checks a record given as an array.
    public func verify(_ record: [UInt8], root: NodeHash) throws(MerkleError) { try verify(record.span, root: root) }

    /// Checks that a leaf hash is in the tree with this root.
    ///
    /// - Throws: as ``root(of:)``, and ``MerkleError`` `.rootMismatch`.
    public func verify(leaf: NodeHash, root: NodeHash) throws(MerkleError) {
        guard try self.root(of: leaf) == root else {
            throw MerkleError(.rootMismatch, "the proof of leaf \(index) in \(size) does not lead to the root")
        }
    }

    /// Computes the root from a leaf and the proof's hashes (RFC 9162 §2.1.3.2).
    ///
    /// - Throws: ``MerkleError`` `.outOfRange` for an index beyond the tree or a size beyond ``MerkleLimits/sizeMax``, `.proofLength` for a
    ///   wrong number of hashes.
    public func root(of leaf: NodeHash) throws(MerkleError) -> NodeHash {
        try MerkleError.check(size: size)
        guard index < size else { throw MerkleError(.outOfRange, "leaf \(index) of a tree of \(size)") }
        var hasher = TreeHasher()
        var hash = leaf
        var climb = Climb(from: index, last: size - 1)
        for sibling in hashes {
            guard let side = climb.next() else { throw lengthError }
            hash = side == .left ? hasher.node(sibling, hash) : hasher.node(hash, sibling)
        }
        guard climb.isAtRoot else { throw lengthError }
        return hash
    }

    private var lengthError: MerkleError { MerkleError(.proofLength, "\(hashes.count) hashes for leaf \(index) in \(size)") }
}
