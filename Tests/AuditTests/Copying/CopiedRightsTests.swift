import Archive
import Audit
import EventLog
import Foundation
import Histories
import LMDB
import Loyalty
import Testing

/// Permissions and destinations of the files that a backup and a restore create.
@Suite struct CopiedRightsTests {
    private func mode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    private func withKeys() throws -> TestData {
        let data = try VerifiedLog(VerifiedLog.history("rights", 60).facts).data
        let keys = try Environment(directory: data.path + "/keys", access: .readWrite)
        _ = try keys.table("keys", .bytes)
        return data
    }

    @Test("Backup and restored folder have mode 0700, their log's file has mode 0640, and the keys' file 0600")
    func copiedModes() throws {
        let data = try withKeys()
        let place = TestData().path
        let (copy, keys, target) = (place + "/copy/", place + "/keys", place + "/data")
        #expect(try Backup(of: AuditedFolder(data.path), to: copy, keys: keys).run().hasKeys)
        let options = Verification.Options(now: VerifiedLog.now)
        #expect(try Restore(from: AuditedFolder(copy), to: target, keys: keys, options: options).run().isClean)
        for secret in [keys, target + "/keys"] {
            #expect(try mode(secret) == 0o700 && mode(secret + "/data.mdb") == 0o600, "\(secret)")
        }
        for folder in [copy, target] {
            #expect(try mode(folder) == 0o700, "\(folder)")
            #expect(try mode(folder + "/log") == 0o750 && mode(folder + "/log/data.mdb") == 0o640, "\(folder)")
        }
    }

    @Test("A backup is refused if its keys would lie in its folder, or its folder in theirs", arguments: ["copy", "copy/keys", "."])
    func keysApart(keys: String) throws {
        let data = try withKeys()
        let place = TestData().path
        let error = #expect(throws: AuditError.self) {
            try Backup(of: AuditedFolder(data.path), to: place + "/copy", keys: place + "/" + keys).run()
        }
        #expect(error?.code == .input)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place).isEmpty)
    }

    @Test("A restore with keys that do not exist is refused before it changes anything")
    func missingKeys() throws {
        let data = try withKeys()
        let place = TestData().path
        _ = try Backup(of: AuditedFolder(data.path), to: place + "/copy").run()
        let options = Verification.Options(now: VerifiedLog.now)
        let restore = Restore(from: try AuditedFolder(place + "/copy"), to: place + "/data", keys: place + "/none", options: options)
        #expect(auditCode { _ = try restore.run() } == .missing)
        #expect(!FileManager.default.fileExists(atPath: place + "/data"))
    }

    @Test("The error for a folder that cannot be created says that a file is in the way")
    func fileInTheWay() throws {
        let data = try withKeys()
        let file = TestData().path + "/file"
        try Data().write(to: URL(filePath: file))
        let error = #expect(throws: AuditError.self) { try Backup(of: AuditedFolder(data.path), to: file + "/copy").run() }
        #expect(error?.code == .output && error?.description.contains("is a file, not a folder") == true, "\(String(describing: error))")
    }

    @Test("A backup includes the key with which its checkpoint is read")
    func checkpointKey() throws {
        let sample = try PublishedSample(20)
        let place = TestData().path
        _ = try Backup(of: AuditedFolder(sample.data.path), to: place + "/copy").run()
        #expect(try PublishedLog(in: AuditedFolder(place + "/copy")).size == Position(20))
    }
}
