import EventLog
import Foundation
import Merkle
import Testing

/// Tests the opening of logs that continue the history of their stored checkpoint, and of logs that do not.
@Suite(.temporaryFolder) struct CheckpointOpeningTests {
    /// Creates a sandbox with a log of 5 events and a checkpoint of size 5. Also returns the path of a copy that was made when the log had
    /// 3 events.
    private func aged() throws -> (Sandbox, older: String) {
        let sandbox = try Sandbox()
        let older = sandbox.path + "/older"
        try grow(sandbox, by: 3)
        try sandbox.copy(sandbox.log, over: older)
        try grow(sandbox, by: 2)
        return (sandbox, older)
    }

    private func grow(_ sandbox: Sandbox, by count: Int, salt: UInt128 = 0) throws {
        let signed = try Signed(sandbox)
        try signed.append(count, salt: salt)
        try signed.close()
    }

    private func refusal(of sandbox: Sandbox, seed: [UInt8] = Signed.seed) -> EventLogError? {
        #expect(throws: EventLogError.self) { _ = try Signed(sandbox, seed: seed) } as EventLogError?
    }

    @Test("An unchanged log keeps its checkpoint")
    func anUnchangedLogKeepsItsCheckpoint() throws {
        let (sandbox, _) = try aged()
        let note = sandbox.keptNote
        let signed = try Signed(sandbox)
        guard case .continued = signed.keeper.opening else { return #expect(Bool(false), "\(signed.keeper.opening)") }
        #expect(signed.size == 5 && sandbox.keptNote == note)
    }

    /// The log has one event more than its checkpoint covers, as after a crash between a commit and the next checkpoint. The next opening
    /// signs a checkpoint that covers all 6 events.
    @Test("A log with more events than its checkpoint is signed at the opening")
    func aLogThatWentOnIsSignedAtOpening() throws {
        let (sandbox, _) = try aged()
        try sandbox.append([event(.stamped, card(1))])
        let signed = try Signed(sandbox)
        guard case .continued = signed.keeper.opening else { return #expect(Bool(false), "\(signed.keeper.opening)") }
        #expect(signed.size == 6 && sandbox.keptNote == signed.keeper.latest.note.bytes)
    }

    @Test("A log without a checkpoint gets one and reports that it was missing")
    func aLogWithoutACheckpointGetsOneAndSaysSo() throws {
        let (sandbox, _) = try aged()
        try FileManager.default.removeItem(atPath: sandbox.checkpoint)
        try FileManager.default.removeItem(atPath: sandbox.checkpoint + ".vkey")
        let signed = try Signed(sandbox)
        guard case .missing = signed.keeper.opening else { return #expect(Bool(false), "\(signed.keeper.opening)") }
        #expect(signed.size == 5 && FileManager.default.fileExists(atPath: sandbox.checkpoint + ".vkey"))
    }

    @Test("The stored log of the first version gets a checkpoint")
    func theGoldenOldLogGetsOneToo() throws {
        let signed = try Signed(try OldLogTests.restored())
        guard case .missing = signed.keeper.opening else { return #expect(Bool(false), "\(signed.keeper.opening)") }
        #expect(signed.size == 40)
    }

    @Test("An older copy of the log is refused and stays unchanged")
    func anOlderCopyIsRefusedAndLeftAsItWas() throws {
        let (sandbox, older) = try aged()
        let note = sandbox.keptNote
        try sandbox.copy(older, over: sandbox.log)
        let error = refusal(of: sandbox)
        #expect(error?.code == .rolledBack)
        #expect(error?.detail.contains("5 events") == true && error?.detail.contains("has 3") == true, "\(String(describing: error))")
        #expect(error?.remedy.contains("newest copy") == true && error?.description.contains("greentea") == false)
        #expect(sandbox.keptNote == note)
        #expect(try sandbox.open(.readOnly).head == Position(3))
    }

    /// `count` other events are appended to the older log of 3 events. The log then has 5 events, as many as the checkpoint covers, or 12.
    @Test("A log with another history is refused, whatever its length", arguments: [2, 9])
    func anotherHistoryIsRefused(_ count: Int) throws {
        let (sandbox, older) = try aged()
        let checkpoint = try Data(contentsOf: URL(filePath: sandbox.checkpoint))
        try sandbox.copy(older, over: sandbox.log)
        try FileManager.default.removeItem(atPath: sandbox.checkpoint)
        try grow(sandbox, by: count, salt: 9)
        try checkpoint.write(to: URL(filePath: sandbox.checkpoint))
        #expect(refusal(of: sandbox)?.code == .checkpointMismatch)
    }

    @Test("A checkpoint of another key or log is refused")
    func aCheckpointOfAnotherKeyOrAnotherLogIsRefused() throws {
        let (sandbox, _) = try aged()
        #expect(refusal(of: sandbox, seed: [UInt8](repeating: 4, count: 32))?.code == .checkpointMismatch)
        let other = try Sandbox()
        var options = EventLog.Options()
        options.origin = "other.example"
        try Signed(other, options: options).close()
        try FileManager.default.removeItem(atPath: sandbox.checkpoint)
        try FileManager.default.copyItem(atPath: other.checkpoint, toPath: sandbox.checkpoint)
        #expect(refusal(of: sandbox)?.code == .checkpointMismatch)
    }

    @Test("A checkpoint with any changed byte does not verify")
    func everyAlteredByteIsNoticed() throws {
        let (sandbox, _) = try aged()
        let note = try #require(sandbox.keptNote)
        let signed = try Signed(sandbox)
        let (log, key) = (signed.log, signed.keeper.verifierKey)
        #expect(try log.verify(checkpoint: note, by: key).checkpoint.size == 5)
        let cut = [[], Array(note.dropLast()), Array(note.dropFirst()), note + [10], note + note]
        let flipped = note.indices.flatMap { index in [1, 32, 128].map { note.replacing(index, with: note[index] ^ $0) } }
        for altered in cut + flipped {
            let error = #expect(throws: EventLogError.self, "\(altered)") { try log.verify(checkpoint: altered, by: key) }
            #expect([.checkpointDamaged, .checkpointMismatch, .rolledBack].contains(error?.code), "\(String(describing: error))")
        }
    }

    @Test("A checkpoint that was overwritten, emptied or changed is damaged, and accepting another log is not offered")
    func damagedCheckpoint() throws {
        let (sandbox, _) = try aged()
        let note = try #require(sandbox.keptNote)
        for bytes in [[], [UInt8](repeating: 0, count: note.count), note.replacing(note.count / 2, with: 7), Array(note.dropLast(9))] {
            try Data(bytes).write(to: URL(filePath: sandbox.checkpoint))
            let error = refusal(of: sandbox)
            #expect(error?.code == .checkpointDamaged && error?.description.contains("accept") == false, "\(bytes): \(error as Any)")
        }
    }

    /// An older log is accepted twice, both times at 2023-11-14T22:13:20Z. Each time the checkpoint is kept under a name with this date, so
    /// the second name must differ from the first.
    @Test("An accepted older log keeps the former checkpoint under another name each time")
    func anAcceptedOlderLogSetsTheCheckpointAside() throws {
        let (sandbox, older) = try aged()
        var names: [String] = []
        for _ in 0..<2 {
            let note = sandbox.keptNote
            try sandbox.copy(older, over: sandbox.log)
            let signed = try Signed(sandbox, accepting: 1_700_000_000_000_000)
            guard case .replaced(let path, let reason) = signed.keeper.opening else {
                return #expect(Bool(false), "\(signed.keeper.opening)")
            }
            #expect(reason.code == .rolledBack && path.contains("2023-11-14"))
            #expect(FileManager.default.contents(atPath: path).map { [UInt8]($0) } == note)
            #expect(signed.size == 3 && sandbox.keptNote == signed.keeper.latest.note.bytes)
            try signed.append(2, salt: 5)
            try signed.close()
            names.append(path)
        }
        #expect(Set(names).count == 2, "no signed checkpoint is overwritten")
    }

    @Test("Permission for an older log changes nothing for a log that fits")
    func acceptingAnOlderLogChangesNothingOfOneThatFits() throws {
        let (sandbox, _) = try aged()
        let signed = try Signed(sandbox, accepting: 0)
        guard case .continued = signed.keeper.opening else { return #expect(Bool(false), "\(signed.keeper.opening)") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.path).allSatisfy { !$0.contains("replaced") })
    }
}

extension Array {
    fileprivate func replacing(_ index: Int, with element: Element) -> Array {
        var copy = self
        copy[index] = element
        return copy
    }
}
