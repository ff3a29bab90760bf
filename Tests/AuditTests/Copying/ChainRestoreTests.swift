import Archive
import Audit
import EventLog
import Foundation
import Histories
import Testing

/// Restores of backup chains: the folder in which a chain is assembled, and chains in which a backup has damaged pictures.
@Suite struct ChainRestoreTests {
    private let files = FileManager.default

    private func free() -> String { TestData().path + "/data" }

    @Test("A chain is assembled in the data folder, which may be the only place that the service's user can write")
    func place() throws {
        let (fixture, _) = try ChainFixture.chain("place")
        let target = free()
        #expect(ChainRestore.scratch(for: target).hasPrefix(target + "/"))
        // Creates files at these two paths beside the data folder, so that the restore cannot create folders there.
        for name in [".assembled", ".assembled.partial"] { try Data().write(to: URL(fileURLWithPath: target + name)) }
        #expect(try fixture.restore("inc2", to: target).isClean)
        #expect(try files.attributesOfItem(atPath: target)[.posixPermissions] as? Int == 0o700)
        #expect(try files.contentsOfDirectory(atPath: target).allSatisfy { !$0.contains("assembled") })
        #expect(files.fileExists(atPath: target + ".assembled.partial"), "a file beside the data folder is not touched")
    }

    @Test("The leftovers of a killed restore are removed by the next restore, of a chain or of a full backup", arguments: ["inc2", "full"])
    func leftover(_ backup: String) throws {
        let (fixture, _) = try ChainFixture.chain("leftover")
        let target = free()
        let left = ChainRestore.scratch(for: target)
        try files.createDirectory(atPath: left + "/log", withIntermediateDirectories: true)
        #expect(try fixture.restore(backup, to: target).isClean)
        #expect(!files.fileExists(atPath: left))
    }

    @Test("A restore is refused while another one of the same folder runs, and leaves no folder when refused")
    func refused() throws {
        let (fixture, _) = try ChainFixture.chain("refused")
        let target = free()
        let underWay = try ClaimedFolder(ChainRestore.scratch(for: target), mode: nil)
        for backup in ["inc2", "full"] { #expect(auditCode { _ = try fixture.restore(backup, to: target) } == .occupied) }
        underWay.remove()
        try files.removeItem(atPath: target)
        let keyless = ChainRestore(from: fixture.place + "/inc2", to: target, keys: target + "-none", options: ChainFixture.options)
        #expect(auditCode { _ = try keyless.run() } == .missing)
        #expect(!files.fileExists(atPath: target))
    }

    @Test("A restore over an open log is refused before anything is assembled")
    func open() throws {
        let (fixture, _) = try ChainFixture.chain("open")
        let log = try fixture.data.log()
        let before = try files.contentsOfDirectory(atPath: fixture.data.path).sorted()
        #expect(auditCode { _ = try fixture.restore("inc2", to: fixture.data.path) } == .occupied)
        #expect(try files.contentsOfDirectory(atPath: fixture.data.path).sorted() == before)
        try log.close()
    }

    @Test(
        "A damaged picture of a link is left out and named, and all events are restored",
        arguments: ["full", "inc1", "inc2"], ["changed", "gone", "unreadable"])
    func damagedPicture(link: String, fault: String) throws {
        let fixture = try ChainFixture("damaged picture of a link")
        var pictures: [String: String] = ["full": try fixture.put("of full")]
        try fixture.renewFull()
        for (name, parent, end) in [("inc1", "full", 600), ("inc2", "inc1", 900)] {
            pictures[name] = try fixture.put("of \(name)")
            try fixture.grow(to: end)
            _ = try fixture.increment(name, onto: parent)
        }
        let lost = try #require(pictures[link])
        let file = fixture.path(of: lost, in: link)
        switch fault {
        case "changed": try Data("changed".utf8).write(to: URL(fileURLWithPath: file))
        case "gone": try files.removeItem(atPath: file)
        default:
            try files.removeItem(atPath: file)
            try files.createSymbolicLink(atPath: file, withDestinationPath: file + "-none")
        }
        let target = free()
        let outcome = try fixture.restore("inc2", to: target)
        #expect(outcome.report.isClean && outcome.report.head == Position(900))
        #expect(!outcome.isClean && outcome.lostPictures == [lost])
        for (other, name) in pictures {
            #expect(files.fileExists(atPath: "\(target)/blobs/\(name.prefix(2))/\(name)") == (other != link), "\(other)")
        }
        #expect(auditCode { try BackupChain(to: fixture.place + "/inc2").verify() } == .damaged, "the chain has a damaged picture")
        // The restore loses no picture if the target folder already has the picture that is damaged in the backup.
        #expect(try fixture.restore("inc2", to: fixture.data.path).isClean)
    }

    @Test("A damaged list of pictures in the full backup is reported, unless the last increment lists all pictures")
    func damagedList() throws {
        let (fixture, _) = try ChainFixture.chain("damaged list")
        try fixture.flip("full/pictures")
        #expect(try fixture.restore("inc2", to: free()).isClean)
        // Increments of older versions do not list all pictures.
        try fixture.rewrite("inc2", #""allPictures":\[[^\]]*\],"#, with: "")
        let outcome = try fixture.restore("inc2", to: free())
        #expect(outcome.report.isClean && outcome.lacksPictureList && !outcome.isClean)
    }

    @Test("If a link's pictures cannot be listed, only these pictures are lost")
    func unlisted() throws {
        let (fixture, pictures) = try ChainFixture.chain("unlisted link")
        let blobs = fixture.place + "/inc1/blobs"
        try files.removeItem(atPath: blobs)
        try files.createSymbolicLink(atPath: blobs, withDestinationPath: blobs + "-none")
        let outcome = try fixture.restore("inc2", to: free())
        #expect(outcome.report.head == Position(900) && outcome.lostPictures == [pictures[0]])
    }
}
