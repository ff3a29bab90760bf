import Archive
import Audit
import CommandService
import Composition
import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Testing

/// The report about existing backups for an operator.
@Suite(.timeLimit(.minutes(15))) struct BackupListTests {
    private let data = TestData()
    private let place = TestData().path

    /// Runs one action on a service and closes it, because a backup opens the key store too, and a process can open the store only once.
    private func serve<Value: Sendable>(_ act: (GreenTea) async throws -> Value) async throws -> Value {
        let service = try open()
        let value = try await act(service)
        try close(service)
        return value
    }

    private func open() throws -> GreenTea {
        try GreenTea(data: DataFolder(data.path), master: MasterSecret(bytes: Array(repeating: 7, count: 32)), passwords: .init(log2N: 4))
    }

    private func close(_ service: GreenTea) throws { try service.close() }

    private func number(_ last: Int) throws -> E164Number { try #require(E164Number("+861380013\(1000 + last)")) }

    private func backUp(_ name: String, keys: String? = nil) throws {
        _ = try Backup(of: AuditedFolder(data.path), to: place + "/" + name, keys: keys.map { place + "/keys/" + $0 }).run()
    }

    /// Registers two accounts and makes a backup of the folder and its keys after each. Then erases the first account and returns its id.
    private func live() async throws -> AccountID {
        let person = try await serve { try await $0.register(number(1)).id }
        try backUp("b1", keys: "k1")
        _ = try await serve { try await $0.register(number(2)) }
        try backUp("b2", keys: "k2")
        _ = try await serve { try await $0.eraseAccount(by: Caller(account: person)) }
        return person
    }

    @Test("The list says which events each backup lacks, and whose erasure each copy of keys undoes", arguments: [false, true])
    func lists(verifying: Bool) async throws {
        let person = try await live()
        let list = try BackupList(of: AuditedFolder(data.path), in: place, keys: [place + "/keys"], verifying: verifying)
        #expect(list.copies.map(\.path) == [place + "/b1", place + "/b2"])
        let missing = list.copies.compactMap { copy -> UInt64? in if case .good(let missing) = copy.standing { missing } else { nil } }
        try #require(missing.count == 2, "\(list.copies)")
        #expect(missing[0] > missing[1] && missing[1] > 0)
        #expect(list.copies[0].events + missing[0] == list.copies[1].events + missing[1], "both copies agree on the log's end")
        #expect(list.copies.allSatisfy { $0.newest != nil && $0.bytes > 0 })
        #expect(list.keyCopies.map(\.erased) == [[person], [person]])
        #expect(!list.isWell)
        #expect(try BackupList(of: AuditedFolder(data.path), in: place).isWell)
        #expect(try !BackupList(of: AuditedFolder(data.path), in: place + "/keys").isWell, "no backup there can be restored")
    }

    @Test("The list distinguishes a backup that is ahead of the log, a backup of another log, and a damaged backup")
    func notGood() async throws {
        _ = try await live()
        // The older backup plays the role of a log that was rolled back.
        let older = try AuditedFolder(place + "/b1")
        let newer = try BackupList(of: older, in: place + "/b2")
        let left = try BackupList(of: AuditedFolder(data.path), in: place + "/b1").copies[0].events
        #expect(newer.copies.map(\.standing) == [.ahead(by: newer.copies[0].events - left)])
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

    @Test("A full backup whose log is gone is damaged, whatever else is left of it", arguments: [false, true])
    func logGone(hasPictures: Bool) throws {
        let fixture = try ChainFixture("log gone")
        if hasPictures { _ = try fixture.put("a picture") }
        let (gone, files) = (fixture.place + "/gone", FileManager.default)
        _ = try Backup(of: fixture.folder, to: gone).run()
        #expect(try fixture.list().isWell)
        try files.removeItem(atPath: gone + "/log/data.mdb")
        let list = try fixture.list(verifying: true)
        #expect(list.copies.map(\.path) == [fixture.place + "/full", gone] && !list.isWell)
        let isDamaged = list.copies.last.map { if case .damaged = $0.standing { true } else { false } }
        #expect(isDamaged == true, "\(list.copies)")
        #expect(Retention(of: list, keeping: 1).removable.isEmpty)
        // A folder is also listed if only its name shows that it was a backup. Other folders and files are not listed.
        try files.moveItem(atPath: gone, toPath: fixture.place + "/20261125T033000Z-2")
        try files.removeItem(atPath: fixture.place + "/20261125T033000Z-2/log")
        try files.createDirectory(atPath: fixture.place + "/notes/log", withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: fixture.place + "/notes/log/today.txt"))
        try Data().write(to: URL(fileURLWithPath: fixture.place + "/20261126T033000Z"))
        #expect(try fixture.list().copies.map(\.path) == ["/20261125T033000Z-2", "/full"].map { fixture.place + $0 })
    }

    @Test("A `BackupShelf` removes only the leftovers of its own backups, and makes its folder only if that is permitted")
    func leftovers() throws {
        let files = FileManager.default
        let (own, others) = (["20261125T033000Z.partial", "20261125T033000Z-12.partial"], ["DATA.assembled.partial", "film.mkv.partial"])
        for name in own + others { try files.createDirectory(atPath: place + "/" + name, withIntermediateDirectories: true) }
        withExtendedLifetime(try BackupShelf(place)) {}
        #expect(try files.contentsOfDirectory(atPath: place).filter { $0 != ".lock" }.sorted() == others)
        #expect(auditCode { _ = try BackupShelf(place + "/none", makesFolder: false) } == .missing)
        #expect(!files.fileExists(atPath: place + "/none"))
    }

    @Test("Verifying finds a changed picture, in a full backup and in an increment", arguments: ["full", "inc1"])
    func picture(_ backup: String) throws {
        let fixture = try ChainFixture("verified pictures")
        let kept = try fixture.put("a picture")
        if backup == "full" { try fixture.renewFull() } else { _ = try fixture.increment("inc1", onto: "full") }
        #expect(try fixture.list(verifying: true).isWell)
        try fixture.flip("\(backup)/blobs/\(kept.prefix(2))/\(kept)")
        #expect(try fixture.list().isWell, "a list without verification reads no picture")
        let list = try fixture.list(verifying: true)
        #expect(!list.isWell)
        let standing = list.copies.first { $0.path.hasSuffix(backup) }?.standing
        #expect("\(String(describing: standing))".contains(kept), "\(list.copies)")
    }

    @Test("Verifying finds that a picture is gone, from a full backup and from an increment", arguments: ["full", "inc1"])
    func pictureGone(_ backup: String) throws {
        let fixture = try ChainFixture("pictures that are gone")
        let gone = try fixture.put("a picture")
        if backup == "full" { try fixture.renewFull() } else { _ = try fixture.increment("inc1", onto: "full") }
        #expect(try fixture.list(verifying: true).isWell)
        try FileManager.default.removeItem(atPath: "\(fixture.place)/\(backup)/blobs/\(gone.prefix(2))/\(gone)")
        let list = try fixture.list(verifying: true)
        #expect(!list.isWell && list.copies.allSatisfy { !$0.lacksPictureList })
        let standing = list.copies.first { $0.path.hasSuffix(backup) }?.standing
        #expect("\(String(describing: standing))".contains(gone), "\(list.copies)")
    }

    @Test("A full backup whose list of pictures was altered is damaged; a backup of an older program without such a list says so")
    func pictureList() throws {
        let fixture = try ChainFixture("lists of pictures")
        _ = try fixture.put("a picture")
        try fixture.renewFull()
        let list = fixture.place + "/full/pictures"
        let whole = try Data(contentsOf: URL(fileURLWithPath: list))
        try fixture.flip("full/pictures")
        #expect(try !fixture.list(verifying: true).isWell)
        for cut in [0, 1, whole.count / 2, whole.count - 1] {
            try whole.prefix(cut).write(to: URL(fileURLWithPath: list))
            #expect(try !fixture.list(verifying: true).isWell, "a list of pictures that is cut to \(cut) bytes")
        }
        try FileManager.default.removeItem(atPath: list)
        let older = try fixture.list(verifying: true)
        #expect(older.isWell && older.copies.map(\.lacksPictureList) == [true])
        #expect(try fixture.list().copies.map(\.lacksPictureList) == [false], "a list without verification does not look for picture lists")
    }

    @Test("A folder of backups that does not exist is named in the error")
    func missing() throws {
        let sample = try AuditSample("no backups")
        let folder = try AuditedFolder(sample.data.path)
        #expect(auditCode { _ = try BackupList(of: folder, in: place + "/none") } == .missing)
        #expect(auditCode { _ = try BackupList(of: folder, in: place, keys: [place + "/none"]) } == .missing)
    }
}
