internal import Foundation
public import Loyalty

/// The name of a picture's file: its id and the SHA-256 of its bytes, in hexadecimal. The id is a keyed hash of sender and bytes, so a
/// sender is checked without a table. A file of an older version is named by its digest alone, whose first half is the id. It stays
/// visible, but no new request can refer to it.
public struct ImageName: Hashable, Sendable {
    static let idDigits = 32
    static let digestDigits = 64

    public let id: ImageID
    /// Equal for equal bytes from different senders.
    public let content: ImageID
    private let rest: UInt128
    /// False for a file of an older version.
    public let hasSender: Bool

    var text: String { (hasSender ? id.value.hexadecimal : "") + content.value.hexadecimal + rest.hexadecimal }

    init(id: ImageID, digest: [UInt8]) {
        (self.id, content, hasSender) = (id, ImageID(digest: digest), true)
        rest = ImageID(digest: Array(digest.dropFirst(16))).value
    }

    /// The name of a file of an older version.
    init(older digest: [UInt8]) {
        (id, content, hasSender) = (ImageID(digest: digest), ImageID(digest: digest), false)
        rest = ImageID(digest: Array(digest.dropFirst(16))).value
    }

    init?(_ text: String) {
        let count = text.utf8.count
        guard count == Self.digestDigits || count == Self.idDigits + Self.digestDigits,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            let id = UInt128(text.prefix(Self.idDigits), radix: 16),
            let content = UInt128(text.suffix(Self.digestDigits).prefix(Self.idDigits), radix: 16),
            let rest = UInt128(text.suffix(Self.idDigits), radix: 16)
        else { return nil }
        (self.id, self.content, self.rest, hasSender) = (ImageID(id), ImageID(content), rest, count > Self.digestDigits)
    }

    var digest: [UInt8] { [content.value, rest].flatMap { half in (0..<16).map { UInt8(truncatingIfNeeded: half >> (8 * (15 - $0))) } } }
}

extension ImageID {
    init(digest: [UInt8]) { self.init(digest.prefix(16).reduce(0) { $0 << 8 | UInt128($1) }) }
}

extension UInt128 {
    var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}

/// A stored picture, with its size in pixels.
public struct StoredImage: Hashable, Sendable {
    public let id: ImageID
    public let width: Int
    public let height: Int
}

/// The names of pictures by folder, cached because a look-up has only the id, the first part of a file's name.
///
/// Code that adds or removes a file MUST call ``forget(_:)`` afterwards, so that the folder is listed again.
struct PictureNames {
    private var folders: [String: [ImageID: ImageName]] = [:]
    private(set) var listings = 0

    /// A failed listing is not remembered, because its cause may be temporary.
    mutating func name(of id: ImageID, in folder: String) -> ImageName? {
        if let known = folders[folder] { return known[id] }
        guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return nil }
        listings += 1
        let names = Dictionary(files.sorted().compactMap { ImageName($0) }.map { ($0.id, $0) }) { first, _ in first }
        folders[folder] = names
        return names[id]
    }

    mutating func forget(_ folder: String) { folders[folder] = nil }
}
