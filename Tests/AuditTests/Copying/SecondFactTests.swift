import Audit
import EventLog
import Foundation
import Histories
import Merkle
import Testing

@testable import Archive

/// Backups whose sizes and positions are right and whose content is not.
@Suite("Backups that agree in size alone")
struct SecondFactTests {
    private let files = FileManager.default

    /// Two chains of as many backups, with as many events, of two logs.
    private func twins(_ name: String) throws -> (own: ChainFixture, other: ChainFixture) {
        (try ChainFixture.chain(name).fixture, try ChainFixture.chain("\(name), another log").fixture)
    }

    private func replace(_ backup: String, of own: ChainFixture, by other: ChainFixture) throws {
        try files.removeItem(atPath: own.place + "/" + backup)
        try files.copyItem(atPath: other.place + "/" + backup, toPath: own.place + "/" + backup)
    }

    @Test("A link of another log's chain does not join two of this log", arguments: [("full", "inc1"), ("inc1", "inc2")])
    func joined(exchanged: String, next: String) throws {
        let (own, other) = try twins("joined")
        try replace(exchanged, of: own, by: other)
        let copy = try #require(try own.list().copies.first { $0.path.hasSuffix(next) })
        guard case .broken(let why) = copy.standing else {
            Issue.record("\(copy)")
            return
        }
        #expect(why.contains("goes on from position"), "\(why)")
    }

    @Test("Each backup of another log is foreign, also where both logs have as many events", arguments: [300, 600, 900])
    func foreign(events: Int) throws {
        let (own, other) = (try ChainFixture("foreign"), try ChainFixture.chain("foreign, another log").fixture)
        try own.grow(to: events)
        let list = try BackupList(of: own.folder, in: other.place)
        let known = list.copies.filter { if case .increment(_, let after) = $0.kind { after <= events } else { true } }
        #expect(known.count == min(3, events / 300 + 1) && known.allSatisfy { $0.standing == .foreign }, "\(list.copies)")
    }

    @Test("The root in an increment's description must be that of its events, also if the description's digest is right")
    func root() throws {
        let (fixture, _) = try ChainFixture.chain("root")
        try fixture.rewrite("inc2", #""root":"[0-9a-f]{8}"#, with: #""root":"01234567"#)
        #expect(auditCode { _ = try fixture.restore("inc2", to: TestData().path + "/data") } == .damaged)
    }

    @Test("A description is compared with its digest, also where nothing else would show the change")
    func description() throws {
        let (fixture, _) = try ChainFixture.chain("description")
        let file = URL(fileURLWithPath: fixture.place + "/inc2/increment")
        let text = try String(contentsOf: file, encoding: .utf8)
        let changed = text.replacing(#/"newest":[0-9]/#, with: #""newest":9"#)
        try #require(changed != text && changed.utf8.count == text.utf8.count)
        try Data(changed.utf8).write(to: file)
        #expect(auditCode { _ = try fixture.restore("inc2", to: TestData().path + "/data") } == .damaged)
    }

    @Test("A list of pictures is compared with its digest, also where each of its lines could be right")
    func pictures() throws {
        let fixture = try ChainFixture("pictures")
        let name = try fixture.put("a picture")
        try fixture.renewFull()
        let file = URL(fileURLWithPath: fixture.place + "/full/pictures")
        let text = try String(contentsOf: file, encoding: .utf8)
        let changed = text.replacingOccurrences(of: "9 \(name)", with: "8 \(name)")
        try #require(changed != text)
        try Data(changed.utf8).write(to: file)
        #expect(throws: LinkFault.self) { _ = try BackupPictures(in: fixture.place + "/full") }
    }

    @Test("A drill is not good if the restored log has another root, whatever its state")
    func drill() throws {
        let fixture = try ChainFixture("drill")
        try fixture.data.putShownPictures()
        let options = ChainFixture.options
        let good = try Drill(fixture.folder, in: TestData().path, options: options).run()
        let bad = Drill.Outcome(
            report: good.report, restored: good.restored, original: good.original, originalRoot: TreeHasher.emptyRoot,
            pictures: good.pictures,
            lostPictures: good.lostPictures)
        #expect(good.isGood && !bad.isGood)
    }
}
