import Archive
import Audit
import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Testing

/// Which backups may go, and the folder that timers make them in.
@Suite struct RetentionTests {
    /// Two chains, `a` with two increments and `b` with one.
    private func twoChains(_ name: String) throws -> ChainFixture {
        let (fixture, _) = try ChainFixture.chain(name)
        _ = try Backup(of: fixture.folder, to: fixture.place + "/newer").run()
        _ = try fixture.put("after newer")
        _ = try fixture.increment("newer1", onto: "newer")
        return fixture
    }

    private func names(_ copies: [BackupList.Copy]) -> [String] { copies.map { ($0.path as NSString).lastPathComponent } }

    @Test("The newest full backups stay with all that goes on from them; increments go before what they need")
    func keeps() throws {
        let fixture = try twoChains("keeps")
        let one = Retention(of: try fixture.list(), keeping: 1)
        #expect(names(one.removable) == ["inc2", "inc1", "full"] && Set(names(one.kept)) == ["newer", "newer1"])
        #expect(Retention(of: try fixture.list(), keeping: 2).removable.isEmpty)
        #expect(Retention(of: try fixture.list(), keeping: 0).removable == one.removable, "one is always kept")
        try one.prune()
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.place).sorted() == ["newer", "newer1"])
        #expect(
            try ChainRestore(from: fixture.place + "/newer1", to: TestData().path + "/data", options: ChainFixture.options).run().isClean)
    }

    @Test("A backup that is not good neither counts nor goes")
    func notGood() throws {
        let fixture = try twoChains("not good")
        let file = URL(fileURLWithPath: fixture.place + "/newer/log/data.mdb")
        try Data(contentsOf: file).prefix(5_000).write(to: file)
        let retention = Retention(of: try fixture.list(), keeping: 1)
        #expect(retention.removable.isEmpty, "\(names(retention.removable))")
        #expect(Set(names(retention.kept)) == ["full", "inc1", "inc2"])
    }

    @Test("A shelf names by time, finds the newest good backup, and removes what a kill has left")
    func shelf() throws {
        let fixture = try twoChains("shelf")
        try FileManager.default.createDirectory(atPath: fixture.place + "/20260101T000000Z.partial/log", withIntermediateDirectories: true)
        let shelf = try BackupShelf(fixture.place + "/")
        #expect(!FileManager.default.fileExists(atPath: fixture.place + "/20260101T000000Z.partial"))
        #expect(auditCode { _ = try BackupShelf(fixture.place) } == .occupied)
        let moment = try #require(Instant(rfc3339: "2026-11-25T03:30:07.5Z"))
        let path = shelf.path(at: moment)
        #expect(path == fixture.place + "/20261125T033007Z")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(shelf.path(at: moment) == path + "-2")
        #expect(try shelf.newest(of: fixture.folder) == fixture.place + "/newer1")
    }

    @Test("A command gets the backup as a tar stream, and its failure leaves no backup")
    func delivery() throws {
        let fixture = try ChainFixture("delivery")
        let other = TestData().path
        _ = try fixture.put("a picture")
        try fixture.grow(to: 600)
        let (folder, place) = (try fixture.folder, fixture.place)
        func increment(_ name: String, _ command: String) throws {
            let deliver = Delivery(through: command).send
            _ = try Increment(of: folder, onto: place + "/full", to: place + "/" + name, deliver: deliver).run()
        }
        for command in ["exit 7", "cat > /dev/null; exit 7", "kill -9 $$"] {
            #expect(auditCode { try increment("inc1", command) } == .output, "\(command)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["full"])
        }
        try increment("inc1", "tar -xf - -C '\(other)'")
        let trees = [place, other].map { FileManager.default.subpaths(atPath: $0 + "/inc1")?.sorted() }
        #expect(trees[0] == trees[1] && trees[0]?.isEmpty == false)
        let deliver = Delivery(through: "tar -xf - -C '\(other)'").send
        let again = Backup(of: folder, to: place + "/again") { (path, _) throws(AuditError) in try deliver(path, "full") }
        _ = try again.run()
        #expect(FileManager.default.fileExists(atPath: other + "/full/log/data.mdb"))
    }
}
