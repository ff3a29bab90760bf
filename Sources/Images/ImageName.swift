public import Loyalty

/// The name of a picture's file: its id, then the SHA-256 of its bytes, 32 and 64 hexadecimal digits.
///
/// The id follows from the sender and the digest, so the file itself tells whether an account has sent it. Files of older programs are
/// named by the digest alone, whose first half is their id: nothing says who sent them.
///
/// A picture's ID is a keyed hash of its sender and its bytes, and its file is named by ID and digest. The service checks whether a request
/// may name a picture by computing the ID again, without a table. The same bytes from two accounts are two files. Files of older programs
/// are named by their digest alone: they stay where they are shown, cannot be named again, and only the account that shows them can take
/// them down.
public struct ImageName: Hashable, Sendable {
    static let idDigits = 32
    static let digestDigits = 64

    public let id: ImageID
    /// The first half of the digest. It is the same for the same bytes of different senders.
    public let content: ImageID
    /// As the file is called.
    let text: String

    /// A name for a picture that was sent.
    init(id: ImageID, digest: [UInt8]) {
        self.id = id
        content = ImageID(digest: digest)
        text = id.value.hexadecimal + digest.hexadecimal
    }

    /// - Returns: nil for what is no picture's name.
    init?(_ text: String) {
        let count = text.utf8.count
        guard count == Self.digestDigits || count == Self.idDigits + Self.digestDigits,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            let id = UInt128(text.prefix(Self.idDigits), radix: 16),
            let content = UInt128(text.suffix(Self.digestDigits).prefix(Self.idDigits), radix: 16)
        else { return nil }
        (self.id, self.content, self.text) = (ImageID(id), ImageID(content), text)
    }

    /// Whether the id follows from who sent the picture; else several accounts may show the same one.
    public var hasSender: Bool { text.utf8.count > Self.digestDigits }

    /// The digest's 32 bytes.
    var digest: [UInt8] {
        var (bytes, high): ([UInt8], UInt8?) = ([], nil)
        for digit in text.utf8.suffix(Self.digestDigits) {
            let value = digit < 0x3a ? digit - 0x30 : digit - 0x57
            if let first = high { bytes.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        return bytes
    }
}

extension ImageID {
    /// The first half of a picture's digest.
    init(digest: [UInt8]) {
        self.init(digest.prefix(16).reduce(0) { $0 << 8 | UInt128($1) })
    }
}

extension UInt128 {
    /// 32 digits.
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

/// A picture that is kept.
public struct StoredImage: Hashable, Sendable {
    public let id: ImageID
    /// In pixels, as it is kept.
    public let width: Int
    public let height: Int
}

/// A picture or a thumbnail of it, as a file.
public struct ShownImage: Hashable, Sendable {
    public let format: ImageFormat
    public let bytes: [UInt8]
    /// Names these very bytes: the picture's file and, of a thumbnail, its width.
    public let tag: String
    /// The picture's.
    public let name: ImageName
}
