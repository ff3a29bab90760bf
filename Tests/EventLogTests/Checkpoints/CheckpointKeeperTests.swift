import EventLog
import Foundation
import Merkle
import Synchronization
import Testing

/// Tests the content of checkpoints, and the order in which a checkpoint is signed, stored and published.
@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct CheckpointKeeperTests {
    /// Calls a closure twice in each commit: before the local commit and after it. Records the closure's results.
    private final class Peeking: BatchDurability {
        let peek = Shared<(@Sendable () -> UInt64)?>(nil)
        let seen = Shared<[UInt64]>([])

        func makeDurable(
            _ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void
        ) throws(EventLogError) {
            look()
            try commitLocally(batch)
            look()
        }

        private func look() {
            if let size = peek.value?() { seen.update { $0.append(size) } }
        }
    }

    @Test("An empty log has a signed checkpoint of the empty tree")
    func anEmptyLogSignsTheEmptyTree() throws {
        let signed = try Signed(try Sandbox())
        guard case .first = signed.keeper.opening else { return #expect(Bool(false), "\(signed.keeper.opening)") }
        let checkpoint = signed.keeper.latest.checkpoint
        #expect(checkpoint.size == 0 && checkpoint.root == TreeHasher.emptyRoot && checkpoint.origin.string == signed.log.origin)
        #expect(signed.sandbox.keptNote == signed.keeper.latest.note.bytes)
        let key = FileManager.default.contents(atPath: signed.sandbox.checkpoint + ".vkey")
        #expect(key == Data((signed.keeper.verifierKey.text + "\n").utf8))
    }

    @Test("A checkpoint is made only if the last one does not cover the position")
    func aCheckpointIsMadeWhereTheLastDoesNotCover() throws {
        let signed = try Signed(try Sandbox())
        try signed.append(3)
        #expect(signed.size == 0, "no checkpoint was requested yet")
        let checkpoint = try signed.keeper.checkpoint(covering: Position(2))
        #expect(checkpoint.checkpoint.size == 3)
        #expect(try checkpoint.checkpoint.root == signed.log.root())
        #expect(signed.sandbox.keptNote == checkpoint.note.bytes)
        #expect(try TrustPolicy(signed.keeper.verifierKey).open(checkpoint.note) == checkpoint)
        try signed.append(2)
        #expect(try signed.keeper.checkpoint(covering: Position(3)) == checkpoint, "the last checkpoint covers the event")
    }

    @Test("A receipt verifies without the log, and only for its own record") func receipt() throws {
        let signed = try Signed(try Sandbox())
        try signed.append(5)
        let policy = TrustPolicy(signed.keeper.verifierKey)
        for number in UInt64(1)...5 {
            let receipt = try Receipt(try signed.keeper.receipt(of: Position(number)).bytes)
            let record = try #require(receipt.extra)
            #expect(try receipt.index == number - 1 && record == signed.log.recordBytes(at: Position(number)))
            #expect(try receipt.verify(record, by: policy) == signed.keeper.latest)
            #expect(throws: MerkleError.self) { try receipt.verify(record.map { $0 ^ 1 }, by: policy) }
            let bare = try signed.keeper.receipt(of: Position(number), includesRecord: false)
            #expect(bare.extra == nil && bare.hashes == receipt.hashes)
        }
        for missing in [Position.start, Position(6), .max] {
            let error = #expect(throws: EventLogError.self) { try signed.keeper.receipt(of: missing) }
            #expect(error?.code == .afterBeyondHead)
        }
        #expect(try signed.log.recordBytes(at: Position(6)) == nil)
    }

    @Test("A keeper can be closed from a task") func asynchronousClose() async throws {
        let signed = try Signed(try Sandbox())
        signed.keeper.start()
        try signed.append(2)
        try await signed.keeper.shutDown()
        #expect(signed.size == 2)
        #expect(throws: EventLogError.self) { try signed.keeper.checkpoint(covering: Position(3)) }
    }

    @Test("A checkpoint that would cover a staged event is refused")
    func whatIsNotStoredIsNotCovered() throws {
        let signed = try Signed(try Sandbox())
        try signed.append(1)
        try signed.appender.stage(event(.stamped, card(1)))
        let error = #expect(throws: EventLogError.self) { try signed.keeper.checkpoint(covering: Position(2)) }
        #expect(error?.code == .afterBeyondHead && signed.size == 1)
    }

    /// The size of the checkpoint is read twice in each commit: before the local commit, and after it but before `makeDurable` has
    /// returned.
    @Test("A checkpoint covers no event before it is durable")
    func nothingIsSignedBeforeItIsDurable() throws {
        let durability = Peeking()
        var options = EventLog.Options()
        options.durability = durability
        let signed = try Signed(try Sandbox(), options: options)
        let keeper = signed.keeper
        durability.peek.value = { (try? keeper.checkpoint(covering: Position(1)))?.checkpoint.size ?? keeper.latest.checkpoint.size }
        try signed.append(2)
        try signed.append(2)
        durability.peek.value = nil
        #expect(durability.seen.value == [0, 0, 2, 2])
    }

    @Test("A checkpoint covers no event of a commit with an unknown outcome", arguments: FaultyDurability.Fault.allCases)
    func aCommitOfUnknownOutcomeIsNotSigned(_ fault: FaultyDurability.Fault) throws {
        let durability = FaultyDurability()
        var options = EventLog.Options()
        options.durability = durability
        let sandbox = try Sandbox()
        let signed = try Signed(sandbox, options: options)
        try signed.append(2)
        durability.failNext(fault)
        #expect(throws: EventLogError.self) { try signed.append(2) }
        try signed.close()
        #expect(signed.size == 2)
    }

    @Test("Closing signs the last events, and none that follow")
    func closingSignsTheLastAndNothingAfterIt() throws {
        let signed = try Signed(try Sandbox())
        try signed.append(5)
        try signed.keeper.close()
        #expect(signed.size == 5 && signed.sandbox.keptNote == signed.keeper.latest.note.bytes)
        try signed.append(1)
        try signed.keeper.close()
        let error = #expect(throws: EventLogError.self) { try signed.keeper.checkpoint(covering: Position(6)) }
        #expect(error?.code == .closed && signed.size == 5)
        #expect(try signed.keeper.checkpoint(covering: Position(5)).checkpoint.size == 5)
    }

    @Test("A checkpoint that cannot be stored is not returned")
    func whatCannotBeStoredIsNotShown() throws {
        let signed = try Signed(try Sandbox())
        try signed.append(1)
        try signed.sandbox.blockCheckpoint()
        #expect(throws: EventLogError.self) { try signed.keeper.checkpoint(covering: Position(1)) }
        #expect(signed.size == 0 && signed.keeper.failure?.code == .storage)
        #expect(throws: EventLogError.self) { try signed.keeper.close() }
        #expect(signed.sandbox.keptNote == signed.keeper.latest.note.bytes)
    }

    /// If a bit flips in the stored hash of an older event, the proof that the log continues the last checkpoint fails. So no second
    /// history is signed.
    @Test("A tree that does not continue the last checkpoint is not signed")
    func aTreeThatNoLongerContinuesTheLastIsNotSigned() throws {
        let signed = try Signed(try Sandbox())
        try signed.append(4)
        let last = try signed.keeper.checkpoint(covering: Position(4))
        try Self.flip(try signed.log.tree.hashes(level: 0, in: 1..<2)[0].bytes, in: signed.sandbox.log + "/data.mdb")
        try signed.append(1)
        let error = #expect(throws: EventLogError.self) { try signed.keeper.checkpoint(covering: Position(5)) }
        #expect(error?.code == .damaged && signed.keeper.latest == last && signed.sandbox.keptNote == last.note.bytes)
    }

    /// Flips one bit in each occurrence of `bytes` in a file. The file may be mapped into memory at that time.
    private static func flip(_ bytes: [UInt8], in path: String) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        let content = try #require(try file.readToEnd())
        var (start, found) = (content.startIndex, 0)
        while let place = content.range(of: Data(bytes), in: start..<content.endIndex) {
            try file.seek(toOffset: UInt64(place.lowerBound))
            try file.write(contentsOf: Data([bytes[0] ^ 1]))
            (start, found) = (place.upperBound, found + 1)
        }
        try file.close()
        try #require(found > 0, "the file contains the hash")
    }
}
