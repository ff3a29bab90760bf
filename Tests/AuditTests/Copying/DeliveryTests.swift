import Audit
import Foundation
import Histories
import Loyalty
import Testing

@testable import Archive

/// A backup that is sent to a command.
@Suite struct DeliveryTests {
    @Test("A folder that cannot be listed is not sent as an empty one")
    func unreadable() throws {
        let folder = TestData().path + "/none"
        #expect(auditCode { try Delivery(through: "cat > /dev/null").send(folder, "none") } == .output)
    }

    /// Returns a new folder, and a command that unpacks the received tar stream into this folder.
    private func store() -> (folder: String, delivery: Delivery) {
        let folder = TestData().path
        return (folder, Delivery(through: "tar -xf - -C '\(folder)'"))
    }

    @Test("A backup's summary is read before its delivery, so that no later fault makes a good backup a failure")
    func summary() throws {
        let fixture = try ChainFixture("summary")
        let target = fixture.place + "/unread"
        // The delivery renames the copied log, so that reading it afterwards would fail.
        let backup = Backup(of: try fixture.folder, to: target) { folder, _ in
            try? FileManager.default.moveItem(atPath: folder + "/log/data.mdb", toPath: folder + "/log/renamed")
        }
        let summary = try backup.run()
        #expect(summary.events == 300 && summary.root != nil && FileManager.default.fileExists(atPath: target + "/log/renamed"))
    }

    @Test("An increment is sent only after its whole chain was sent to the same command, so that the destination can restore it")
    func parents() throws {
        let fixture = try ChainFixture("sent")
        let (folder, place) = (try fixture.folder, fixture.place)
        let shelf = try BackupShelf(place)
        let (there, delivery) = store()
        #expect(try shelf.newest(of: folder) == place + "/full")
        #expect(try shelf.newest(of: folder, sentBy: delivery) == nil, "the full backup was not sent")
        _ = try Backup(of: folder, to: place + "/sent", deliver: delivery.deliver).run()
        #expect(try shelf.newest(of: folder, sentBy: delivery) == place + "/sent")
        try fixture.grow(to: 600)
        _ = try fixture.increment("local", onto: "sent")
        #expect(try shelf.newest(of: folder) == place + "/local" && shelf.newest(of: folder, sentBy: delivery) == place + "/sent")
        _ = try Increment(of: folder, onto: place + "/sent", to: place + "/inc", deliver: delivery.deliver).run()
        let last = try #require(try shelf.newest(of: folder, sentBy: delivery))
        #expect(last == place + "/inc")
        let restored = ChainRestore(from: there + "/inc", to: TestData().path + "/data", options: ChainFixture.options)
        let report = try restored.run()
        #expect(report.isClean, "\(report)")
    }

    @Test("A full backup is due for a command after one that no command received, but not after one that another command received")
    func fullIsDue() throws {
        let fixture = try ChainFixture("full is due")
        let (folder, place) = (try fixture.folder, fixture.place)
        let shelf = try BackupShelf(place)
        let (one, other) = (store().delivery, store().delivery)
        _ = try Backup(of: folder, to: place + "/one", deliver: one.deliver).run()
        try fixture.grow(to: 600)
        #expect(try shelf.newest(of: folder, sentBy: other) == nil)
        _ = try Backup(of: folder, to: place + "/other", deliver: other.deliver).run()
        #expect(try shelf.newest(of: folder, sentBy: one) == place + "/one" && shelf.newest(of: folder, sentBy: other) == place + "/other")
        try fixture.grow(to: 900)
        _ = try Backup(of: folder, to: place + "/sunday").run()
        for delivery in [one, other] { #expect(try shelf.newest(of: folder, sentBy: delivery) == nil) }
    }

    @Test("Before an increment is sent, its parent's whole chain must have been sent to the same command")
    func namedParent() throws {
        let (fixture, _) = try ChainFixture.chain("named parent")
        let (folder, place) = (try fixture.folder, fixture.place)
        let delivery = store().delivery
        for name in ["full", "inc1"] { #expect(auditCode { try delivery.requireSent(place + "/" + name) } == .input) }
        _ = try Backup(of: folder, to: place + "/sent", deliver: delivery.deliver).run()
        try delivery.requireSent(place + "/sent")
        #expect(auditCode { try Delivery(through: "cat > /dev/null").requireSent(place + "/sent") } == .input, "sent to another command")
    }
}
