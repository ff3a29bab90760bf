import Crypto
import Foundation
import Histories
import Loyalty
import Testing

@testable import Archive
@testable import Audit

/// Pictures in backups. A picture file's name is the picture's id followed by the digest of its bytes. Older versions used the digest
/// alone.
@Suite struct PictureCopyTests {
    private let options = Verification.Options(now: VerifiedLog.now)

    /// Puts a picture into a data folder.
    ///
    /// - Returns: the file's name.
    @discardableResult
    private func put(_ text: String, after id: String = "", in data: String) throws -> String {
        let name = id + SHA256.hash(data: Data(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try write(text, as: name, in: data)
        return name
    }

    private func write(_ text: String, as name: String, in data: String) throws {
        let folder = data + "/blobs/" + name.prefix(2)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
    }

    private func text(_ name: String, in data: String) -> String? {
        FileManager.default.contents(atPath: data + "/blobs/\(name.prefix(2))/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }

    private func free(_ name: String) -> String { TestData().path + "/" + name }

    private func sample(_ name: String) throws -> VerifiedLog { try VerifiedLog(VerifiedLog.history(name, 60).facts) }

    @Test("A restore adds the backup's pictures to those in place and mends a damaged one")
    func joinedPictures() throws {
        let log = try sample("pictures")
        let data = log.data.path
        let names = try ["one", "two", "three"].map { try put($0, in: data) }
        try Data("half".utf8).write(to: URL(fileURLWithPath: data + "/blobs/\(names[0].prefix(2))/\(names[0]).new"))
        let (copy, target) = (free("copy"), free("data"))
        let summary = try Backup(of: AuditedFolder(data), to: copy).run()
        #expect(summary.pictures == 3 && summary.damagedPictures.isEmpty)
        #expect(FileManager.default.subpaths(atPath: copy + "/blobs")?.contains { $0.hasSuffix(".new") } == false)
        // The target has a picture of its own, and one picture that was damaged after the backup.
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        let own = try put("own", in: target)
        try write("tw0", as: names[1], in: target)
        #expect(try Restore(from: AuditedFolder(copy), to: target, options: options).run().isClean)
        #expect(names.map { text($0, in: target) } == ["one", "two", "three"] && text(own, in: target) == "own")
    }

    @Test("A picture with an id in its name is copied only if its bytes have the digest in the name")
    func namedPictures() throws {
        let log = try sample("pictures with senders")
        let data = log.data.path
        let id = String(repeating: "1f", count: 16)
        let whole = try put("whole", after: id, in: data)
        let damaged = try put("damaged", after: String(repeating: "2f", count: 16), in: data)
        // This file is no picture: the length of its name fits neither the current nor the older format of names.
        try write("stray", as: "ab12", in: data)
        try write("damage!", as: damaged, in: data)
        let (copy, target) = (free("copy"), free("data"))
        let summary = try Backup(of: AuditedFolder(data), to: copy).run()
        #expect(summary.pictures == 1 && summary.damagedPictures == [damaged])
        #expect(try Restore(from: AuditedFolder(copy), to: target, options: options).run().isClean)
        #expect(text(whole, in: target) == "whole" && text(damaged, in: target) == nil)
    }

    @Test("A damaged picture is left out of a backup and named, and a drill counts it as lost")
    func damagedPicture() throws {
        let log = try sample("damaged picture")
        let data = log.data.path
        let (whole, damaged) = (try put("whole", in: data), try put("damaged", in: data))
        try write("damage!", as: damaged, in: data)
        let copy = free("copy")
        let summary = try Backup(of: AuditedFolder(data), to: copy).run()
        #expect(summary.pictures == 1 && summary.damagedPictures == [damaged])
        #expect(text(whole, in: copy) == "whole" && text(damaged, in: copy) == nil)
        let outcome = try Drill(AuditedFolder(data), in: TestData().path, options: options).run()
        #expect(!outcome.isGood && outcome.pictures == 1 && outcome.lostPictures == 1)
    }

    @Test("A restore goes on without a damaged or missing picture and names it")
    func restoredWithout() throws {
        let log = try sample("damaged backup")
        let (name, other) = (try put("whole", in: log.data.path), try put("other", in: log.data.path))
        let (copy, target) = (free("copy"), free("data"))
        _ = try Backup(of: AuditedFolder(log.data.path), to: copy).run()
        try write("damaged", as: name, in: copy)
        let outcome = try Restore(from: AuditedFolder(copy), to: target, options: options).run()
        #expect(outcome.report.isClean && !outcome.isClean && outcome.lostPictures == [name])
        #expect(text(other, in: target) == "other" && text(name, in: target) == nil)
        // A picture that the backup's list names is missing from the backup.
        try FileManager.default.removeItem(atPath: copy + "/blobs/\(name.prefix(2))/\(name)")
        let second = free("data")
        #expect(try Restore(from: AuditedFolder(copy), to: second, options: options).run().lostPictures == [name])
        // If the target already has the picture, nothing is lost.
        try write("whole", as: name, in: second)
        #expect(try Restore(from: AuditedFolder(copy), to: second, options: options).run().isClean)
        try Data("none".utf8).write(to: URL(fileURLWithPath: copy + "/pictures"))
        let unlisted = try Restore(from: AuditedFolder(copy), to: second, options: options).run()
        #expect(unlisted.lacksPictureList && !unlisted.isClean && unlisted.lostPictures.isEmpty)
    }

    /// Replaces a picture with a link or a folder, which cannot be read as a file. Removing the file's permissions would not suffice,
    /// because root can read every file.
    private func makeUnreadable(_ name: String, in data: String, as kind: String) throws {
        let (file, files) = (data + "/blobs/\(name.prefix(2))/\(name)", FileManager.default)
        try files.removeItem(atPath: file)
        if kind == "link" {
            try files.createSymbolicLink(atPath: file, withDestinationPath: data + "/none")
        } else {
            try files.createDirectory(atPath: file, withIntermediateDirectories: true)
        }
    }

    @Test("A picture that cannot be read is treated as damaged, not as removed", arguments: ["link", "folder"])
    func unreadable(kind: String) throws {
        let log = try sample("unreadable picture")
        let data = log.data.path
        let (whole, unreadable) = (try put("whole", in: data), try put("unreadable", in: data))
        try makeUnreadable(unreadable, in: data, as: kind)
        let place = TestData().path
        let summary = try Backup(of: AuditedFolder(data), to: place + "/full").run()
        #expect(summary.pictures == 1 && summary.damagedPictures == [unreadable])
        #expect(text(whole, in: place + "/full") == "whole")
        let outcome = try Drill(AuditedFolder(data), in: TestData().path, options: options).run()
        #expect(!outcome.isGood && outcome.pictures == 1 && outcome.lostPictures == 1)
        func increment() throws -> Increment.Outcome {
            try Increment(of: AuditedFolder(data), onto: place + "/full", to: place + "/inc1").run()
        }
        #expect(try increment() == .nothingNew(damagedPictures: [unreadable]))
        try put("new", in: data)
        #expect(try increment().summary?.damagedPictures == [unreadable])
        let onto = Increment(of: try AuditedFolder(data), onto: place + "/inc1", to: place + "/inc2")
        #expect(try onto.run() == .nothingNew(damagedPictures: [unreadable]), "nothing new gives no increment")
    }

    @Test("Pictures behind a link are copied like others", arguments: ["blobs", "shard"])
    func linked(folder: String) throws {
        let log = try sample("linked pictures")
        let data = log.data.path
        let name = try put("linked", in: data)
        let (link, elsewhere) = (data + "/blobs" + (folder == "blobs" ? "" : "/\(name.prefix(2))"), TestData().path + "/elsewhere")
        try FileManager.default.moveItem(atPath: link, toPath: elsewhere)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: elsewhere)
        let copy = free("copy")
        #expect(try Backup(of: AuditedFolder(data), to: copy).run().pictures == 1)
        #expect(text(name, in: copy) == "linked")
        let outcome = try Drill(AuditedFolder(data), in: TestData().path, options: options).run()
        #expect(outcome.isGood && outcome.pictures == 1)
    }

    @Test("A folder of pictures that cannot be listed is an error, and no backup without pictures", arguments: ["link", "file", "shard"])
    func unlisted(kind: String) throws {
        let log = try sample("unlisted pictures")
        let blobs = log.data.path + "/blobs"
        switch kind {
        case "link": try FileManager.default.createSymbolicLink(atPath: blobs, withDestinationPath: blobs + "-none")
        case "file": try Data().write(to: URL(fileURLWithPath: blobs))
        default:
            try FileManager.default.createDirectory(atPath: blobs, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: blobs + "/ab", withDestinationPath: blobs + "-none")
        }
        let place = TestData().path
        let error = #expect(throws: AuditError.self) { try Backup(of: AuditedFolder(log.data.path), to: place + "/copy").run() }
        #expect(error?.code == .input && error?.detail.contains(blobs) == true, "\(String(describing: error))")
        #expect(auditCode { _ = try Drill(AuditedFolder(log.data.path), in: place, options: options).run() } == .input)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place).isEmpty)
    }

    @Test("A drill counts the pictures that came back")
    func countedPictures() throws {
        let log = try sample("picture drill")
        for text in ["one", "two"] { try put(text, in: log.data.path) }
        let outcome = try Drill(AuditedFolder(log.data.path), in: TestData().path, options: options).run()
        #expect(outcome.isGood && outcome.pictures == 2 && outcome.lostPictures == 0)
    }
}
