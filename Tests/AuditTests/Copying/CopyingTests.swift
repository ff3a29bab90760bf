import Archive
import Audit
import EventLog
import Foundation
import Histories
import LMDB
import Loyalty
import LoyaltyCodec
import Merkle
import Testing

/// Backups, and the conditions under which they may be restored.
@Suite struct CopyingTests {
    private let options = Verification.Options(now: VerifiedLog.now)

    private func sample(_ name: String, _ count: Int = 600) throws -> (log: VerifiedLog, facts: [Fact]) {
        let facts = VerifiedLog.history(name, count).facts
        return (try VerifiedLog(facts), facts)
    }

    private func free(_ name: String = "copy") -> String { TestData().path + "/" + name }

    /// A data folder with another history of this many events.
    private func other(_ count: Int) throws -> TestData { try TestData.with(VerifiedLog.history("other", count).facts.prefix(count)) }

    private func root(of data: String) throws -> NodeHash { try AuditedFolder(data).log(.readOnly).root() }

    @Test("A backup has the root of its log, is restored to the same root, and leaves the original unchanged")
    func sameRoot() throws {
        let (log, facts) = try sample("backup")
        let (copy, target) = (free(), free("data"))
        let summary = try Backup(of: AuditedFolder(log.data.path), to: copy).run()
        #expect(summary.events == UInt64(facts.count) && !summary.hasKeys)
        #expect(summary.root == (try root(of: log.data.path)))
        #expect(try Restore(from: AuditedFolder(copy), to: target, options: options).run().isClean)
        #expect(try root(of: target) == summary.root)
        #expect(!FileManager.default.fileExists(atPath: copy + ".partial"))
        #expect(try VerifiedLog(data: log.data).report().isClean, "the original is unchanged")
    }

    @Test("A backup to a folder that is not empty is refused and changes nothing")
    func occupiedFolder() throws {
        let (log, _) = try sample("over", 60)
        let copy = TestData().path
        try Data("mine".utf8).write(to: URL(fileURLWithPath: copy + "/thesis.txt"))
        let error = #expect(throws: AuditError.self) { try Backup(of: AuditedFolder(log.data.path), to: copy).run() }
        #expect(error?.code == .occupied)
        #expect(try FileManager.default.contentsOfDirectory(atPath: copy) == ["thesis.txt"])
    }

    @Test("A backup copies keys only to the folder given for them, and a restore puts them back")
    func keysFolder() throws {
        let (log, _) = try sample("keys", 60)
        do {
            let keys = try Environment(directory: log.data.path + "/keys", access: .readWrite)
            _ = try keys.table("keys", .bytes)
        }
        let (copy, keys) = (free(), free("keys"))
        #expect(try !Backup(of: AuditedFolder(log.data.path), to: copy).run().hasKeys)
        #expect(FileManager.default.subpaths(atPath: copy)?.contains { $0.contains("keys") } == false)
        #expect(try Backup(of: AuditedFolder(log.data.path), to: free(), keys: keys).run().hasKeys)
        let target = free("data")
        _ = try Restore(from: AuditedFolder(copy), to: target, keys: keys, options: options).run()
        #expect(FileManager.default.fileExists(atPath: target + "/keys/data.mdb"))
    }

    @Test("Another history is not replaced, whether it has as many events, fewer or more", arguments: [0, -100, 100])
    func aRestoreNeverGoesBack(longerBy: Int) throws {
        let (log, facts) = try sample("back")
        let copy = free()
        _ = try Backup(of: AuditedFolder(log.data.path), to: copy).run()
        let other = try other(facts.count + longerBy)
        let error = #expect(throws: AuditError.self) { try Restore(from: AuditedFolder(copy), to: other.path, options: options).run() }
        #expect(error?.code == .backwards)
        #expect(try root(of: other.path) != root(of: copy))
    }

    @Test("A restore over an earlier state of the log succeeds and leaves nothing set aside")
    func earlierState() throws {
        let (log, facts) = try sample("forward")
        let copy = free()
        _ = try Backup(of: AuditedFolder(log.data.path), to: copy).run()
        let shorter = try TestData.with(facts.prefix(200))
        #expect(try Restore(from: AuditedFolder(copy), to: shorter.path, options: options).run().isClean)
        #expect(try root(of: shorter.path) == root(of: copy))
        #expect(!FileManager.default.fileExists(atPath: shorter.path + "/log.before"))
    }

    /// The first was interrupted between its two renames, or (`isInPlace`) before it removed the old log that it had set aside.
    @Test("A second restore completes an interrupted one", arguments: [false, true])
    func interruptedRestore(isInPlace: Bool) throws {
        let (log, facts) = try sample("halfway")
        let (copy, target) = (free(), free("data"))
        _ = try Backup(of: AuditedFolder(log.data.path), to: copy).run()
        let older = try TestData.with(facts.prefix(200))
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: older.path + "/log", toPath: target + "/log.before")
        if isInPlace { try FileManager.default.copyItem(atPath: copy + "/log", toPath: target + "/log") }
        #expect(try Restore(from: AuditedFolder(copy), to: target, options: options).run().isClean)
        #expect(try root(of: target) == root(of: copy))
        #expect(!FileManager.default.fileExists(atPath: target + "/log.before"))
    }

    @Test("A restore is refused if an interrupted one had set aside another history, and keeps that history", arguments: [0, 100])
    func setAside(longerBy: Int) throws {
        let (log, facts) = try sample("aside")
        let (copy, target) = (free(), free("data"))
        _ = try Backup(of: AuditedFolder(log.data.path), to: copy).run()
        let other = try other(facts.count + longerBy)
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: other.path + "/log", toPath: target + "/log.before")
        let error = #expect(throws: AuditError.self) { try Restore(from: AuditedFolder(copy), to: target, options: options).run() }
        #expect(error?.code == .backwards)
        #expect(FileManager.default.fileExists(atPath: target + "/log.before/data.mdb"))
    }

    @Test("A kept checkpoint of more events, or of as many other ones, forbids it", arguments: [nil, 5_000])
    func aKeptCheckpoint(ofEvents size: UInt64?) throws {
        let (log, facts) = try sample("kept")
        let (copy, target) = (free(), TestData())
        _ = try Backup(of: AuditedFolder(log.data.path), to: copy).run()
        let signer = try NoteSigner(name: "example.com/log", seed: [UInt8](repeating: 7, count: 32))
        let kept = try Checkpoint(origin: "example.com/log", size: size ?? UInt64(facts.count), root: TreeHasher.emptyRoot)
        let note = try kept.signed(by: signer)
        try Data(note.bytes).write(to: URL(fileURLWithPath: target.path + "/checkpoint"))
        let error = #expect(throws: AuditError.self) { try Restore(from: AuditedFolder(copy), to: target.path, options: options).run() }
        #expect(error?.code == .backwards)
        #expect(!FileManager.default.fileExists(atPath: target.path + "/log"))
    }

    @Test("A restore is refused if the folder's checkpoint cannot be read")
    func unreadCheckpoint() throws {
        let (log, _) = try sample("unread", 100)
        let (copy, target) = (free(), TestData())
        _ = try Backup(of: AuditedFolder(log.data.path), to: copy).run()
        // A folder in the place of the checkpoint cannot be read as a file, not even by root.
        try FileManager.default.createDirectory(atPath: target.path + "/checkpoint", withIntermediateDirectories: true)
        let error = #expect(throws: AuditError.self) { try Restore(from: AuditedFolder(copy), to: target.path, options: options).run() }
        #expect(error?.code == .backwards && error?.detail.contains("cannot be read") == true, "\(String(describing: error))")
        #expect(!FileManager.default.fileExists(atPath: target.path + "/log"))
    }

    @Test("A backup or increment fails and leaves nothing if the folder's checkpoint cannot be read")
    func lackingCheckpoint() throws {
        let (log, _) = try sample("lacks", 100)
        let (full, next) = (free(), TestData().path)
        _ = try Backup(of: AuditedFolder(log.data.path), to: next + "/full").run()
        try FileManager.default.createDirectory(atPath: log.data.path + "/checkpoint", withIntermediateDirectories: false)
        #expect(auditCode { _ = try Backup(of: AuditedFolder(log.data.path), to: full).run() } == .input)
        let increment = try Increment(of: AuditedFolder(log.data.path), onto: next + "/full", to: next + "/increment")
        #expect(auditCode { _ = try increment.run() } == .input)
        for path in [full, full + ".partial", next + "/increment"] { #expect(!FileManager.default.fileExists(atPath: path), "\(path)") }
    }

    @Test("A restore over an open log is refused")
    func openLog() throws {
        let (log, _) = try sample("open", 100)
        let copy = free()
        _ = try Backup(of: AuditedFolder(log.data.path), to: copy).run()
        let open = try log.data.log()
        let error = #expect(throws: AuditError.self) { try Restore(from: AuditedFolder(copy), to: log.data.path, options: options).run() }
        #expect(error?.code == .occupied)
        try open.close()
    }

    @Test("A damaged backup is reported and not put in place")
    func damagedBackup() throws {
        let (log, _) = try sample("damaged")
        let (copy, target) = (free(), free("data"))
        _ = try Backup(of: AuditedFolder(log.data.path), to: copy).run()
        let file = URL(fileURLWithPath: copy + "/log/data.mdb")
        var bytes = try Data(contentsOf: file)
        // Changes one byte near the end of each page. Entries are packed from the end of a page, so this byte belongs to an entry on every
        // used page.
        for page in 2..<bytes.count / 4_096 { bytes[(page + 1) * 4_096 - 9] ^= 1 }
        try bytes.write(to: file)
        #expect(try !Restore(from: AuditedFolder(copy), to: target, options: options).run().isClean)
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    @Test("A drill of an intact log succeeds and leaves no file")
    func goodDrill() throws {
        let (log, facts) = try sample("drill")
        try log.data.putShownPictures()
        let place = TestData().path
        let outcome = try Drill(AuditedFolder(log.data.path), in: place, options: options).run()
        #expect(outcome.isGood)
        #expect(outcome.report.head == Position(UInt64(facts.count)))
        #expect(try FileManager.default.contentsOfDirectory(atPath: place).isEmpty)
    }

    @Test("A log with an event of a clock that was a month ahead is restored from its backup, and its drill is good")
    func clockThatWasAhead() throws {
        var facts = VerifiedLog.history("clock ahead", 100).facts
        let ahead = Instant(microseconds: VerifiedLog.now.microseconds).advanced(bySeconds: 30 * 86_400)
        for (account, time) in [(AccountID(77), ahead), (AccountID(78), facts[facts.count - 1].time)] {
            let event = AccountRegistered(account: account, phone: Secret(account.value), sealedPhone: Sealed([1]))
            facts.append(Fact(position: UInt64(facts.count) + 1, time: time, actor: account, event: .accountRegistered(event)))
        }
        let (log, copy) = (try VerifiedLog(facts), free())
        _ = try Backup(of: AuditedFolder(log.data.path), to: copy).run()
        let restored = try Restore(from: AuditedFolder(copy), to: free("data"), options: options).run()
        #expect(restored.isClean, "\(restored.report.findings)")
        #expect(restored.report.notes.contains { $0.contains("1, the first at \(facts.count - 1) with the time \(ahead.rfc3339)") })
        #expect(try Drill(AuditedFolder(log.data.path), in: TestData().path, options: options).run().isGood)
    }

    @Test("The leftovers of a killed drill are named and removed by the next drill, but not the copies of a running drill")
    func killedDrill() throws {
        let (log, _) = try sample("killed drill", 60)
        let (place, files) = (TestData().path, FileManager.default)
        let left = Drill.scratch(in: place)
        try files.createDirectory(atPath: left + "/backup.partial/log", withIntermediateDirectories: true)
        #expect(Drill.leftover(in: place) == left)
        let drill = Drill(try AuditedFolder(log.data.path), in: place, options: options)
        #expect(try drill.run().isGood && files.contentsOfDirectory(atPath: place).isEmpty)
        let underWay = try ClaimedFolder(left, mode: nil)
        #expect(Drill.leftover(in: place) == nil)
        var begun: [String] = []
        let refusal = auditCode { _ = try drill.run(begun: { begun.append($0) }) }
        #expect(refusal == .occupied && begun.isEmpty && files.fileExists(atPath: left))
        underWay.remove()
        let outcome = try drill.run(begun: { begun.append($0) })
        #expect(outcome.isGood && begun == [left])
    }
}
