internal import Audit
internal import Crypto
internal import Foundation
internal import LMDB
internal import Merkle

/// The pictures of a data folder or of a copy of one: `ab/abcd…`. Each name ends with the SHA-256 of the file's bytes, so that a file says
/// itself whether it is whole. Before it stands the picture's id, except in names that older programs made.
struct PictureFolder {
    let path: String

    /// The result of copying pictures.
    struct Copied {
        /// Pictures that the copy has now.
        var names: [String] = []
        var count: Int { names.count }
        /// Names of those that are not what their names say, in order; they were left out.
        var damaged: [String] = []
    }

    /// The names of all pictures, in order; what is no picture, such as a file half written, is none.
    var names: [String] {
        let paths = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return paths.compactMap { $0.split(separator: "/").last.map(String.init) }.filter(Self.isPicture).sorted()
    }

    /// Bytes of all files in it.
    var byteCount: Int { byteCount(of: names) }

    /// Bytes of the files of some pictures.
    func byteCount(of names: [String]) -> Int {
        names.reduce(0) { sum, name in
            sum + ((try? FileManager.default.attributesOfItem(atPath: file(name))[.size]) as? NSNumber ?? 0).intValue
        }
    }

    /// Names of pictures that are not what their names say, in order.
    var damaged: [String] { names.filter { !isWhole($0) } }

    /// Whether a picture is there and what its name says.
    func isWhole(_ name: String) -> Bool { bytes(of: name).map { Self.isWhole($0, as: name) } ?? false }

    /// Copies every whole picture that the other folder does not have whole, and flushes it. A picture that goes meanwhile, because nothing
    /// refers to it any more, is left out.
    ///
    /// - Throws: ``AuditError/Code/output``.
    func copy(to other: PictureFolder) throws(AuditError) -> Copied { try copy(names, to: other) }

    /// Copies some pictures, as ``copy(to:)`` copies all. Of other names, and of pictures that are not there, there is nothing to copy.
    func copy(_ names: [String], to other: PictureFolder) throws(AuditError) -> Copied {
        var copied = Copied()
        for name in names where Self.isPicture(name) {
            guard let bytes = bytes(of: name) else { continue }
            guard Self.isWhole(bytes, as: name) else {
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
            // A crash here leaves a file under another name, which is no picture; the server's next sweep removes it.
            try DurableFile.replace(folder + "/" + name, with: Array(bytes))
            // Without it the picture is only taken for younger, and swept later.
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

    /// An id has 32 digits, a digest 64.
    private static func isPicture(_ name: String) -> Bool {
        [64, 96].contains(name.utf8.count) && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
