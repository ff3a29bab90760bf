import EventLog
import Faults
import Foundation
import Testing

/// Tests of ``LogCheck`` itself: it must reject a folder that violates one of its conditions, and accept an intact one.
@Suite struct LogCheckTests {
    private static let seed: UInt64 = 11, commits = 12

    private let folder: TemporaryFolder
    private let folders: LogFolders
    private let expected: ExpectedLog

    init() throws {
        folder = try TemporaryFolder()
        folders = LogFolders(in: try folder.newFolder("child"))
        expected = try ExpectedLog(seed: Self.seed, commits: Self.commits)
    }

    /// Appends the history of the seed to a log, batch by batch. `change` may modify each batch before it is appended.
    private func write(commits: Int = LogCheckTests.commits, _ change: (inout [NewEvent], Int) -> Void = { _, _ in }) throws {
        var history = FaultHistory(seed: Self.seed)
        let log = try folders.open(), appender = try log.appender()
        for number in 0..<commits {
            var batch = history.nextBatch()
            change(&batch, number)
            try appender.stage(batch)
            try appender.commit()
        }
        try log.close()
    }

    private func said(after commits: Int = LogCheckTests.commits) throws -> Acknowledgement {
        let ends = expected.digests.keys.sorted()
        return Acknowledgement(head: ends[commits], digest: try #require(expected.digests[ends[commits]]))
    }

    private func outcome(_ said: Acknowledgement?) -> LogCheck.Outcome {
        LogCheck(expected, acknowledged: said).outcome(of: folders)
    }

    private func complaint(_ said: Acknowledgement?) -> String? {
        if case .broken(let text) = outcome(said) { text } else { nil }
    }

    @Test("A log of the seed is whole if fewer commits were acknowledged than it has")
    func aLogOfTheSeedIsWholeWhateverWasAcknowledgedOfIt() throws {
        try write()
        #expect(outcome(try said(after: 3)) == .whole(expected.head))
    }

    @Test("A missing acknowledged batch is reported")
    func aMissingBatchIsSeen() throws {
        try write(commits: Self.commits - 1)
        #expect(complaint(try said())?.contains("was acknowledged, but the head is") == true)
    }

    @Test("A changed record is reported, with the same length or another", arguments: [0, 1])
    func aChangedRecordIsSeenWhateverItsLength(_ more: Int) throws {
        try write { batch, number in
            if number != 4 { return }
            batch[0].actor ^= 1
            batch[0].payload += Array(repeating: 0, count: more)
        }
        #expect(complaint(try said())?.contains("is another one") == true)
    }

    @Test("A batch without its last event is reported")
    func aHalvedBatchIsSeen() throws {
        let ends = expected.digests.keys.sorted()
        let large = try #require(ends.firstIndex { !expected.isBatchEnd($0.next) && $0 < expected.head })
        try write(commits: large + 1) { batch, number in if number == large { batch.removeLast() } }
        #expect(complaint(nil)?.contains("no end of a batch") == true)
    }

    @Test("An acknowledgement with another digest is reported")
    func aChildThatSaidSomethingElseIsSeen() throws {
        try write()
        let lie = Acknowledgement(head: expected.head, digest: 1)
        #expect(complaint(lie)?.contains("another history") == true)
    }

    /// The index was made for another history, in which one event has no card. Opening the log detects this, because the manifest of that
    /// index names another root of the log's tree.
    @Test("An index of another history is rebuilt") func anIndexOfAnotherHistoryIsMadeAnew() throws {
        try write { batch, number in if number == 2 { batch[0].tags.removeAll { $0.kind == TagKind(1) } } }
        try? FileManager.default.moveItem(atPath: folders.index, toPath: folder.file("index"))
        try FileManager.default.removeItem(atPath: folders.log)
        try write()
        try FileManager.default.removeItem(atPath: folders.index)
        try FileManager.default.moveItem(atPath: folder.file("index"), toPath: folders.index)
        #expect(complaint(try said()) == nil)
    }

    @Test("A folder whose log file is all zeros is broken")
    func aFolderThatIsNoLogIsBroken() throws {
        try FileManager.default.createDirectory(atPath: folders.log, withIntermediateDirectories: true)
        try Data(repeating: 0, count: 8_192).write(to: URL(filePath: folders.log + "/data.mdb"))
        #expect(complaint(nil)?.contains("notALog") == true)
        #expect(complaint(try said(after: 1))?.contains("notALog") == true)
    }
}
