import Audit
import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Testing

@testable import Archive

/// The rules for deleting old backups, and the folder in which timers create backups.
@Suite struct RetentionTests {
    /// Creates two chains: `a` with two increments and `b` with one.
    private func twoChains(_ name: String) throws -> ChainFixture {
        let (fixture, _) = try ChainFixture.chain(name)
        _ = try Backup(of: fixture.folder, to: fixture.place + "/newer").run()
        _ = try fixture.put("after newer")
        _ = try fixture.increment("newer1", onto: "newer")
        return fixture
    }

    private func names(_ copies: [BackupList.Copy]) -> [String] { copies.map { ($0.path as NSString).lastPathComponent } }

    @Test("The newest full backups stay with all increments that continue them, and increments are removed before their parents")
    func keeps() throws {
        let fixture = try twoChains("keeps")
        let one = Retention(of: try fixture.list(), keeping: 1)
        #expect(names(one.removable) == ["inc2", "inc1", "full"] && Set(names(one.kept)) == ["newer", "newer1"])
        #expect(Retention(of: try fixture.list(), keeping: 2).removable.isEmpty)
        #expect(Retention(of: try fixture.list(), keeping: 0).removable == one.removable, "one full backup is always kept")
        try one.prune()
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.place).sorted() == ["newer", "newer1"])
        #expect(
            try ChainRestore(from: fixture.place + "/newer1", to: TestData().path + "/data", options: ChainFixture.options).run().isClean)
    }

    @Test("A backup that is not good is neither counted nor removed")
    func notGood() throws {
        let fixture = try twoChains("not good")
        let file = URL(fileURLWithPath: fixture.place + "/newer/log/data.mdb")
        try Data(contentsOf: file).prefix(5_000).write(to: file)
        let retention = Retention(of: try fixture.list(), keeping: 1)
        #expect(retention.removable.isEmpty, "\(names(retention.removable))")
        #expect(Set(names(retention.kept)) == ["full", "inc1", "inc2"])
    }

    /// Flips one bit at `offset` in one page of a backup's log. Tries one page after another until the damage has the effect that
    /// `isReached` tests.
    private func damage(_ name: String, of fixture: ChainFixture, at offset: Int, until isReached: () throws -> Bool) throws {
        let file = URL(fileURLWithPath: fixture.place + "/" + name + "/log/data.mdb")
        let whole = try Data(contentsOf: file)
        for page in 2..<whole.count / 4_096 {
            var bytes = whole
            bytes[page * 4_096 + offset] ^= 1
            try bytes.write(to: file)
            if try isReached() { return }
        }
        Issue.record("no damage to a page of \(name) has this effect")
    }

    private func isGood(_ name: String, in list: BackupList) -> Bool {
        list.copies.contains { copy in
            guard (copy.path as NSString).lastPathComponent == name, case .good = copy.standing else { return false }
            return true
        }
    }

    @Test("The increments of a full backup with a damaged page are not called good, and nothing is removed in their favour")
    func damagedBase() throws {
        let fixture = try twoChains("damaged base")
        // A page begins with its own page number, and only a walk through all pages checks this number.
        try damage("newer", of: fixture, at: 0) { try !isGood("newer", in: fixture.list()) }
        #expect(try !isGood("newer1", in: fixture.list()))
        let retention = Retention(of: try fixture.list(), keeping: 1)
        #expect(retention.removable.isEmpty, "\(names(retention.removable))")
        #expect(Set(names(retention.kept)) == ["full", "inc1", "inc2"])
    }

    @Test("An increment whose full backup is not in the list stays")
    func aloneInTheList() throws {
        let fixture = try twoChains("alone in the list")
        let list = try BackupList(of: fixture.folder, in: fixture.place + "/inc2")
        #expect(list.isWell && list.copies.count == 1)
        #expect(Retention(of: list, keeping: 1).removable.isEmpty)
    }

    @Test("Doubled slashes and dots in a path change nothing", arguments: ["//", "/./"])
    func spelledOtherwise(slash: String) throws {
        let fixture = try twoChains("spelled otherwise")
        let (above, name) = ((fixture.place as NSString).deletingLastPathComponent, (fixture.place as NSString).lastPathComponent)
        let retention = Retention(of: try BackupList(of: fixture.folder, in: above + slash + name + "//"), keeping: 1)
        #expect(names(retention.removable) == ["inc2", "inc1", "full"] && Set(names(retention.kept)) == ["newer", "newer1"])
    }

    @Test("An earlier chain that restores to a later position than all kept backups stays")
    func furthest() throws {
        let fixture = try ChainFixture("furthest")
        _ = try Backup(of: fixture.folder, to: fixture.place + "/newer").run()
        try fixture.grow(to: 600)
        _ = try fixture.increment("inc1", onto: "full")
        #expect(Retention(of: try fixture.list(), keeping: 1).removable.isEmpty)
        _ = try fixture.increment("newer1", onto: "newer")
        #expect(names(Retention(of: try fixture.list(), keeping: 1).removable) == ["inc1", "full"])
    }

    @Test("Nothing is removed unless the newest full backup is whole", arguments: ["picture", "record"])
    func unverified(what: String) throws {
        let fixture = try twoChains("unverified")
        let newer = fixture.place + "/newer"
        if what == "picture" {
            let paths = FileManager.default.subpaths(atPath: newer + "/blobs") ?? []
            try fixture.flip("newer/blobs/" + (try #require(paths.first { $0.utf8.count > 64 })))
        } else {
            try damage("newer", of: fixture, at: 4_096 - 9) {
                let isWhole = auditCode { try BackupChain(to: newer).verify() } == nil
                return try !isWhole && isGood("newer", in: fixture.list())
            }
        }
        let retention = Retention(of: try fixture.list(), keeping: 1)
        #expect(names(retention.removable) == ["inc2", "inc1", "full"])
        #expect(auditCode { try retention.prune() } == .damaged)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.place).sorted() == ["full", "inc1", "inc2", "newer", "newer1"])
    }

    @Test("A `BackupShelf` names backups by time, finds the newest good one, and removes the remains of killed attempts")
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

    @Test("A backup waits until the other backup has released the folder, and gives up after the given seconds")
    func waiting() throws {
        let place = TestData().path
        var (held, pauses): (BackupShelf?, Int) = (try BackupShelf(place), 0)
        #expect(auditCode { _ = try BackupShelf(place, waiting: 3) { pauses += 1 } } == .occupied)
        #expect(pauses == 3)
        let later = try BackupShelf(place, waiting: 3) {
            pauses += 1
            if pauses == 5 { held = nil }
        }
        #expect(pauses == 5 && held == nil && later.place == place)
    }

    @Test("A command receives the backup as a tar stream, and if it fails, no backup is left")
    func delivery() throws {
        let fixture = try ChainFixture("delivery")
        let other = TestData().path
        _ = try fixture.put("a picture")
        try fixture.grow(to: 600)
        let (folder, place) = (try fixture.folder, fixture.place)
        func increment(_ name: String, _ command: String) throws {
            let deliver = Delivery(through: command).deliver
            _ = try Increment(of: folder, onto: place + "/full", to: place + "/" + name, deliver: deliver).run()
        }
        for command in ["exit 7", "cat > /dev/null; exit 7", "kill -9 $$"] {
            #expect(auditCode { try increment("inc1", command) } == .output, "\(command)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["full"])
        }
        try increment("inc1", "tar -xf - -C '\(other)'")
        let trees = [place, other].map { FileManager.default.subpaths(atPath: $0 + "/inc1")?.sorted() }
        #expect(trees[0] == trees[1] && trees[0]?.isEmpty == false)
        let deliver = Delivery(through: "tar -xf - -C '\(other)'").deliver
        let again = Backup(of: folder, to: place + "/again") { (path, _) throws(AuditError) in try deliver(path, "full") }
        _ = try again.run()
        #expect(FileManager.default.fileExists(atPath: other + "/full/log/data.mdb"))
    }
}
