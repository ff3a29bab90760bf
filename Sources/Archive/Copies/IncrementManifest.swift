internal import Audit
internal import Crypto
internal import Foundation
internal import Merkle

/// The description of an increment: its first and last positions, and a digest of each file.
///
/// The file `increment` has one line of JSON, then `sha256 ` and that line's digest, which tells a damaged description from a damaged file.
struct IncrementManifest: Codable, Hashable {
    struct File: Codable, Hashable {
        let bytes: Int
        let sha256: String
    }

    static let fileName = "increment"
    static let eventsName = "events"
    private static let formatName = "greentea-increment"
    private static let versionNumber = 1
    private static let trailer = "sha256 "
    /// The maximum total size in bytes, so that sums over a chain cannot overflow.
    private static let bytesMax = 1 << 44

    private(set) var format = Self.formatName
    private(set) var version = Self.versionNumber
    /// The name of the parent's folder, beside this one.
    let parent: String
    /// The parent's last position, and the tree's root there.
    let after: UInt64
    let afterRoot: String
    /// This increment's last position, and the tree's root there.
    let through: UInt64
    let root: String
    /// In microseconds since 1970; nil if the log is empty.
    let newest: Int64?
    /// By file name: the events, the checkpoint and its verifier key.
    let files: [String: File]
    let pictures: [String]
    /// Names of all pictures that the chain contains and that existed then, in order; nil in an older format.
    let allPictures: [String]?

    init(
        parent: String, after: (position: UInt64, root: NodeHash), through: (position: UInt64, root: NodeHash), newest: Int64?,
        files: [String: File], pictures: [String], allPictures: [String]
    ) {
        (self.parent, self.after, afterRoot) = (parent, after.position, after.root.hex)
        (self.through, root, self.newest) = (through.position, through.root.hex, newest)
        (self.files, self.pictures, self.allPictures) = (files, pictures, allPictures)
    }

    /// In bytes, without the pictures and the description.
    var byteCount: Int { files.values.reduce(0) { $0 + $1.bytes } }

    /// Whether sums and differences of the numbers cannot overflow.
    private var isPossible: Bool {
        var rest = Self.bytesMax
        for file in files.values {
            guard (0...rest).contains(file.bytes) else { return false }
            rest -= file.bytes
        }
        return after <= through && through <= MerkleLimits.sizeMax
    }

    /// Even an invalid description counts.
    static func isThere(in folder: String) -> Bool {
        [fileName, eventsName].contains { FileManager.default.fileExists(atPath: folder + "/" + $0) }
    }

    init(in folder: String) throws(LinkFault) {
        guard let data = FileManager.default.contents(atPath: folder + "/" + Self.fileName) else {
            throw LinkFault(folder, .damaged("its file \(Self.fileName) is missing or cannot be read"))
        }
        let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count == 3, lines[2].isEmpty,
            Data(lines[1]) == Data((Self.trailer + Hexadecimal.text(SHA256.hash(data: lines[0]))).utf8)
        else { throw LinkFault(folder, .damaged("its file \(Self.fileName) was changed or cut short")) }
        guard let read = try? JSONDecoder().decode(Self.self, from: lines[0]), read.format == Self.formatName,
            read.version == Self.versionNumber, read.isPossible
        else { throw LinkFault(folder, .damaged("its file \(Self.fileName) is of a form that this version does not know")) }
        self = read
    }

    func requireSizes(in folder: String) throws(LinkFault) {
        for (name, file) in files.sorted(by: { $0.key < $1.key }) {
            guard let size = FileManager.default.number(.size, of: folder + "/" + name) else {
                throw LinkFault(folder, .damaged("its file \(name) is missing or cannot be read"))
            }
            guard size == file.bytes else { throw LinkFault(folder, .damaged("its file \(name) was changed or cut short")) }
        }
    }

    func bytes() throws(AuditError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let line = try encoder.encode(self)
            return Array(line) + Array("\n\(Self.trailer)\(Hexadecimal.text(SHA256.hash(data: line)))\n".utf8)
        } catch { throw AuditError(any: error) }
    }
}

extension IncrementManifest.File {
    private static let pieceBytes = 1 << 20

    init?(at path: String) {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        var (hash, count) = (SHA256(), 0)
        do {
            while let piece = try file.read(upToCount: Self.pieceBytes), !piece.isEmpty {
                hash.update(data: piece)
                count += piece.count
            }
        } catch { return nil }
        self.init(bytes: count, sha256: Hexadecimal.text(hash.finalize()))
    }
}

struct LinkFault: Error, Hashable {
    enum Reason: Hashable {
        case missing(String)
        case damaged(String)
        /// The backup is not the one that its child goes on from, or its checkpoint does not fit. Other chains may use it.
        case unfit(String)
        /// A picture, or the list of pictures, is missing or damaged. The events are not affected, and `restore` goes on without.
        case lacksPicture(String)
    }

    let path: String
    let reason: Reason

    init(_ path: String, _ reason: Reason) { (self.path, self.reason) = (path, reason) }

    /// A clause that can continue a sentence.
    var text: String {
        switch reason {
        case .missing(let what): "\(path) is missing: \(what)"
        case .damaged(let what), .lacksPicture(let what): "\(path) is damaged: \(what)"
        case .unfit(let what): "\(path) \(what)"
        }
    }

    var sentence: String { text.hasSuffix(".") ? text : text + "." }

    var code: AuditError.Code { if case .missing = reason { .missing } else { .damaged } }

    /// Whether a restore gives every event all the same.
    var concernsPicturesOnly: Bool { if case .lacksPicture = reason { true } else { false } }

    /// Whether another chain with the same backup can be whole.
    var isOfOneChain: Bool { if case .unfit = reason { true } else { false } }
}
