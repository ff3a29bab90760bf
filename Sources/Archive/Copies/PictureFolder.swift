internal import Audit
internal import Crypto
internal import EventLog
internal import Foundation
internal import LMDB
internal import Merkle

/// The pictures of a data folder or of a copy of one, at paths like `ab/abcd…`. Each name is an id, absent in older formats, and the
/// SHA-256 of the file's bytes.
struct PictureFolder {
    let path: String

    struct Copied {
        var names: [String] = []
        var count: Int { names.count }
        /// Names of pictures that cannot be read or do not match their digests, in order; they were not copied.
        var damaged: [String] = []
    }

    /// The folder and its subfolders may be symbolic links.
    ///
    /// - Throws: ``AuditError/Code/input`` if a folder cannot be listed.
    var names: [String] {
        get throws(AuditError) {
            var names: [String] = []
            for shard in try Self.entries(of: path) where Self.isShard(shard) {
                names += try Self.entries(of: path + "/" + shard).filter { $0.hasPrefix(shard) && Self.isPicture($0) }
            }
            return names.sorted()
        }
    }

    /// Empty if the folder does not exist.
    private static func entries(of path: String) throws(AuditError) -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: path) } catch {
            guard !isGone(path) else { return [] }
            let fault = FileFault(error)
            throw AuditError(.input, "the pictures in \(path) cannot be listed: \(fault).", remedy: fault.remedy)
        }
    }

    /// Not even a dangling symbolic link. False if that cannot be determined.
    private static func isGone(_ path: String) -> Bool {
        do { _ = try FileManager.default.attributesOfItem(atPath: path) } catch let error as CocoaError {
            return error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile
        } catch { return false }
        return false
    }

    var byteCount: Int { get throws(AuditError) { byteCount(of: try names) } }

    func byteCount(of names: [String]) -> Int { names.reduce(0) { $0 + (size(of: $1) ?? 0) } }

    func size(of name: String) -> Int? { FileManager.default.number(.size, of: file(name)) }

    var damaged: [String] { get throws(AuditError) { try names.filter { !isWhole($0) } } }

    func isWhole(_ name: String) -> Bool { bytes(of: name).map { Self.isWhole($0, as: name) } ?? false }

    func lacking(_ names: some Sequence<String>) -> [String] { names.filter { !isWhole($0) }.sorted() }

    /// Flushes the copy. A picture that a server removes meanwhile is left out.
    ///
    /// - Throws: ``AuditError/Code/output``; like ``names``.
    func copy(to other: PictureFolder) throws(AuditError) -> Copied { try copy(try names, to: other) }

    /// Ignores malformed names and pictures that do not exist.
    func copy(_ names: [String], to other: PictureFolder) throws(AuditError) -> Copied {
        var copied = Copied()
        for name in names where Self.isPicture(name) {
            let bytes = bytes(of: name)
            // A missing file was removed by the server. A file that cannot be read counts as damaged; the disk, permissions or the limit of
            // open files can be the reason.
            if bytes == nil, Self.isGone(file(name)) { continue }
            guard let bytes, Self.isWhole(bytes, as: name) else {
                copied.damaged.append(name)
                continue
            }
            let time: Date? = FileManager.default.attribute(.modificationDate, of: file(name))
            if !other.isWhole(name) { try other.keep(bytes, as: name, of: time) }
            copied.names.append(name)
        }
        return copied
    }

    private func keep(_ bytes: Data, as name: String, of time: Date?) throws(AuditError) {
        do {
            let folder = path + "/" + name.prefix(2)
            try DurableNames.makeFolder(folder)
            // A crash here leaves a temporary file with another form of name, which the server's next sweep removes.
            try DurableFile.replace(folder + "/" + name, with: Array(bytes))
            // Without the modification time, the picture seems newer. The only effect is a later removal once nothing refers to it.
            if let time { try? FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: folder + "/" + name) }
        } catch { throw AuditError(writing: path, error) }
    }

    private func file(_ name: String) -> String { "\(path)/\(name.prefix(2))/\(name)" }

    private func bytes(of name: String) -> Data? { FileManager.default.contents(atPath: file(name)) }

    private static func isWhole(_ bytes: Data, as name: String) -> Bool { name.hasSuffix(Hexadecimal.text(SHA256.hash(data: bytes))) }

    private static func isShard(_ name: String) -> Bool { name.utf8.count == 2 && isDigits(name) }

    private static func isPicture(_ name: String) -> Bool { [64, 96].contains(name.utf8.count) && isDigits(name) }

    private static func isDigits(_ name: String) -> Bool {
        name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
