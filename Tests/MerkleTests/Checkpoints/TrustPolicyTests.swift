import Merkle
import Testing

@Suite struct TrustPolicyTests {
    private let log: NoteSigner
    private let checkpoint: Checkpoint
    private let note: SignedNote

    init() throws {
        log = try TestKeys.log()
        checkpoint = try Checkpoint(origin: TestKeys.origin, size: 3, root: TreeHasher.emptyRoot)
        note = try checkpoint.signed(by: log)
    }

    private func cosigned(by witnesses: ClosedRange<UInt8>) throws -> SignedNote {
        try note.adding(witnesses.map { try TestKeys.witness($0).cosign(checkpoint, time: UInt64($0)) })
    }

    @Test("A checkpoint that only the log's own key has signed is trusted")
    func theLogsOwnKeyIsEnough() throws {
        let trusted = try TrustPolicy(log.verifierKey).open(note)
        #expect(trusted.checkpoint == checkpoint && trusted.note == note && trusted.cosignatures.isEmpty)
    }

    @Test("A checkpoint of another log is refused")
    func aCheckpointOfAnotherLogIsRefused() throws {
        let other = try Checkpoint(origin: "other.example/log", size: 3, root: TreeHasher.emptyRoot).signed(by: log)
        #expect(refusal { _ = try TrustPolicy(log.verifierKey).open(other) } == .wrongOrigin)
        let policy = TrustPolicy(origin: "other.example/log", logKeys: [log.verifierKey])
        #expect(refusal { _ = try policy.open(other) } == nil)
        #expect(refusal { _ = try policy.open(note) } == .wrongOrigin)
    }

    @Test("A signed note that is no checkpoint is refused")
    func aNoteThatIsNoCheckpointIsRefused() throws {
        #expect(refusal { _ = try TrustPolicy(log.verifierKey).open(try log.sign("hello\n")) } == .malformedCheckpoint)
    }

    @Test("A witness's signature does not replace the log's")
    func aWitnessDoesNotStandInForTheLog() throws {
        let witness = try TestKeys.witness()
        let policy = TrustPolicy(origin: TestKeys.origin, logKeys: [log.verifierKey], witnesses: [witness.verifierKey])
        let alone = try SignedNote(text: checkpoint.text, signatures: [try witness.cosign(checkpoint, time: 1)])
        #expect(refusal { _ = try policy.open(alone) } == .unsigned)
    }

    @Test(
        "A checkpoint is trusted from the required number of known witnesses on",
        arguments: [(0, true), (2, true), (3, true), (4, false)])
    func witnessesAreCounted(_ least: Int, _ enough: Bool) throws {
        let known = try (1...5).map { try TestKeys.witness($0).verifierKey }
        let policy = TrustPolicy(origin: TestKeys.origin, logKeys: [log.verifierKey], witnesses: known, witnessesMin: least)
        let note = try cosigned(by: 3...5)
        #expect(refusal { _ = try policy.open(note) } == (enough ? nil : .tooFewWitnesses))
        if enough { #expect(try policy.open(note).cosignatures.map(\.time) == [3, 4, 5]) }
    }

    @Test("A witness that signs twice counts once")
    func aWitnessThatSignsTwiceCountsOnce() throws {
        let witness = try TestKeys.witness()
        let policy = TrustPolicy(
            origin: TestKeys.origin, logKeys: [log.verifierKey], witnesses: [witness.verifierKey, witness.verifierKey],
            witnessesMin: 2)
        let note = try note.adding([try witness.cosign(checkpoint, time: 1), try witness.cosign(checkpoint, time: 2)])
        #expect(refusal { _ = try policy.open(note) } == .tooFewWitnesses)
    }

    @Test("Either of two log keys is enough")
    func theNewKeyOrTheOldOneWillDo() throws {
        let next = try TestKeys.log(seed: 2)
        let policy = TrustPolicy(origin: TestKeys.origin, logKeys: [log.verifierKey, next.verifierKey])
        #expect(try policy.open(note).checkpoint == checkpoint)
        #expect(try policy.open(try checkpoint.signed(by: next)).checkpoint == checkpoint)
    }
}
