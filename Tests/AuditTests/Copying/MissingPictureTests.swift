import Audit
import Foundation
import Histories
import Testing

@testable import Archive

/// Pictures that shops and campaigns show and whose files are gone.
@Suite("Missing pictures")
struct MissingPictureTests {
    private let files = FileManager.default

    @Test("Pictures that are gone from the data folder come back from the chain, also after increments that were made without them")
    func recovered() throws {
        let fixture = try ChainFixture("missing pictures")
        try fixture.grow(to: 700)
        let before = Set(try fixture.data.putShownPictures())
        try fixture.renewFull()
        try fixture.grow(to: 900)
        let lasting = Set(try fixture.data.putShownPictures()).intersection(before).sorted().prefix(2)
        try #require(!lasting.isEmpty)
        for path in lasting { try files.removeItem(atPath: path) }
        let gone = lasting.map { String(BackupChain.name($0).prefix(32)) }
        #expect(try fixture.increment("inc1", onto: "full")?.missingPictures == gone.sorted())
        let target = TestData().path + "/data"
        let outcome = try fixture.restore("inc1", to: target)
        #expect(outcome.report.isClean && outcome.missingPictures.isEmpty && outcome.lostPictures.isEmpty, "\(outcome)")
        for name in gone {
            let folder = target + "/blobs/" + name.prefix(2)
            #expect(try files.contentsOfDirectory(atPath: folder).contains { $0.hasPrefix(name) })
        }
    }

    @Test("A missing picture is no damage of the log, is named, and is not missing once its file is back")
    func named() throws {
        let fixture = try ChainFixture("named pictures")
        try fixture.grow(to: 900)
        let path = try #require(try fixture.data.putShownPictures().first)
        let bytes = try Data(contentsOf: URL(filePath: path))
        func report() throws -> VerifyReport { try Verification(fixture.folder, options: ChainFixture.options).run() }
        #expect(try report().missingPictures().isEmpty)
        try Data("changed".utf8).write(to: URL(filePath: path))
        #expect(try report().isClean && report().missingPictures() == [String(BackupChain.name(path).prefix(32))])
        try files.removeItem(atPath: path)
        let drill = try Drill(fixture.folder, in: TestData().path, options: ChainFixture.options).run()
        #expect(!drill.isGood && drill.lostPictures == 1 && drill.missingPictures.count == 1)
        try bytes.write(to: URL(filePath: path))
        #expect(try report().missingPictures().isEmpty)
    }

    @Test("An increment is not built on a chain of which a picture is gone or cut short", arguments: ["full", "inc1"])
    func gone(from backup: String) throws {
        let (fixture, _) = try ChainFixture.chain("gone picture")
        try fixture.renewFull()
        let other = try ChainFixture.chain("gone picture").fixture
        let name = try #require(try PictureFolder(path: other.place + "/inc1/blobs").names.first)
        let path = other.place + "/inc1/blobs/\(name.prefix(2))/\(name)"
        if backup == "inc1" {
            try Data().write(to: URL(filePath: path))
            #expect(auditCode { _ = try other.increment("inc3", onto: "inc2") } == .damaged)
            #expect(try other.list().unsound.map(\.path).count == 2)
        } else {
            let kept = try #require(try PictureFolder(path: fixture.place + "/full/blobs").names.first)
            try Data("cut".utf8).write(to: URL(filePath: fixture.place + "/full/blobs/\(kept.prefix(2))/\(kept)"))
            #expect(auditCode { _ = try fixture.increment("inc3", onto: "full") } == .damaged)
            #expect(try fixture.list().unsound.contains { $0.path.hasSuffix("full") })
        }
    }
}
