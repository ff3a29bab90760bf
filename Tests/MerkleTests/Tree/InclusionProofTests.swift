import Merkle
import Seeds
import Testing

@Suite struct InclusionProofTests {
    private static let records = numberedRecords(131)
    private let tree = MemoryTree(records)

    @Test("Each leaf of each small tree is proved with the oracle's hashes")
    func everyLeafOfEverySmallTreeIsProved() throws {
        let oracle = Oracle(Self.records)
        for size in 1...Self.records.count {
            let root = oracle.root(at: size)
            for index in 0..<size {
                let proof = try tree.inclusionProof(of: UInt64(index), at: UInt64(size))
                #expect(proof.hashes == oracle.path(index, 0..<size).map(hash), "leaf \(index) of \(size)")
                #expect(refusal { try proof.verify(Self.records[index], root: root) } == nil, "leaf \(index) of \(size)")
            }
        }
    }

    @Test("Leaves of trees of several tiles are proved with the oracle's hashes")
    func largerTreesAreProvedAcrossTiles() throws {
        var seed = SeededRandom.announced("InclusionProof")
        let records = numberedRecords(66_100)
        let (tree, oracle) = (MemoryTree(records), Oracle(records))
        let sizes =
            [256, 257, 512, 65_536, 65_537, 65_792, 66_100] + (0..<30).map { _ in Int.random(in: 1...66_100, using: &seed) }
        for size in sizes {
            for index in [0, size / 2, size - 1, Int.random(in: 0..<size, using: &seed)] {
                let proof = try tree.inclusionProof(of: UInt64(index), at: UInt64(size))
                #expect(proof.hashes == oracle.path(index, 0..<size).map(hash), "leaf \(index) of \(size)")
                #expect(refusal { try proof.verify(records[index], root: oracle.root(at: size)) } == nil)
            }
        }
    }

    @Test("An inclusion proof with a changed, missing or surplus hash is refused")
    func alteredHashesAreRefused() throws {
        for size in Array(1...33) + [64, 100, 131] {
            let root = try tree.root(at: UInt64(size))
            for index in 0..<size {
                let proof = try tree.inclusionProof(of: UInt64(index), at: UInt64(size))
                for hashes in proof.hashes.altered {
                    let altered = InclusionProof(index: proof.index, size: proof.size, hashes: hashes)
                    let code = refusal { try altered.verify(leaf: tree.levels[0][index], root: root) }
                    #expect(code == (hashes.count == proof.hashes.count ? .rootMismatch : .proofLength), "leaf \(index) of \(size)")
                }
            }
        }
    }

    @Test("An inclusion proof is refused for another record or root")
    func anotherRecordOrRootIsRefused() throws {
        for size in 1...40 {
            let root = try tree.root(at: UInt64(size))
            for index in 0..<size {
                let proof = try tree.inclusionProof(of: UInt64(index), at: UInt64(size))
                let leaf = tree.levels[0][index]
                #expect(refusal { try proof.verify(leaf: leaf.flipping(index), root: root) } == .rootMismatch)
                #expect(refusal { try proof.verify(leaf: leaf, root: root.flipping(size)) } == .rootMismatch)
                #expect(refusal { try proof.verify([UInt8](), root: root) } == .rootMismatch)
                if size > 1 { #expect(refusal { try proof.verify(leaf: root, root: root) } == .rootMismatch) }
            }
        }
    }

    /// A proof is for one index and one size. It must not verify for another index, nor for another size, even with the true root of that
    /// size.
    @Test("An inclusion proof is refused for another index or size")
    func anotherIndexOrSizeIsRefused() throws {
        let roots = try (0...40).map { try tree.root(at: $0) }
        for size in 1...33 as ClosedRange<UInt64> {
            for index in 0..<size {
                let proof = try tree.inclusionProof(of: index, at: size)
                let leaf = tree.levels[0][Int(index)]
                for other in 0..<size where other != index {
                    let moved = InclusionProof(index: other, size: size, hashes: proof.hashes)
                    #expect(
                        refusal { try moved.verify(leaf: leaf, root: roots[Int(size)]) } != nil, "\(index) as \(other) of \(size)")
                }
                for other in index + 1...40 where other != size {
                    let resized = InclusionProof(index: index, size: other, hashes: proof.hashes)
                    #expect(
                        refusal { try resized.verify(leaf: leaf, root: roots[Int(other)]) } != nil,
                        "\(index) of \(size) as \(other)")
                }
            }
        }
    }

    @Test(
        "An inclusion proof for an index beyond the tree is refused",
        arguments: [(0, 0), (1, 1), (5, 5), (6, 5), (UInt64.max, 5), (0, UInt64.max), (1 << 63, UInt64.max)] as [(UInt64, UInt64)])
    func placesThatNoTreeHasAreRefused(_ index: UInt64, _ size: UInt64) {
        let proof = InclusionProof(index: index, size: size, hashes: [])
        #expect(refusal { _ = try proof.root(of: TreeHasher.emptyRoot) } == .outOfRange)
    }

    @Test("An inclusion proof in the largest tree has 63 hashes")
    func theLargestTreeNeedsSixtyThreeHashes() {
        let leaf = TreeHasher.emptyRoot
        for count in [62, 63, 64] {
            let proof = InclusionProof(index: 0, size: MerkleLimits.sizeMax, hashes: [NodeHash](repeating: leaf, count: count))
            #expect((refusal { _ = try proof.root(of: leaf) } == nil) == (count == MerkleLimits.proofHashesMax))
        }
    }
}
