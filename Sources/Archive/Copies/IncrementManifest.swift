internal import Audit
internal import Crypto
internal import Foundation
internal import Merkle

/// The description of an increment, which is stored in the increment's file `increment`: the positions at its beginning and end, and a
/// digest of each file.
///
/// The file has one line of JSON, then `sha256 ` and the digest of that line. With that digest, a reader can tell damage in the description
/// from damage in a file that it describes.
struct IncrementManifest: Codable, Hashable {
    /// A file's size and digest.
    struct File: Codable, Hashable {
        let bytes: Int
        let sha256: String
    }

    static let fileName = "increment"
    static let eventsName = "events"
    private static let formatName = "greentea-increment"
    private static let versionNumber = 1
    private static let trailer = "sha256 "
    /// The maximum total size of the files of an increment, in bytes. No increment is expected to be larger, and with this limit, sums over
    /// the links of a chain cannot overflow.
    private static let bytesMax = 1 << 44

    private(set) var format = Self.formatName
    private(set) var version = Self.versionNumber
    /// The name of the parent's folder, which is in the same folder as this increment.
    let parent: String
    /// The last position in the parent backup, and the tree's root at that position.
    let after: UInt64
    let afterRoot: String
    /// The last position of this increment, and the tree's root at that position.
    let through: UInt64
    let root: String
    /// The newest event's time in microseconds since 1970; nil if the log is empty.
    let newest: Int64?
    /// The size and digest of each file by the file's name: the events, the checkpoint and the checkpoint's verifier key.
    let files: [String: File]
    /// Names of the pictures in this increment, in order.
    let pictures: [String]
    /// Names of all pictures that existed when the increment was made and that the chain contains, in order. The files of most of them are
    /// in earlier backups of the chain. Nil if an older version of GreenTea made the increment.
    let allPictures: [String]?

    init(
        parent: String, after: (position: UInt64, root: NodeHash), through: (position: UInt64, root: NodeHash), newest: Int64?,
        files: [String: File], pictures: [String], allPictures: [String]
    ) {
        (self.parent, self.after, afterRoot) = (parent, after.position, after.root.hex)
        (self.through, root, self.newest) = (through.position, through.root.hex, newest)
        (self.files, self.pictures, self.allPictures) = (files, pictures, allPictures)
    }

    /// The total size of ``files`` in bytes. It includes neither the pictures nor the description.
    var byteCount: Int { files.values.reduce(0) { $0 + $1.bytes } }

    /// Whether the description's numbers are so small that their sums and differences cannot overflow.
    private var isPossible: Bool {
        var rest = Self.bytesMax
        for file in files.values {
            guard (0...rest).contains(file.bytes) else { return false }
            rest -= file.bytes
        }
        return after <= through && through <= MerkleLimits.sizeMax
    }

    /// Whether a folder is an increment: it contains a description, even an invalid one, or a file of events.
    static func isThere(in folder: String) -> Bool {
        [fileName, eventsName].contains { FileManager.default.fileExists(atPath: folder + "/" + $0) }
    }

    /// Reads a folder's description.
    ///
    /// - Throws: ``LinkFault``.
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

    /// Compares the sizes of the files in a folder with the description, without reading them.
    func requireSizes(in folder: String) throws(LinkFault) {
        for (name, file) in files.sorted(by: { $0.key < $1.key }) {
            let size = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.size] as? NSNumber
            guard let size else { throw LinkFault(folder, .damaged("its file \(name) is missing or cannot be read")) }
            guard size.intValue == file.bytes else { throw LinkFault(folder, .damaged("its file \(name) was changed or cut short")) }
        }
    }

    /// The content of the file with the description.
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

    /// Computes the size and digest of the file at a path; nil if the file is missing or cannot be read.
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

/// The reason why one backup of a chain cannot be used.
struct LinkFault: Error, Hashable {
    enum Reason: Hashable {
        case missing(String)
        case damaged(String)
    }

    /// The folder of the link.
    let path: String
    let reason: Reason

    init(_ path: String, _ reason: Reason) { (self.path, self.reason) = (path, reason) }

    /// The fault as a clause that can continue a sentence.
    var text: String {
        switch reason {
        case .missing(let what): "\(path) is missing: \(what)"
        case .damaged(let what): "\(path) is damaged: \(what)"
        }
    }

    /// The reason without the path, with a full stop at its end.
    var clause: String {
        switch reason {
        case .missing(let what), .damaged(let what): what + "."
        }
    }

    var code: AuditError.Code { if case .missing = reason { .missing } else { .damaged } }
}
