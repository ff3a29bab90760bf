import Archive
import Audit
import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Merkle
import Testing

/// Verification of a whole log.
@Suite struct VerificationTests {
    @Test("A log that the service wrote has no findings up to its end", arguments: [0, 1, 255, 256, 257, 3_000])
    func cleanLog(count: Int) throws {
        let log = try VerifiedLog(try VerifiedLog.whole("clean", count))
        let report = try log.report()
        #expect(report.findings == [])
        #expect(report.isClean && report.notes == [])
        #expect(report.head == Position(UInt64(count)))
        #expect(report.root == (try log.data.log(.readOnly).root()))
    }

    @Test("A verification finds the same with any number of threads", arguments: [1, 2, 5])
    func anyThreads(jobs: Int) throws {
        var facts = VerifiedLog.history("jobs", 20_000).facts
        facts.swapAt(9_000, 9_001)
        let log = try VerifiedLog(facts.enumerated().map { $0.element.at(UInt64($0.offset) + 1) })
        let report = try log.report { $0.jobs = jobs }
        #expect(report == (try log.report()))
        #expect(report.head == Position(UInt64(facts.count)))
    }

    @Test("A verification beside a writer has no findings and notes that the log is open")
    func itRunsBesideAWriter() throws {
        let history = VerifiedLog.history("beside", 2_000)
        let data = TestData()
        let log = try data.log()
        let appender = try log.appender()
        try log.append(history.facts, with: appender)
        let report = try VerifiedLog(data: data).report()
        #expect(report.isClean)
        #expect(report.notes.count == 1, "the report notes that this process has the log open")
        try log.close()
    }

    @Test("A checkpoint that is signed during the verification is no finding")
    func signedMeanwhile() throws {
        let log = try VerifiedLog(VerifiedLog.history("meanwhile", 300).facts)
        let signer = try NoteSigner(name: "example.com/log", seed: [UInt8](repeating: 7, count: 32))
        let root = try AuditedFolder(log.data.path).log(.readOnly).root(through: Position(200))
        let file = URL(fileURLWithPath: log.data.path + "/checkpoint")
        let kept = try Checkpoint(origin: "example.com/log", size: 200, root: root).signed(by: signer)
        let later = try Checkpoint(origin: "example.com/log", size: 5_000, root: root).signed(by: signer)
        try Data(kept.bytes).write(to: file)
        let options = Verification.Options(now: VerifiedLog.now)
        let report = try Verification(AuditedFolder(log.data.path), options: options).run { _ in try? Data(later.bytes).write(to: file) }
        #expect(report.isClean && report.checkpoint == 200)
        #expect(try !log.report().isClean, "a checkpoint of more events than the log has")
    }

    @Test("An event more than a day in the future is noted")
    func farFuture() throws {
        let facts = VerifiedLog.history("future", 50).facts
        let log = try VerifiedLog(facts)
        let report = try log.report { $0.now = Timestamp(microseconds: 1_600_000_000_000_000) }
        #expect(report.isClean, "\(report.findings)")
        let first = "\(facts.count), the first at 1 with the time \(facts[0].time.rfc3339)"
        #expect(report.notes.count == 1 && report.notes[0].contains(first), "\(report.notes)")
        let latest = try #require(facts.map(\.time.microseconds).max())
        #expect(try log.report { $0.now = Timestamp(microseconds: latest - 86_400_000_000) }.notes == [], "a day is not noted")
    }

    @Test("An event from before 1970 is found")
    func before1970() throws {
        var facts = VerifiedLog.history("before 1970", 50).facts
        facts.append(registration(UInt64(facts.count) + 1, at: Instant(microseconds: -1)))
        let report = try VerifiedLog(facts).report()
        #expect(report.findings.map(\.kind) == [.time] && report.findings[0].position == Position(UInt64(facts.count)))
    }

    @Test("An event with a time before that of an earlier event is noted")
    func timesGoBack() throws {
        var facts = VerifiedLog.history("back", 60).facts
        facts.append(registration(UInt64(facts.count) + 1, at: Instant(microseconds: 1)))
        let report = try VerifiedLog(facts).report()
        #expect(report.isClean)
        #expect(report.notes.contains { $0.contains("first at \(facts.count)") })
    }

    private func registration(_ position: UInt64, at time: Instant) -> Fact {
        let event = AccountRegistered(account: AccountID(77), phone: Secret(78), sealedPhone: Sealed([1]))
        return Fact(position: position, time: time, actor: AccountID(77), event: .accountRegistered(event))
    }

    @Test("A folder without a log cannot be verified")
    func noLog() throws {
        #expect(throws: AuditError.self) { try Verification(AuditedFolder(TestData().path), options: .init(now: VerifiedLog.now)).run() }
    }

    @Test("After a page that cannot be read, no rule is judged and no index compared, because events are missing there")
    func pageWithinTheLog() throws {
        let log = try VerifiedLog(VerifiedLog.history("within", 20_000).facts)
        let record = Data(try #require(try log.data.log(.readOnly).recordBytes(at: Position(10_000))))
        while let place = try Data(contentsOf: log.file).range(of: record) {
            try log.overwrite(page: place.lowerBound / VerifiedLog.pageBytes, with: Data(count: VerifiedLog.pageBytes))
        }
        let report = try log.report()
        #expect(report.notes.contains { $0.hasPrefix("The rules were judged only up to the first event") }, "\(report.notes)")
        let kinds = Set(report.findings.map(\.kind))
        #expect(kinds.contains(.page) && kinds.isDisjoint(with: [.rule, .request, .index]), "\(kinds)")
    }

    @Test("A stored number of events for which the file has no room is found, and every event that is there is still checked")
    func impossibleNumberOfEvents() throws {
        let log = try VerifiedLog(try VerifiedLog.whole("number", 300))
        var file = try Data(contentsOf: log.file)
        // The table's name, followed by the first fields of its root: no pad, and the flag of a table of integers.
        let root = Data(Array("events".utf8) + [0, 0, 0, 0, 8, 0])
        var start = 0
        while let place = file.range(of: root, in: start..<file.count) {
            // The number lies 32 bytes after the name. This adds 2^24 to it.
            file[place.lowerBound + 6 + 32 + 3] ^= 1
            start = place.upperBound
        }
        #expect(start > 0)
        try file.write(to: log.file)
        let report = try log.report()
        #expect(report.head == Position(300))
        #expect(report.findings.map(\.kind) == [.page], "\(report.findings)")
    }

    @Test("The list of findings is bounded, and all findings are counted")
    func boundedFindings() throws {
        let facts = VerifiedLog.history("many", 500).facts.map {
            Fact(position: $0.position, time: Instant(microseconds: -1), actor: $0.actor, event: $0.event)
        }
        let report = try VerifiedLog(facts).report()
        #expect(report.findings.count == FindingList.keptMax)
        #expect(report.findingCount >= 500)
    }
}

/// Verification of checkpoints.
@Suite struct VerifiedCheckpointTests {
    private func signer() throws -> NoteSigner { try NoteSigner(name: "example.com/log", seed: [UInt8](repeating: 7, count: 32)) }

    private func write(_ checkpoint: Checkpoint, to log: VerifiedLog) throws {
        try Data(try checkpoint.signed(by: signer()).bytes).write(to: URL(fileURLWithPath: log.data.path + "/checkpoint"))
    }

    @Test("A checkpoint with the root and the key of the log has no findings")
    func ownCheckpoint() throws {
        let log = try VerifiedLog(VerifiedLog.history("holds", 400).facts)
        let root = try log.data.log(.readOnly).root(through: Position(300))
        try write(Checkpoint(origin: "example.com/log", size: 300, root: root), to: log)
        let report = try log.report { $0.key = try? signer().verifierKey }
        #expect(report.isClean && report.checkpoint == 300)
    }

    @Test("A checkpoint that cannot be read is found")
    func unreadCheckpoint() throws {
        let log = try VerifiedLog(VerifiedLog.history("unread", 100).facts)
        #expect(try log.report().isClean, "a log without a checkpoint")
        // A folder in the place of the checkpoint cannot be read as a file, not even by root.
        try FileManager.default.createDirectory(atPath: log.data.path + "/checkpoint", withIntermediateDirectories: false)
        let report = try log.report()
        #expect(report.findings.map(\.kind) == [.checkpoint] && report.findings[0].what == "it cannot be read.", "\(report.findings)")
    }

    @Test("The finding about a damaged checkpoint has the command that puts a copy in its place, in `verify` and in `doctor`")
    func damagedCheckpoint() throws {
        let log = try VerifiedLog(VerifiedLog.history("damaged checkpoint", 300).facts)
        try PublishedSample(of: log.data).grow(by: 0)
        let file = URL(filePath: log.data.path + "/checkpoint")
        var lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
        // The second line is the number of events.
        lines[1] = "1"
        var signature = try Data(contentsOf: file)
        signature[signature.count - 10] ^= 1
        for bytes in [Data(count: 200), Data(), Data(lines.joined(separator: "\n").utf8), signature] {
            try bytes.write(to: file)
            let finding = try #require(try log.report().findings.first { $0.kind == .checkpoint })
            #expect(finding.remedy.contains(": cp -a BACKUPS/LAST/checkpoint* \(log.data.path)/ "), "\(finding)")
            let checkup = try Checkup(of: AuditedFolder(log.data.path), now: VerifiedLog.now).lines
            #expect(checkup.first { $0.subject == "checkpoint" }?.remedy == finding.remedy)
        }
    }

    @Test("A key of the checkpoint that is gone or overwritten is no matter of permissions, and the next start writes it")
    func damagedKey() throws {
        let log = try VerifiedLog(VerifiedLog.history("damaged key", 300).facts)
        try PublishedSample(of: log.data).grow(by: 0)
        let key = URL(filePath: log.data.path + "/checkpoint.vkey")
        for bytes in [Data(repeating: 0xA5, count: 100), nil] {
            if let bytes { try bytes.write(to: key) } else { try FileManager.default.removeItem(at: key) }
            let lines = try Checkup(of: AuditedFolder(log.data.path), now: VerifiedLog.now).lines
            let line = try #require(lines.first { $0.subject == "checkpoint" })
            #expect(line.finding.contains("is not there, or is no key") && line.remedy.contains("A start of the service"), "\(line)")
            #expect(try log.report().isClean)
        }
    }

    @Test("A checkpoint with another root, of a longer log or by another key is found")
    func foreignCheckpoint() throws {
        let log = try VerifiedLog(VerifiedLog.history("differs", 400).facts)
        let root = try log.data.log(.readOnly).root(through: Position(300))
        try write(Checkpoint(origin: "example.com/log", size: 299, root: root), to: log)
        #expect(try log.report().findings.map(\.kind) == [.checkpoint])
        try write(Checkpoint(origin: "example.com/log", size: 3_000, root: root), to: log)
        #expect(try log.report().findings.first?.what.contains("3000") == true)
        try write(Checkpoint(origin: "example.com/log", size: 300, root: root), to: log)
        let other = try NoteSigner(name: "example.com/log", seed: [UInt8](repeating: 8, count: 32)).verifierKey
        #expect(try log.report { $0.key = other }.findings.map(\.kind) == [.checkpoint])
    }
}
