import Merkle
import Seeds
import Testing

@Suite struct ConsistencyProofTests {
    private static let records = numberedRecords(131)
    private let tree = MemoryTree(records)

    @Test("Consistency of each pair of small trees is proved with the oracle's hashes")
    func everyPairOfSmallTreesIsProved() throws {
        let oracle = Oracle(Self.records)
        for new in 0...Self.records.count {
            for old in 0...new {
                let proof = try tree.consistencyProof(from: UInt64(old), to: UInt64(new))
                let expected = old == 0 ? [] : oracle.subproof(old, 0..<new, true)
                #expect(proof.hashes == expected.map(hash), "\(old) to \(new)")
                let roots = (oracle.root(at: old), oracle.root(at: new))
                #expect(refusal { try proof.verify(oldRoot: roots.0, newRoot: roots.1) } == nil, "\(old) to \(new)")
            }
        }
    }

    @Test("Consistency of trees of several tiles is proved with the oracle's hashes")
    func largerTreesAreProvedAcrossTiles() throws {
        var seed = SeededRandom.announced("ConsistencyProof")
        let records = numberedRecords(66_100)
        let (tree, oracle) = (MemoryTree(records), Oracle(records))
        for _ in 0..<100 {
            let new = Int.random(in: 1...66_100, using: &seed)
            for old in [1, new / 2 + 1, new, min(new, 256), min(new, 65_536), Int.random(in: 1...new, using: &seed)] {
                let proof = try tree.consistencyProof(from: UInt64(old), to: UInt64(new))
                #expect(proof.hashes == oracle.subproof(old, 0..<new, true).map(hash), "\(old) to \(new)")
                #expect(refusal { try proof.verify(oldRoot: oracle.root(at: old), newRoot: oracle.root(at: new)) } == nil)
            }
        }
    }

    @Test("A consistency proof with a changed, missing or surplus hash is refused")
    func alteredHashesAreRefused() throws {
        for new in Array(1...33) + [64, 100, 131] as [UInt64] {
            for old in 1...new {
                let proof = try tree.consistencyProof(from: old, to: new)
                let roots = (try tree.root(at: old), try tree.root(at: new))
                for hashes in proof.hashes.altered {
                    let altered = ConsistencyProof(oldSize: old, newSize: new, hashes: hashes)
                    let code = refusal { try altered.verify(oldRoot: roots.0, newRoot: roots.1) }
                    #expect(code == (hashes.count == proof.hashes.count ? .rootMismatch : .proofLength), "\(old) to \(new)")
                }
            }
        }
    }

    @Test("A consistency proof is refused for another root")
    func otherRootsAreRefused() throws {
        for new in 1...40 as ClosedRange<UInt64> {
            for old in 0...new {
                let proof = try tree.consistencyProof(from: old, to: new)
                let (first, second) = (try tree.root(at: old), try tree.root(at: new))
                #expect(refusal { try proof.verify(oldRoot: first.flipping(Int(old)), newRoot: second) } == .rootMismatch)
                // Every tree continues the empty one, so a proof from the empty tree verifies with any new root.
                let code = refusal { try proof.verify(oldRoot: first, newRoot: second.flipping(Int(new))) }
                #expect(code == (old == 0 ? nil : .rootMismatch))
                if old > 0, old < new { #expect(refusal { try proof.verify(oldRoot: second, newRoot: first) } == .rootMismatch) }
            }
        }
    }

    @Test("A consistency proof is refused for another size")
    func otherSizesAreRefused() throws {
        let roots = try (0...32).map { try tree.root(at: $0) }
        for new in 2...24 as ClosedRange<UInt64> {
            for old in 1..<new {
                let hashes = try tree.consistencyProof(from: old, to: new).hashes
                for other in 1...new where other != old {
                    let proof = ConsistencyProof(oldSize: other, newSize: new, hashes: hashes)
                    let code = refusal { try proof.verify(oldRoot: roots[Int(other)], newRoot: roots[Int(new)]) }
                    #expect(code != nil, "\(old) as \(other), to \(new)")
                }
                for other in old + 1...32 where other != new {
                    let proof = ConsistencyProof(oldSize: old, newSize: other, hashes: hashes)
                    let code = refusal { try proof.verify(oldRoot: roots[Int(old)], newRoot: roots[Int(other)]) }
                    #expect(code != nil, "\(old) to \(new) as \(other)")
                }
            }
        }
    }

    /// The purpose of the proof: a log that rewrote one record cannot prove that it only grew.
    @Test("A log that rewrote one record cannot prove that it only grew")
    func aRewrittenLogIsCaught() throws {
        for place in [0, 1, 17, 49] {
            var records = Self.records
            records[place] = Array("another".utf8)
            let forged = MemoryTree(records)
            let proof = try forged.consistencyProof(from: 50, to: 131)
            let (seen, shown) = (try tree.root(at: 50), forged.edge.root)
            #expect(refusal { try proof.verify(oldRoot: seen, newRoot: shown) } == .rootMismatch)
        }
    }

    @Test(
        "A consistency proof from a larger tree, or from a tree that is too large, is refused",
        arguments: [(2, 1), (UInt64.max, 1), (1, UInt64.max)] as [(UInt64, UInt64)])
    func sizesThatDoNotGoTogetherAreRefused(_ old: UInt64, _ new: UInt64) {
        let proof = ConsistencyProof(oldSize: old, newSize: new, hashes: [])
        #expect(refusal { try proof.verify(oldRoot: TreeHasher.emptyRoot, newRoot: TreeHasher.emptyRoot) } == .outOfRange)
    }
}
