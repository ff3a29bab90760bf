import Foundation
import Merkle
import Testing

/// Checkpoints and receipts are given to people, so each one that was ever valid must stay valid forever.
@Suite struct GoldenTests {
    private let tree = MemoryTree(numberedRecords(300))

    private func checkpoint() throws -> Checkpoint {
        try Checkpoint(origin: TestKeys.origin, size: 300, root: tree.edge.root)
    }

    private func note() throws -> SignedNote {
        let checkpoint = try checkpoint()
        let lines = try [1, 2].map { try TestKeys.witness($0).cosign(checkpoint, time: 1_700_000_000 + UInt64($0)) }
        return try checkpoint.signed(by: TestKeys.log()).adding(lines)
    }

    @Test("The stored verifier keys are those that the seeds give")
    func theKeysStayAsTheyAre() throws {
        let keys = try [TestKeys.log(), TestKeys.witness(1), TestKeys.witness(2)].map(\.verifierKey)
        let golden = try Fixture.golden("keys.txt", made: Array(keys.map { $0.text + "\n" }.joined().utf8))
        let lines = String(decoding: golden, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(try lines.map { try VerifierKey($0) } == keys)
    }

    /// On Apple systems signatures differ from run to run. There the stored signature is verified, and not compared with a new one.
    @Test("The stored checkpoint is the one that is made today")
    func theCheckpointStaysAsItIs() throws {
        let golden = try Fixture.golden("checkpoint", made: try note().bytes)
        #if os(Linux)
            #expect(golden == (try note().bytes))
        #endif
        let keys = try [TestKeys.witness(1), TestKeys.witness(2)].map(\.verifierKey)
        let policy = TrustPolicy(
            origin: TestKeys.origin, logKeys: [try TestKeys.log().verifierKey], witnesses: keys, witnessesMin: 2)
        let trusted = try policy.open(try SignedNote(golden))
        #expect(try trusted.checkpoint == checkpoint())
        #expect(trusted.cosignatures.map(\.time) == [1_700_000_001, 1_700_000_002])
    }

    @Test("The stored receipt is the one that is made today")
    func theReceiptStaysAsItIs() throws {
        let made = try Receipt(try tree.inclusionProof(of: 271, at: 300), checkpoint: try note(), extra: Array("奶茶".utf8))
        let golden = try Fixture.golden("record271.tlog-proof", made: made.bytes)
        #if os(Linux)
            #expect(golden == made.bytes)
        #endif
        let receipt = try Receipt(golden)
        #expect(receipt.index == 271 && receipt.hashes == made.hashes && receipt.extra == made.extra)
        let record = tree.records[271]
        let trusted = try receipt.verify(record, by: TrustPolicy(try TestKeys.log().verifierKey))
        #expect(trusted.checkpoint.size == 300)
    }

    @Test("The stored consistency proof is the one that is made today")
    func theConsistencyProofStaysAsItIs() throws {
        let proof = try tree.consistencyProof(from: 131, to: 300)
        let golden = try Fixture.golden("131to300.consistency", made: Array(proof.hashes.map { $0.base64 + "\n" }.joined().utf8))
        let hashes = String(decoding: golden, as: UTF8.self).split(separator: "\n").compactMap { NodeHash(base64: String($0)) }
        #expect(hashes == proof.hashes && !hashes.isEmpty)
        let read = ConsistencyProof(oldSize: 131, newSize: 300, hashes: hashes)
        #expect(refusal { try read.verify(oldRoot: try tree.root(at: 131), newRoot: tree.edge.root) } == nil)
    }
}
