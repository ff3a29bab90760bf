import Audit
import CommandService
import Composition
import EventLog
import Foundation
import Histories
import LMDB
import Loyalty
import LoyaltyCodec
import Merkle
import Testing

@testable import Archive

/// A restore does not combine a backup with the keys of another log. Before a restore of an older backup, the operator is warned that
/// changes made after that backup are undone.
///
/// All folders of these tests have the same master key and the same origin. Only the root secrets in their keys differ.
@Suite(.timeLimit(.minutes(15))) struct ForeignKeysTests {
    private let data = TestFolder()
    private let place = TestFolder().path
    private let files = FileManager.default
    private var copy: String { place + "/copies/one" }
    private var keys: String { place + "/keys/one" }

    /// A data folder with a service that runs only while a test acts on it, because a backup opens the key store too.
    private struct TestFolder {
        let path = TestDataPath.make()

        func serve<Value: Sendable>(_ act: (GreenTea) async throws -> Value) async throws -> Value {
            let service = try open()
            let value = try await act(service)
            try close(service)
            return value
        }

        func begin() throws { try close(open()) }

        private func open() throws -> GreenTea {
            var proving = ProvingOptions()
            proving.origin = "tea.example/log"
            return try GreenTea(
                data: DataFolder(path), master: MasterSecret(bytes: Array(repeating: 7, count: 32)), passwords: .init(log2N: 4),
                makesRootSecret: true, proving: proving)
        }

        private func close(_ service: GreenTea) throws { try service.close() }
    }

    private func number(_ last: Int) throws -> E164Number { try #require(E164Number("+861380013\(1000 + last)")) }

    /// Registers somebody, and backs up the folder and its keys.
    private func backedUp() async throws -> AccountID {
        let account = try await data.serve { try await $0.register(number(1)).id }
        _ = try Backup(of: AuditedFolder(data.path), to: copy, keys: keys).run()
        return account
    }

    private func restore(_ target: String, keys: String? = nil) throws -> Restore.Outcome {
        try ChainRestore(from: copy, to: target, keys: keys, options: .init(now: VerifiedLog.now)).run()
    }

    private func refusal(_ target: String, keys: String? = nil) -> AuditError? {
        do { _ = try restore(target, keys: keys) } catch { return error as? AuditError }
        return nil
    }

    /// Removes the note in a folder of keys that names the log of the keys. Keys that an older version made have no such note.
    private func forgetOwner(in keys: String) throws {
        let store = try Environment(directory: keys, access: .readWrite)
        let meta = try store.table("meta")
        var change = try store.write()
        let name = Array(KeyOwner.logEntry.utf8)
        let hadNote = try change.delete(meta, name.span)
        #expect(hadNote)
        try change.commit()
    }

    @Test("A folder that was started once is not restored over, with or without a note in its keys; the printed steps lead to the account")
    func startedOnce() async throws {
        let account = try await backedUp()
        for hasNote in [true, false] {
            let other = TestFolder()
            try other.begin()
            if !hasNote { try forgetOwner(in: other.path + "/keys") }
            let error = try #require(refusal(other.path))
            #expect(error.code == .foreignKeys, "\(error)")
            #expect(try LogFile(directory: other.path + "/log").head == .start, "nothing was changed")
            let aside = "`mv \(other.path)/keys \(other.path)/keys.other`"
            #expect(error.remedy.contains(aside) && error.remedy.contains("--keys COPY"), "\(error.remedy)")
            let beside = try #require(refusal(other.path, keys: keys))
            #expect(beside.code == .occupied && beside.remedy.contains(aside) && !beside.remedy.contains("Leave"), "\(beside)")
            try files.moveItem(atPath: other.path + "/keys", toPath: other.path + "/keys.other")
            #expect(try restore(other.path, keys: keys).isClean)
            let found = try await other.serve { try await $0.register(number(1)).id }
            #expect(found == account, "the phone leads to the account of before")
        }
    }

    @Test("A damaged copy of the keys is refused before anything is copied, whichever page is overwritten or cut off")
    func damagedCopy() async throws {
        _ = try await backedUp()
        let file = URL(filePath: keys + "/data.mdb")
        let whole = try Data(contentsOf: file)
        var named = 0
        for page in 0..<whole.count / 4_096 {
            for isCut in [false, true] {
                var bytes = whole
                let range = page * 4_096..<(page + 1) * 4_096
                let noise = Data(repeating: 0xA5, count: 4_096)
                if isCut { bytes.removeSubrange(range.lowerBound...) } else { bytes.replaceSubrange(range, with: noise) }
                try bytes.write(to: file)
                let fresh = TestFolder()
                guard let error = refusal(fresh.path, keys: keys) else { continue }
                #expect([.damaged, .missing].contains(error.code) && error.detail.contains(keys), "\(error)")
                #expect(!error.remedy.contains("The log is damaged"), "\(error)")
                #expect(!files.fileExists(atPath: fresh.path), "nothing was made")
                named += 1
            }
        }
        #expect(named > 4, "\(named)")
    }

    @Test("The keys of the backup's own log are left alone, and the refusal to replace them says so; keys without a note are not refused")
    func ownKeys() async throws {
        let account = try await backedUp()
        let own = try #require(refusal(data.path, keys: keys))
        #expect(own.code == .occupied && own.remedy.hasPrefix("Leave --keys out"), "\(own)")
        #expect(try restore(data.path).isClean)
        for hasNote in [true, false] {
            if !hasNote { try forgetOwner(in: keys) }
            let fresh = TestFolder()
            #expect(try restore(fresh.path, keys: keys).isClean)
            #expect(try await fresh.serve { try await $0.register(number(1)).id } == account)
        }
    }

    @Test("A copy of another log's keys is not restored")
    func foreignCopy() async throws {
        _ = try await backedUp()
        let (other, fresh) = (TestFolder(), TestFolder())
        try other.begin()
        let error = try #require(refusal(fresh.path, keys: other.path + "/keys"))
        #expect(error.code == .foreignKeys, "\(error)")
        #expect(!files.fileExists(atPath: fresh.path + "/log") && !files.fileExists(atPath: fresh.path + "/keys"))
    }

    @Test("Keys without a note are matched to a log by the part of it that was searched for erasures")
    func searchedPart() throws {
        let (one, two) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        let note: [UInt8] = [5, 0, 0, 0, 0, 0, 0, 0] + one
        func relation(_ note: [UInt8]?, head: UInt64, _ root: [UInt8], holds: Bool? = nil) throws -> KeyOwner.Relation {
            let root = try #require(NodeHash(root))
            return KeyOwner(log: nil, searched: note).relation(to: nil, head: head) {
                $0 == 5 ? root : TreeHasher.emptyRoot
            } holdsKeys: {
                holds
            }
        }
        #expect(try relation(note, head: 5, one) == .own && relation(note, head: 5, one, holds: false) == .own)
        #expect(try relation(note, head: 9, two) == .unknown, "the keys may be from before a rollback that was accepted")
        #expect(try relation(note, head: 9, two, holds: false) == .foreign && relation(note, head: 9, two, holds: true) == .own)
        #expect(try relation(note, head: 4, two) == .unknown, "the keys may be newer than the backup")
        #expect(try relation(nil, head: 9, one) == .unknown && relation(Array(note.dropLast()), head: 9, two) == .unknown)
    }
}

extension ForeignKeysTests {
    @Test("A restore names the end of the log, a later backup, a later note, and missing keys")
    func advice() async throws {
        let account = try await backedUp()
        let later = place + "/copies/two"
        try await data.serve { _ = try await $0.eraseAccount(by: Caller(account: account)) }
        _ = try Backup(of: AuditedFolder(data.path), to: later).run()
        let head = try LogFile(directory: later + "/log").head.rawValue
        let fresh = TestFolder()
        try files.createDirectory(atPath: fresh.path, withIntermediateDirectories: true)
        try Data("events \(head)  root x  to y\n".utf8).write(to: URL(filePath: DataFolder(fresh.path).backupNote))
        let advice = try restore(fresh.path).advice
        let before = try LogFile(directory: copy + "/log").head.rawValue
        #expect(advice.map { String($0.prefix { $0 != " " }) } == ["keys", "erasures", "later", "noted"], "\(advice)")
        #expect(advice[1].contains("ends at \(before) of 20") && advice[2].contains("\(later) goes on to \(head)"), "\(advice)")
        // Makes three folders beside the backup that are no backups of this log: a data folder, a copy without a verifier key, and a copy
        // with another verifier key. They do not change the advice.
        try await data.serve { _ = try await $0.register(number(2)) }
        try files.copyItem(atPath: data.path, toPath: place + "/copies/z-data")
        for (name, part) in [("z-keyless", \DataFolder.verifierKey), ("z-foreign", \.checkpoint)] {
            _ = try Backup(of: AuditedFolder(data.path), to: place + "/copies/" + name).run()
            try files.removeItem(atPath: DataFolder(place + "/copies/" + name)[keyPath: part])
        }
        try (String(contentsOfFile: later + "/checkpoint.vkey", encoding: .utf8).dropLast(4) + "AAA\n")
            .write(toFile: place + "/copies/z-foreign/checkpoint.vkey", atomically: true, encoding: .utf8)
        #expect(try RestoreAdvice(after: copy, in: DataFolder(fresh.path)).lines == advice)
        let none = ChainRestore.advice(after: copy, in: DataFolder(place + "/none"))
        #expect(
            none.count == 1 && none[0].hasPrefix("advice  the backup is restored"), "a failing advice does not hide the restore: \(none)")
        let newest = TestFolder()
        let outcome = try ChainRestore(from: later, to: newest.path, keys: keys, options: .init(now: VerifiedLog.now)).run()
        #expect(outcome.advice.count == 1 && outcome.advice[0].hasPrefix("erasures  the log ends at \(head) of "), "\(outcome.advice)")
    }

    @Test("The checkup warns of a copy of the keys that is older than the newest erasure, and of a restore whose note remains")
    func checkup() async throws {
        let account = try await backedUp()
        let folder = DataFolder(data.path)
        let now = Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1e6))
        func line(_ subject: String) throws -> Checkup.Line? {
            try Checkup(of: AuditedFolder(data.path), now: now).lines.first { $0.subject == subject }
        }
        func note(_ text: String, _ path: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }
        try note("events \(LogFile(directory: copy + "/log").head)  to \(keys)\n", folder.keyBackupNote)
        #expect(try line("key copy")?.verdict == .ok)
        try await data.serve { _ = try await $0.eraseAccount(by: Caller(account: account)) }
        let old = try #require(try line("key copy"))
        #expect(old.verdict == .warning && old.finding.contains("from before the newest erasure"), "\(old)")
        #expect(old.finding.hasSuffix("may undo it"), "only a look into the copy tells whether it has the key: \(old)")
        #expect(old.remedy.contains("greentea-audit erasures --data \(data.path) --keys COPY"), "\(old)")
        try note("nothing new since x\n", folder.keyBackupNote)
        #expect(try line("key copy")?.verdict == .ok, "without a position, the time of the note decides")
        try files.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1_000)], ofItemAtPath: folder.keyBackupNote)
        #expect(try line("key copy")?.finding == old.finding)
        // After a rollback, other events have the positions up to that of the copy.
        let head = try LogFile(directory: folder.log).head.rawValue
        for text in ["events \(head + 7)", "events \(head)  root \(String(repeating: "0", count: 64))"] {
            try note(text + "  to \(keys)\n", folder.keyBackupNote)
            #expect(try line("key copy")?.finding == old.finding, "\(text)")
        }
        let root = try AuditedFolder(data.path).log(.readOnly).root().hex
        try note("events \(head)  root \(root)  to \(keys)\n", folder.keyBackupNote)
        #expect(try line("key copy")?.verdict == .ok)
        try note("events 1  from x\n", folder.restoreNote)
        #expect(try line("key copy")?.verdict == .ok, "a copy of this history, made before or after a restore")
        try note("events \(head)  to \(keys)\n", folder.keyBackupNote)
        try note("events 1  from x\n", folder.restoreNote)
        #expect(try line("key copy")?.finding == old.finding, "an older version's note from before a restore to an earlier position")
        try files.removeItem(atPath: folder.restoreNote)
        #expect(try line("restore") == nil)
        try note("events 7  from x\n", folder.restoreNote)
        let restored = try #require(try line("restore"))
        #expect(restored.verdict == .warning && restored.finding.contains("7 events"), "\(restored)")
        let report = try ErasureReport(of: AuditedFolder(data.path))
        #expect(report.restoredTo == 7 && report.isClear && !report.isDone, "\(report)")
    }
}

/// A restore that fails halfway, and restores over a folder in which a service was started once.
extension ForeignKeysTests {
    @Test("A restore that fails behind the log's move is noted, leaves no pair of two logs' files, and can be made again")
    func cutShort() async throws {
        let account = try await backedUp()
        let other = TestFolder()
        try other.begin()
        let folder = DataFolder(other.path)
        try files.removeItem(atPath: folder.keys)
        // This folder has the name of the file that the restore writes before it renames it to the checkpoint. So the restore fails there.
        try files.createDirectory(atPath: folder.checkpoint + ".new", withIntermediateDirectories: true)
        #expect(refusal(other.path, keys: keys) != nil)
        #expect(try LogFile(directory: folder.log).head == LogFile(directory: copy + "/log").head, "the log is there")
        #expect(UpkeepFile.events(folder.restoreNote) == (try LogFile(directory: copy + "/log").head.rawValue))
        #expect(!files.fileExists(atPath: folder.checkpoint))
        #expect(VerifierKey(inFile: folder.verifierKey) == VerifierKey(inFile: copy + "/checkpoint.vkey"))
        try files.removeItem(atPath: folder.checkpoint + ".new")
        #expect(try restore(other.path, keys: keys).isClean)
        #expect(try await other.serve { try await $0.register(number(1)).id } == account)
    }

    @Test("A copy of the keys that cannot be read changes nothing, and leaves no unfinished copy")
    func unreadableCopy() async throws {
        let account = try await backedUp()
        let (fresh, bad) = (TestFolder(), place + "/bad")
        try files.createDirectory(atPath: bad, withIntermediateDirectories: true)
        try Data("no keys".utf8).write(to: URL(filePath: bad + "/data.mdb"))
        #expect(refusal(fresh.path, keys: bad) != nil)
        #expect(!files.fileExists(atPath: fresh.path))
        #expect(try restore(fresh.path, keys: keys).isClean)
        #expect(try await fresh.serve { try await $0.register(number(1)).id } == account)
    }

    @Test("A backup without a checkpoint takes the empty log's pair away, and a verifier key that was left is replaced")
    func withoutCheckpoint() async throws {
        let account = try await backedUp()
        let left = TestFolder()
        try left.begin()
        for path in [DataFolder(left.path).checkpoint, DataFolder(left.path).keys] { try files.removeItem(atPath: path) }
        #expect(try restore(left.path, keys: keys).isClean)
        #expect(VerifierKey(inFile: left.path + "/checkpoint.vkey") == VerifierKey(inFile: copy + "/checkpoint.vkey"))
        for name in ["checkpoint", "checkpoint.vkey"] { try files.removeItem(atPath: copy + "/" + name) }
        let other = TestFolder()
        try other.begin()
        try files.removeItem(atPath: other.path + "/keys")
        #expect(try restore(other.path, keys: keys).isClean)
        #expect(!files.fileExists(atPath: other.path + "/checkpoint") && !files.fileExists(atPath: other.path + "/checkpoint.vkey"))
        #expect(try await other.serve { try await $0.register(number(1)).id } == account)
    }

    @Test("The checkup reads no event before the copy of the keys, and says so where it cannot read the later ones")
    func laterEventsOnly() async throws {
        _ = try await backedUp()
        let folder = DataFolder(data.path)
        func note(_ events: UInt64) throws {
            try Data("events \(events)  to \(keys)\n".utf8).write(to: URL(filePath: folder.keyBackupNote))
        }
        func withLog<Value>(_ look: (EventLog) throws -> Value) throws -> Value {
            try look(AuditedFolder(data.path).log(.readOnly, inspecting: .nothing))
        }
        let record = try #require(try withLog { try $0.recordBytes(at: Position(1)) })
        try note(LogFile(directory: folder.log).head.rawValue)
        let file = URL(filePath: folder.log + "/data.mdb")
        var bytes = try Data(contentsOf: file)
        let place = try #require(bytes.range(of: Data(record)))
        bytes[place.upperBound - 1] ^= 1
        try bytes.write(to: file)
        let checkup = try Checkup(of: AuditedFolder(data.path), now: VerifiedLog.now)
        #expect(checkup.lines.contains { $0.subject == "key copy" && $0.verdict != .bad }, "\(checkup.lines)")
        try note(0)
        for index in place { bytes[index] = 0xFF }
        try bytes.write(to: file)
        #expect(try withLog { ErasureLook.keyCopy(folder, $0, "backup")?.verdict } == .bad)
    }
}

/// The path of a data folder that does not exist yet.
private enum TestDataPath {
    static func make() -> String { TestData().path + "/data" }
}
