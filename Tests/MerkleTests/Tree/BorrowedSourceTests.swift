import Merkle
import Testing

/// A ``HashSource`` may be a type that cannot be copied or kept, such as a database snapshot.
@Suite struct BorrowedSourceTests {
    private struct Snapshot: HashSource, ~Copyable, ~Escapable {
        let tree: MemoryTree

        @_lifetime(borrow tree)
        init(_ tree: borrowing MemoryTree) { self.tree = copy tree }

        func hashes(level: Int, in range: Range<UInt64>) throws -> [NodeHash] { try tree.hashes(level: level, in: range) }
    }

    @Test("A noncopyable source gives the same roots and proofs")
    func aBorrowedSourceGivesTheSame() throws {
        let tree = MemoryTree(numberedRecords(300))
        let snapshot = Snapshot(tree)
        let root = try snapshot.root(at: 300)
        #expect(root == tree.edge.root)
        let edge = try TreeEdge(at: 300, of: snapshot)
        #expect(edge.root == root)
        let proof = try snapshot.inclusionProof(of: 7, at: 300)
        try proof.verify(Array("record 7".utf8), root: root)
        let consistency = try snapshot.consistencyProof(from: 100, to: 300)
        try consistency.verify(oldRoot: try tree.root(at: 100), newRoot: root)
        let bytes = try snapshot.bytes(of: Tile(.hashes(level: 1), index: 0, width: 1))
        #expect(bytes == tree.levels[1][0].bytes)
    }
}
