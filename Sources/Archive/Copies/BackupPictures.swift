internal import Audit
internal import Crypto
internal import Foundation
internal import Merkle

/// The list of a full backup's pictures, by which a missing picture is detected. Increments list theirs in ``IncrementManifest``.
///
/// Format of the file `pictures`: the line `greentea-pictures 1`, a line with size and name for each picture, then `sha256 ` and the digest
/// of the lines before.
struct BackupPictures: Hashable {
    static let fileName = "pictures"
    private static let head = "greentea-pictures 1"
    private static let trailer = "sha256 "

    let sizes: [String: Int]

    init(of names: [String], in folder: PictureFolder) {
        sizes = Dictionary(names.map { ($0, folder.byteCount(of: [$0])) }) { first, _ in first }
    }

    /// Nil if the backup has no list, because an older version of GreenTea made it.
    ///
    /// - Throws: ``LinkFault``.
    init?(in backup: String) throws(LinkFault) {
        let path = backup + "/" + Self.fileName
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let fault = LinkFault(backup, .lacksPicture("its list of pictures was changed or cut short, or cannot be read"))
        guard let bytes = FileManager.default.contents(atPath: path) else { throw fault }
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 3, lines.removeLast().isEmpty, let last = lines.popLast(), lines.first.map(String.init) == Self.head,
            last == Self.trailer + Self.digest(of: lines.map(String.init))
        else { throw fault }
        var sizes: [String: Int] = [:]
        for line in lines.dropFirst() {
            let words = line.split(separator: " ")
            guard words.count == 2, let size = Int(words[0]) else { throw fault }
            sizes[String(words[1])] = size
        }
        self.sizes = sizes
    }

    func bytes() -> [UInt8] {
        let lines = [Self.head] + sizes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return Array((lines + [Self.trailer + Self.digest(of: lines)]).map { $0 + "\n" }.joined().utf8)
    }

    private static func digest(of lines: [String]) -> String {
        Hexadecimal.text(SHA256.hash(data: Data(lines.map { $0 + "\n" }.joined().utf8)))
    }
}

extension PictureFolder {
    /// Requires that all listed pictures exist, and that all existing pictures match their digests.
    ///
    /// - Returns: whether the backup has a list. Without a list, a missing picture is not detected.
    /// - Throws: ``LinkFault``.
    func requireWhole(of backup: String) throws(LinkFault) -> Bool {
        let list = try BackupPictures(in: backup)
        let present: [String]
        do throws(AuditError) { present = try names } catch { throw LinkFault(backup, .damaged(error.detail)) }
        if let list {
            let gone = Set(list.sizes.keys).subtracting(present).sorted()
            if let first = gone.first {
                let others = gone.count > 1 ? " and \(gone.count - 1) others are" : " is"
                throw LinkFault(backup, .lacksPicture("its picture \(first)\(others) gone; `restore` goes on without"))
            }
        }
        for name in present where !isWhole(name) {
            throw LinkFault(backup, .lacksPicture("its picture \(name) was changed or cannot be read; `restore` goes on without"))
        }
        return list != nil
    }
}
