import Merkle
import Seeds
import Testing

@Suite struct TreeEdgeTests {
    @Test("A tree that grows to 600 records has the oracle's root at each size")
    func everySizeHasTheOraclesRoot() throws {
        let records = numberedRecords(600)
        let oracle = Oracle(records)
        let tree = MemoryTree()
        #expect(tree.edge.root == oracle.root(at: 0))
        for size in 1...records.count {
            tree.append(records[size - 1])
            #expect(tree.edge.size == UInt64(size))
            #expect(tree.edge.root == oracle.root(at: size), "size \(size)")
        }
        for size in 0...records.count {
            #expect(try tree.root(at: UInt64(size)) == oracle.root(at: size), "size \(size)")
        }
    }

    /// The tree has more than 256² leaves, so that levels 1 and 2 have entries.
    @Test("A tree of more than 65,536 leaves has the expected hashes at levels 1 and 2")
    func levelsHoldWhatTheyShould() throws {
        let records = numberedRecords(65_536 + 300)
        let tree = MemoryTree(records)
        let oracle = Oracle(records)
        #expect(tree.levels.map(\.count) == [65_836, 257, 1])
        #expect(tree.levels[2][0] == hash(oracle.root(0..<65_536)))
        #expect(tree.levels[1][0] == hash(oracle.root(0..<256)))
        #expect(tree.levels[1][255] == hash(oracle.root(65_280..<65_536)))
        #expect(tree.levels[1][256] == hash(oracle.root(65_536..<65_792)))
        #expect(tree.edge.root == oracle.root(at: records.count))
        #expect(try tree.root(at: 65_536) == oracle.root(at: 65_536))
        #expect(try tree.root(at: 65_537) == oracle.root(at: 65_537))
    }

    @Test("An edge that is read from the stored hashes continues like the original")
    func anEdgeContinuesAfterARestart() throws {
        var seed = SeededRandom.announced("TreeEdge restart")
        let records = numberedRecords(1_500)
        let tree = MemoryTree(records)
        let stops = [0, 1, 2, 255, 256, 257, 511, 512, 1_500] + (0..<20).map { _ in Int.random(in: 0...1_500, using: &seed) }
        for stop in stops {
            var edge = try TreeEdge(at: UInt64(stop), of: tree)
            #expect(try edge.root == tree.root(at: UInt64(stop)))
            var entries: [TreeEntry] = []
            for record in records[stop...] { edge.append(record, completing: &entries) }
            #expect(edge.size == 1_500 && edge.root == tree.edge.root, "from \(stop)")
            for entry in entries { #expect(tree.levels[entry.level][Int(entry.index)] == entry.hash) }
        }
    }

    @Test("A copy of an edge does not change when the original grows")
    func anEdgeIsAValue() {
        var edge = MemoryTree(numberedRecords(7)).edge
        let before = edge
        var entries: [TreeEntry] = []
        edge.append([1], completing: &entries)
        edge.append(leaf: TreeHasher.emptyRoot, completing: &entries)
        #expect(before.size == 7 && edge.size == 9)
        #expect(before.root == MemoryTree(numberedRecords(7)).edge.root)
        #expect(edge.root != before.root)
    }

    @Test("An edge or a proof reads a bounded number of hashes")
    func whatIsReadIsBounded() throws {
        let tree = MemoryTree(numberedRecords(65_535))
        for size in [65_535, 65_280, 65_281, 4_095] as [UInt64] {
            tree.entriesRead = 0
            _ = try TreeEdge(at: size, of: tree)
            #expect(tree.entriesRead <= 2 * 255)
            tree.entriesRead = 0
            _ = try tree.inclusionProof(of: size / 3, at: size)
            #expect(tree.entriesRead <= 2 * 2 * 255)
            tree.entriesRead = 0
            _ = try tree.consistencyProof(from: size / 3, to: size)
            #expect(tree.entriesRead <= 2 * 2 * 256)
        }
    }

    @Test("A missing hash and a size out of range are different errors")
    func whatIsNotThereIsNamed() throws {
        let tree = MemoryTree(numberedRecords(10))
        #expect(refusal { _ = try tree.root(at: 11) } == .missingHash)
        #expect(refusal { _ = try TreeEdge(at: 11, of: tree) } == .missingHash)
        #expect(refusal { _ = try tree.root(at: UInt64.max) } == .outOfRange)
        #expect(refusal { _ = try TreeEdge(at: UInt64.max, of: tree) } == .outOfRange)
        #expect(refusal { _ = try tree.inclusionProof(of: 10, at: 10) } == .outOfRange)
        #expect(refusal { _ = try tree.inclusionProof(of: 0, at: 0) } == .outOfRange)
        #expect(refusal { _ = try tree.inclusionProof(of: 0, at: 11) } == .missingHash)
        #expect(refusal { _ = try tree.consistencyProof(from: 4, to: 3) } == .outOfRange)
        #expect(refusal { _ = try tree.consistencyProof(from: 4, to: 11) } == .missingHash)
        #expect(refusal { _ = try tree.hash(level: 1, index: 0) } == .missingHash)
        #expect(try tree.hash(level: 0, index: 3) == tree.levels[0][3])
    }

    /// A source that returns too few hashes must not crash the reader.
    @Test("A source that returns too few hashes is refused")
    func aSourceThatReturnsTooFewIsRefused() {
        struct Short: HashSource {
            func hashes(level: Int, in range: Range<UInt64>) throws -> [NodeHash] { [] }
        }
        #expect(refusal { _ = try Short().root(at: 5) } == .missingHash)
        #expect(refusal { _ = try Short().hash(level: 0, index: 0) } == .missingHash)
    }
}
