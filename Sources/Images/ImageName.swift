public import Loyalty

/// The name of a picture's file: its id and the SHA-256 of its bytes, as 32 and 64 hexadecimal digits.
///
/// The id is a keyed hash of the account that sent the picture and of the bytes. By computing the id again, the service checks without a
/// table whether an account may refer to a picture. The same bytes from two accounts are two files.
///
/// Older versions of the program named a file only by its digest, and used the first half of the digest as the picture's id. So the sender
/// of such a picture is not known. Shops, campaigns and profiles that already refer to it continue to show it, but new requests cannot
/// refer to it. Apart from an operator, only an account that is the only one to show such a picture can remove it.
public struct ImageName: Hashable, Sendable {
    static let idDigits = 32
    static let digestDigits = 64

    public let id: ImageID
    /// The first half of the digest, which is the same for equal bytes from different senders.
    public let content: ImageID
    /// The second half of the digest. The parts of the name are stored as numbers to save memory, because ``PictureNames`` has a name for
    /// each picture.
    private let rest: UInt128
    /// Whether the id is derived from the picture's sender. If not, the file is from an older version, and several accounts may show the
    /// same picture.
    public let hasSender: Bool

    /// The name of the file as text.
    var text: String { (hasSender ? id.value.hexadecimal : "") + content.value.hexadecimal + rest.hexadecimal }

    /// Creates the name of an uploaded picture.
    init(id: ImageID, digest: [UInt8]) {
        (self.id, content, hasSender) = (id, ImageID(digest: digest), true)
        rest = ImageID(digest: Array(digest.dropFirst(16))).value
    }

    /// Parses a file's name.
    ///
    /// - Returns: nil if the text is not the name of a picture's file.
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

    /// The digest's 32 bytes.
    var digest: [UInt8] {
        [content.value, rest].flatMap { half in (0..<16).map { UInt8(truncatingIfNeeded: half >> (8 * (15 - $0))) } }
    }
}

extension ImageID {
    /// Creates an id from the first half of a picture's digest.
    init(digest: [UInt8]) {
        self.init(digest.prefix(16).reduce(0) { $0 << 8 | UInt128($1) })
    }
}

extension UInt128 {
    /// The number in 32 hexadecimal digits.
    var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}

extension [UInt8] {
    var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// A stored picture.
public struct StoredImage: Hashable, Sendable {
    public let id: ImageID
    /// The width of the stored picture in pixels.
    public let width: Int
    public let height: Int
}
