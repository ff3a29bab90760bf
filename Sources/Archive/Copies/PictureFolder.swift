internal import Audit
internal import Crypto
internal import EventLog
internal import Foundation
internal import LMDB
internal import Merkle

/// The pictures of a data folder or of a copy of one, at paths like `ab/abcd…`. Each name ends with the SHA-256 of the file's bytes, so
/// each file can be checked by its name. Before the digest is the picture's id, except in names from older versions of GreenTea.
struct PictureFolder {
    let path: String

    /// The result of copying pictures.
    struct Copied {
        /// Names of the pictures that were copied, or that the target folder already had.
        var names: [String] = []
        var count: Int { names.count }
        /// Names of the pictures that cannot be read or do not match their digests, in order. They were not copied.
        var damaged: [String] = []
    }

    /// The names of all pictures, in order. Other files, such as incomplete ones, are left out. The folder and its subfolders may be
    /// symbolic links.
    ///
    /// - Throws: ``AuditError/Code/input`` if one of these folders cannot be listed. Without this error, the pictures in it would seem to
    ///   be removed.
    var names: [String] {
        get throws(AuditError) {
            var names: [String] = []
            for shard in try Self.entries(of: path) where Self.isShard(shard) {
                names += try Self.entries(of: path + "/" + shard).filter { $0.hasPrefix(shard) && Self.isPicture($0) }
            }
            return names.sorted()
        }
    }

    /// The names of a folder's entries; empty if the folder does not exist.
    private static func entries(of path: String) throws(AuditError) -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: path) } catch {
            guard !isGone(path) else { return [] }
            let fault = FileFault(error)
            throw AuditError(.input, "the pictures in \(path) cannot be listed: \(fault).", remedy: fault.remedy)
        }
    }

    /// Whether no file exists at a path, not even a symbolic link whose target is missing. False if that cannot be determined.
    private static func isGone(_ path: String) -> Bool {
        do { _ = try FileManager.default.attributesOfItem(atPath: path) } catch let error as CocoaError {
            return error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile
        } catch { return false }
        return false
    }

    /// The total size of all pictures in bytes.
    var byteCount: Int { get throws(AuditError) { byteCount(of: try names) } }

    /// The total size of the named pictures in bytes.
    func byteCount(of names: [String]) -> Int {
        names.reduce(0) { $0 + (size(of: $1) ?? 0) }
    }

    /// The size of a picture in bytes; nil if it does not exist.
    func size(of name: String) -> Int? {
        ((try? FileManager.default.attributesOfItem(atPath: file(name))[.size]) as? NSNumber)?.intValue
    }

    /// Names of the pictures that cannot be read or do not match their digests, in order.
    var damaged: [String] { get throws(AuditError) { try names.filter { !isWhole($0) } } }

    /// Whether a picture exists, can be read and matches its digest.
    func isWhole(_ name: String) -> Bool { bytes(of: name).map { Self.isWhole($0, as: name) } ?? false }

    /// Returns, in order, those of the given names whose pictures this folder lacks or has in a damaged form.
    func lacking(_ names: some Sequence<String>) -> [String] { names.filter { !isWhole($0) }.sorted() }

    /// Copies every intact picture that the other folder lacks, and flushes the copy to the disk. A picture that a server removes during
    /// the copying, because nothing refers to it any more, is left out.
    ///
    /// - Throws: ``AuditError/Code/output``; like ``names``.
    func copy(to other: PictureFolder) throws(AuditError) -> Copied { try copy(try names, to: other) }

    /// Copies the named pictures, like ``copy(to:)``. Names that are not of a picture's form, and pictures that do not exist, are ignored.
    func copy(_ names: [String], to other: PictureFolder) throws(AuditError) -> Copied {
        var copied = Copied()
        for name in names where Self.isPicture(name) {
            let bytes = bytes(of: name)
            // A missing file is skipped, because the picture was removed. A file that exists but cannot be read is reported as damaged; the
            // disk, the file's permissions or the limit of open files can be the reason.
            if bytes == nil, Self.isGone(file(name)) { continue }
            guard let bytes, Self.isWhole(bytes, as: name) else {
                copied.damaged.append(name)
                continue
            }
            if !other.isWhole(name) { try other.keep(bytes, as: name, of: time(of: name)) }
            copied.names.append(name)
        }
        return copied
    }

    private func keep(_ bytes: Data, as name: String, of time: Date?) throws(AuditError) {
        do {
            let folder = path + "/" + name.prefix(2)
            try DurableNames.makeFolder(folder)
            // A crash during this call leaves a temporary file, whose name does not have the form of a picture's name. The server's next
            // sweep removes that file.
            try DurableFile.replace(folder + "/" + name, with: Array(bytes))
            // If the modification time cannot be copied, the copied picture seems newer than it is. The only effect is that the server
            // removes it later if nothing refers to it.
            if let time { try? FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: folder + "/" + name) }
        } catch { throw AuditError(writing: path, error) }
    }

    private func file(_ name: String) -> String { "\(path)/\(name.prefix(2))/\(name)" }

    private func time(of name: String) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: file(name)))?[.modificationDate] as? Date
    }

    private func bytes(of name: String) -> Data? { FileManager.default.contents(atPath: file(name)) }

    private static func isWhole(_ bytes: Data, as name: String) -> Bool {
        name.hasSuffix(Hexadecimal.text(SHA256.hash(data: bytes)))
    }

    /// Whether a name is the name of a subfolder for pictures. Such a name consists of two hexadecimal digits, and the names of the
    /// pictures in the subfolder begin with these digits.
    private static func isShard(_ name: String) -> Bool { name.utf8.count == 2 && isDigits(name) }

    /// Whether a name consists of an optional id (32 digits) and a digest (64 digits).
    private static func isPicture(_ name: String) -> Bool {
        [64, 96].contains(name.utf8.count) && isDigits(name)
    }

    /// Whether a name consists of hexadecimal digits only.
    private static func isDigits(_ name: String) -> Bool {
        name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
