import Archive
import Audit
import EventLog
import Foundation
import Histories
import Loyalty
import Merkle
import Testing

/// A record altered after it was stored never leaves the folder, whether in an export, a backup or a proof.
@Suite struct ChangedRecordTests {
    private func damaged() throws -> VerifiedLog {
        let facts = VerifiedLog.history("changed", 600).facts
        let log = try VerifiedLog(facts)
        try log.changeRecord(of: facts[500])
        return log
    }

    private func expectDamage(_ work: () throws -> Void) throws {
        let error = #expect(throws: AuditError.self) { try work() }
        #expect(error?.code == .damaged && error?.position != nil, "\(String(describing: error))")
    }

    @Test("An export fails at a changed record", arguments: TransferFormat.allCases)
    func itIsNotExported(format: TransferFormat) throws {
        let log = try damaged()
        try expectDamage { _ = try Export(of: AuditedFolder(log.data.path).log(.readOnly), format: format) { _ in }.run() }
    }

    @Test("A backup and a drill fail at a changed record and leave no file")
    func notBackedUp() throws {
        let log = try damaged()
        let (copy, scratch) = (TestData().path + "/copy", TestData().path)
        try expectDamage { _ = try Backup(of: AuditedFolder(log.data.path), to: copy).run() }
        let options = Verification.Options(now: VerifiedLog.now)
        try expectDamage { _ = try Drill(AuditedFolder(log.data.path), in: scratch, options: options).run() }
        for path in [copy, copy + ".partial", Drill.scratch(in: scratch)] {
            #expect(!FileManager.default.fileExists(atPath: path), "\(path)")
        }
    }

    @Test("A changed record is neither proved nor published, and the record after it is still proved")
    func notProved() throws {
        let sample = try PublishedSample(300)
        let position = Position(7)
        let file = URL(filePath: sample.data.path + "/log/data.mdb")
        let record = Data(try #require(try sample.published.receipt(of: position).extra))
        var bytes = try Data(contentsOf: file)
        bytes[try #require(bytes.range(of: record)).upperBound - 1] ^= 1
        try bytes.write(to: file)
        let published = try sample.published
        try expectDamage { _ = try published.receipt(of: position) }
        _ = try published.receipt(of: Position(8))
        let site = TestData().path + "/site"
        try expectDamage { _ = try TileTree(at: site, entries: true).update(from: published) }
        #expect(!FileManager.default.fileExists(atPath: site + "/checkpoint"))
    }

    @Test("The check before publishing reports a changed record and accepts an intact log")
    func beforePublishing() throws {
        let log = try damaged()
        try expectDamage { try AuditedFolder(log.data.path).requireWholeLog() }
        let whole = try VerifiedLog(VerifiedLog.history("unchanged", 600).facts)
        try AuditedFolder(whole.data.path).requireWholeLog()
    }
}
