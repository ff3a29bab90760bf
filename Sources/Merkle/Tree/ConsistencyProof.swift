/// The proof that a tree's first leaves are the leaves of an older tree (RFC 6962 §2.1.2), made by ``HashSource``.
///
/// A proof from size 0, or from a size to itself, has no hashes.
public struct ConsistencyProof: Hashable, Sendable {
    /// The leaves of the older tree.
    public let oldSize: UInt64
    /// The leaves of the newer tree.
    public let newSize: UInt64
    /// From the smallest subtree up, as in RFC 6962.
    public let hashes: [NodeHash]

    /// Creates a proof without checking anything.
    public init(oldSize: UInt64, newSize: UInt64, hashes: [NodeHash]) {
        (self.oldSize, self.newSize, self.hashes) = (oldSize, newSize, hashes)
    }

    /// Checks that the newer tree begins with all leaves of the older one (RFC 9162 §2.1.4.2).
    ///
    /// An older tree of size 0 must have the empty tree's root. The RFC leaves this open, but witnesses require it.
    ///
    /// - Throws: ``MerkleError`` `.outOfRange` if the older tree is larger or the newer size exceeds ``MerkleLimits/sizeMax``,
    ///   `.proofLength` for a wrong number of hashes, `.rootMismatch` if the proof does not lead to both roots.
    public func verify(oldRoot: NodeHash, newRoot: NodeHash) throws(MerkleError) {
        try MerkleError.check(size: newSize)
        guard oldSize <= newSize else { throw MerkleError(.outOfRange, "from \(oldSize) leaves to \(newSize)") }
        guard oldSize > 0, oldSize < newSize else { return try verifyTrivial(oldRoot, newRoot) }
        let roots = try self.roots(from: oldRoot)
        guard roots.old == oldRoot else { throw mismatch("older") }
        guard roots.new == newRoot else { throw mismatch("newer") }
    }

    private func verifyTrivial(_ oldRoot: NodeHash, _ newRoot: NodeHash) throws(MerkleError) {
        guard hashes.isEmpty else { throw lengthError }
        guard oldSize > 0 || oldRoot == TreeHasher.emptyRoot else { throw mismatch("older") }
        guard oldSize < newSize || oldRoot == newRoot else { throw mismatch("newer") }
    }

    /// If the older size is a power of two, the proof omits the first hash, because it is the older root.
    private func roots(from oldRoot: NodeHash) throws(MerkleError) -> (old: NodeHash, new: NodeHash) {
        var rest = hashes[...]
        var climb = Climb(from: oldSize - 1, last: newSize - 1)
        climb.skipRightChildren()
        guard let start = oldSize.nonzeroBitCount == 1 ? oldRoot : rest.popFirst() else { throw lengthError }
        var (old, new) = (start, start)
        var hasher = TreeHasher()
        // A left sibling belongs to both trees, a right one only to the newer.
        for sibling in rest {
            guard let side = climb.next() else { throw lengthError }
            if side == .left { old = hasher.node(sibling, old) }
            new = side == .left ? hasher.node(sibling, new) : hasher.node(new, sibling)
        }
        guard climb.isAtRoot else { throw lengthError }
        return (old, new)
    }

    private var lengthError: MerkleError {
        MerkleError(.proofLength, "\(hashes.count) hashes from \(oldSize) leaves to \(newSize)")
    }

    private func mismatch(_ which: String) -> MerkleError {
        MerkleError(.rootMismatch, "the proof from \(oldSize) leaves to \(newSize) does not lead to the \(which) root")
    }
}
