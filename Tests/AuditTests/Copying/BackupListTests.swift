import Archive
import Audit
import CommandService
import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Testing

/// What an operator is told about the backups that exist.
@Suite struct BackupListTests {
    private let data = TestData()
    private let place = TestData().path

    private func open() throws -> GreenTea {
        try GreenTea(data: DataFolder(data.path), master: MasterSecret(bytes: Array(repeating: 7, count: 32)), passwords: .init(log2N: 4))
    }

    private func close(_ service: GreenTea) throws { try service.close() }

    private func number(_ last: Int) throws -> E164Number { try #require(E164Number("+861380013\(1000 + last)")) }

    private func backUp(_ name: String, keys: String? = nil) throws {
        _ = try Backup(of: AuditedFolder(data.path), to: place + "/" + name, keys: keys.map { place + "/keys/" + $0 }).run()
    }

    /// Two backups with their keys; then one of two accounts is erased.
    private func live() async throws -> AccountID {
        let service = try open()
        let person = try await service.register(number(1)).id
        try backUp("b1", keys: "k1")
        _ = try await service.register(number(2))
        try backUp("b2", keys: "k2")
        _ = try await service.eraseAccount(by: Caller(account: person))
        try close(service)
        return person
    }

    @Test("Each backup says what it lacks, and each copy of keys whose erasure it undoes", arguments: [false, true])
    func lists(verifying: Bool) async throws {
        let person = try await live()
        let head = try data.log(.readOnly).head.rawValue
        let list = try BackupList(of: AuditedFolder(data.path), in: place, keys: [place + "/keys"], verifying: verifying)
        #expect(list.copies.map(\.path) == [place + "/b1", place + "/b2"])
        for copy in list.copies {
            #expect(copy.standing == .good(missing: head - copy.events), "\(copy)")
            #expect(copy.newest != nil && copy.bytes > 0)
        }
        #expect(list.copies[0].events < list.copies[1].events && list.copies[1].events < head)
        #expect(list.keyCopies.map(\.erased) == [[person], [person]])
        #expect(!list.isWell)
        #expect(try BackupList(of: AuditedFolder(data.path), in: place).isWell)
        #expect(try !BackupList(of: AuditedFolder(data.path), in: place + "/keys").isWell, "none can be restored")
    }

    @Test("A backup with events that the log has lost, one of another log and a damaged one are told apart")
    func notGood() async throws {
        _ = try await live()
        // The older backup stands in for a log that was set back.
        let older = try AuditedFolder(place + "/b1")
        let newer = try BackupList(of: older, in: place + "/b2")
        #expect(newer.copies.map(\.standing) == [.ahead(by: newer.copies[0].events - (try older.log(.readOnly).head.rawValue))])
        let other = try AuditSample("another log")
        _ = try Backup(of: AuditedFolder(other.data.path), to: place + "/b3").run()
        let log = place + "/b2/log/data.mdb"
        let bytes = try Data(contentsOf: URL(fileURLWithPath: log))
        try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: log))
        let list = try BackupList(of: AuditedFolder(data.path), in: place)
        #expect(list.copies.count == 3 && list.copies[2].standing == .foreign, "\(list.copies)")
        guard case .damaged = list.copies[1].standing else {
            Issue.record("\(list.copies[1])")
            return
        }
        #expect(!list.isWell)
    }

    @Test("A folder that is not there is named")
    func missing() throws {
        let sample = try AuditSample("no backups")
        let folder = try AuditedFolder(sample.data.path)
        #expect(auditCode { _ = try BackupList(of: folder, in: place + "/none") } == .missing)
        #expect(auditCode { _ = try BackupList(of: folder, in: place, keys: [place + "/none"]) } == .missing)
    }
}
