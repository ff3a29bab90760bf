import Archive
import Audit
import Crypto
import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Testing

/// A growing data folder and its backups in one folder: the full backup `full`, and the increments `inc1` and `inc2`.
struct ChainFixture {
    let data: TestData
    /// The folder of the backups.
    let place = TestData().path
    private let facts: [Fact]
    static let options = Verification.Options(now: VerifiedLog.now)

    /// - Parameter name: the text from which the seed of the random history is computed.
    init(_ name: String, events: Int = 900) throws {
        facts = try VerifiedLog.whole(name, events, cuts: Array(stride(from: 100, to: events, by: 100)))
        data = try TestData.with(facts.prefix(events / 3))
        _ = try Backup(of: AuditedFolder(data.path), to: place + "/full").run()
    }

    /// Starts with the signed log of `sample`, of which there is no backup yet.
    init(signing sample: PublishedSample) { (data, facts) = (sample.data, []) }

    /// Makes a full backup and two increments, each increment with a picture that the previous backup does not have.
    static func chain(_ name: String) throws -> (fixture: ChainFixture, pictures: [String]) {
        let fixture = try ChainFixture(name)
        var pictures: [String] = []
        for (number, end) in [(1, 600), (2, 900)] {
            pictures.append(try fixture.put("picture \(number)"))
            try fixture.grow(to: end)
            _ = try fixture.increment("inc\(number)", onto: number == 1 ? "full" : "inc1")
        }
        return (fixture, pictures)
    }

    var folder: AuditedFolder { get throws { try AuditedFolder(data.path) } }

    /// Appends the history's events up to a position.
    func grow(to end: Int) throws {
        let log = try data.log()
        try log.append(facts[Int(log.head.rawValue)..<end], with: try log.appender())
        try log.close()
    }

    func put(_ text: String) throws -> String {
        let name = SHA256.hash(data: Data(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let folder = data.path + "/blobs/" + name.prefix(2)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
        return name
    }

    /// Replaces the full backup with a new backup of the data folder's present state.
    func renewFull() throws {
        try FileManager.default.removeItem(atPath: place + "/full")
        _ = try Backup(of: folder, to: place + "/full").run()
    }

    func increment(_ name: String, onto parent: String) throws -> Backup.Summary? {
        try Increment(of: folder, onto: place + "/" + parent, to: place + "/" + name).run().summary
    }

    func restore(_ name: String, to target: String) throws -> Restore.Outcome {
        try ChainRestore(from: place + "/" + name, to: target, options: Self.options).run()
    }

    func list(verifying: Bool = false) throws -> BackupList { try BackupList(of: folder, in: place, verifying: verifying) }

    /// Replaces a part of an increment's description, and gives the changed description a right digest.
    func rewrite(_ name: String, _ pattern: String, with replacement: String) throws {
        let file = URL(fileURLWithPath: "\(place)/\(name)/increment")
        let line = try #require(String(contentsOf: file, encoding: .utf8).split(separator: "\n").first)
        let changed = String(line).replacing(try Regex(pattern), with: replacement)
        #expect(changed != line)
        let digest = SHA256.hash(data: Data(changed.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try Data("\(changed)\nsha256 \(digest)\n".utf8).write(to: file)
    }

    /// Flips a bit in the middle of a file of a backup.
    func flip(_ path: String) throws {
        let file = URL(fileURLWithPath: place + "/" + path)
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: file)
    }
}

extension BackupShelf {
    func newest(of folder: AuditedFolder, sentBy delivery: Delivery? = nil) throws -> String? {
        newest(in: try list(of: folder), sentBy: delivery)
    }
}

extension TestData {
    /// Makes a file for each picture that shops and campaigns show. Random histories name pictures that nobody sent.
    ///
    /// - Returns: the paths of the files.
    @discardableResult
    func putShownPictures() throws -> [String] {
        let log = try log()
        defer { try? log.close() }
        return try ShownPictures(of: log).images.sorted().map { image in
            let digits = String(image.value, radix: 16)
            let id = String(repeating: "0", count: 32 - digits.count) + digits
            let digest = SHA256.hash(data: Data(id.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let folder = path + "/blobs/" + id.prefix(2)
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(id.utf8).write(to: URL(fileURLWithPath: folder + "/" + id + digest))
            return folder + "/" + id + digest
        }
    }
}
