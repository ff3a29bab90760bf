import Archive
import Audit
import Foundation
import Histories
import LMDB
import Testing

/// The copies of keys that backups make, and the unfinished copies that killed backups leave behind.
@Suite struct KeyCopyTests {
    private let place = TestData().path
    private let files = FileManager.default
    private var keys: String { place + "/keys" }

    private func folder(_ name: String) throws -> AuditedFolder {
        let data = try VerifiedLog(VerifiedLog.history(name, 60).facts).data
        let store = try Environment(directory: data.path + "/keys", access: .readWrite)
        for name in ["dataKeys", "meta"] { _ = try store.table(name, .bytes) }
        return try AuditedFolder(data.path)
    }

    private func hasKeys(_ path: String) -> Bool { files.fileExists(atPath: path + "/data.mdb") }

    @Test("The keys are copied after the delivery, so that a backup killed during the delivery leaves no keys")
    func afterTheDelivery() throws {
        let folder = try folder("after the delivery")
        var wasThere: [Bool] = []
        let backup = Backup(of: folder, to: place + "/copy", keys: keys) { _, _ in
            wasThere = [hasKeys(keys), hasKeys(keys + ".partial")]
        }
        _ = try backup.run()
        #expect(wasThere == [false, false] && hasKeys(keys) && !files.fileExists(atPath: keys + ".partial"))
    }

    /// Stores a row in an environment.
    private func store(_ text: String, in path: String) throws {
        let store = try Environment(directory: path, access: .readWrite)
        let table = try store.table("dataKeys")
        var change = try store.write()
        let (name, value) = (Array("account".utf8), Array(text.utf8))
        try change.put(table, name.span, value.span)
        try change.commit()
    }

    /// The row that ``store(_:in:)`` stored.
    private func stored(in path: String) throws -> String? {
        let store = try Environment(directory: path, access: .readOnly)
        let (table, name) = (try store.table("dataKeys"), Array("account".utf8))
        let snapshot = try store.snapshot()
        guard let value = try snapshot.get(table, name.span) else { return nil }
        return String(decoding: (0..<value.count).map { value[$0] }, as: UTF8.self)
    }

    @Test("If the service replaces the file of the keys while it is copied, the new file is copied")
    func replacedMeanwhile() throws {
        let (old, new) = (place + "/old", place + "/new")
        for path in [old, new] { try store(path, in: path) }
        let copy = try CopiedFolder(keys, for: .ownerOnly)
        var attempts = 0
        try copy.copy(environment: old, as: "") {
            attempts += 1
            guard attempts == 1 else { return }
            try? files.removeItem(atPath: old + "/data.mdb")
            try? files.moveItem(atPath: new + "/data.mdb", toPath: old + "/data.mdb")
        }
        try copy.complete()
        #expect(try attempts == 2 && stored(in: keys) == new)
    }

    @Test("If two backups use one folder of keys, the second backup is refused, and the first keeps its keys")
    func twoBackups() throws {
        let folder = try folder("two backups")
        let second = Backup(of: folder, to: place + "/second", keys: keys)
        var refusal: AuditError.Code?
        let first = Backup(of: folder, to: place + "/first", keys: keys) { _, _ in refusal = auditCode { _ = try second.run() } }
        _ = try first.run()
        #expect(refusal == .occupied && hasKeys(keys))
        #expect(try files.contentsOfDirectory(atPath: place).sorted() == ["first", "keys"])
        #expect(auditCode { _ = try second.run() } == .occupied, "the first backup's keys are there")
        #expect(hasKeys(keys))
    }

    @Test("If two backups use one target folder, the second is refused, and the first is completed")
    func oneTarget() throws {
        let folder = try folder("one target")
        let second = Backup(of: folder, to: place + "/copy")
        var refusal: AuditError.Code?
        let first = Backup(of: folder, to: place + "/copy") { _, _ in refusal = auditCode { _ = try second.run() } }
        _ = try first.run()
        #expect(refusal == .occupied)
        #expect(try files.contentsOfDirectory(atPath: place) == ["copy"])
    }

    @Test("An unfinished folder is named only once it belongs to the backup, because a signal then removes it")
    func begun() throws {
        let backup = Backup(of: try folder("begun"), to: place + "/copy", keys: keys)
        let other = try ClaimedFolder(place + "/copy.partial", mode: nil)
        var begun: [String] = []
        let refusal = auditCode { _ = try backup.run { begun.append($0) } }
        #expect(refusal == .occupied && begun == [keys + ".partial"] && files.fileExists(atPath: other.path))
        other.remove()
        begun = []
        _ = try backup.run { begun.append($0) }
        #expect(begun == [keys + ".partial", place + "/copy.partial"])
    }

    @Test("A backup that fails at its end removes its own files, and never another's", arguments: ["copy", "keys"])
    func failure(taken: String) throws {
        let folder = try folder("failure")
        let backup = Backup(of: folder, to: place + "/copy", keys: keys) { [place] _, _ in
            // During the backup, another process creates a file in the folder to which the log or the keys are to be copied.
            try? FileManager.default.createDirectory(atPath: place + "/" + taken, withIntermediateDirectories: true)
            try? Data("mine".utf8).write(to: URL(fileURLWithPath: place + "/" + taken + "/data.mdb"))
        }
        #expect(throws: AuditError.self) { try backup.run() }
        #expect(try files.contentsOfDirectory(atPath: place) == [taken])
        #expect(files.contents(atPath: place + "/" + taken + "/data.mdb") == Data("mine".utf8))
    }

    @Test("A backup with keys is refused if the data folder has no keys")
    func keyless() throws {
        let data = try VerifiedLog(VerifiedLog.history("keyless", 60).facts).data
        #expect(auditCode { _ = try Backup(of: AuditedFolder(data.path), to: place + "/copy", keys: keys).run() } == .missing)
        #expect(try files.contentsOfDirectory(atPath: place).isEmpty)
    }

    @Test("Keys left by a killed backup are listed and can be removed; keys of a running backup are neither")
    func abandoned() throws {
        let folder = try folder("abandoned")
        let (stores, left) = (place + "/stores", place + "/stores/k2.partial")
        _ = try Backup(of: folder, to: place + "/copies/one", keys: stores + "/k1").run()
        func list(_ keys: String) throws -> BackupList { try BackupList(of: folder, in: place + "/copies", keys: [keys]) }
        #expect(try list(stores).isWell)
        try files.createDirectory(atPath: left, withIntermediateDirectories: true)
        #expect(try list(stores).isWell, "a folder without keys undoes no erasure")
        try Data("half".utf8).write(to: URL(fileURLWithPath: left + "/data.mdb"))
        for keys in [stores, stores + "/k2"] {
            let found = try list(keys)
            #expect(!found.isWell && found.isWellWithoutAbandonedKeys)
            #expect(found.keyCopies.filter(\.isAbandoned).map(\.path) == [left], "\(found.keyCopies)")
        }
        #expect(auditCode { _ = try ErasureReport(of: folder, copies: [stores + "/k2"]) } == .missing, "abandoned keys are not examined")
        #expect(try list(stores).removeAbandonedKeys() == [left] && list(stores).isWell)
        let claim = try ClaimedFolder(left, mode: nil)
        try Data("half".utf8).write(to: URL(fileURLWithPath: left + "/data.mdb"))
        #expect(try list(stores).isWell)
        claim.remove()
    }
}
