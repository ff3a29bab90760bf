/// A format in which pictures are accepted and served.
public enum ImageFormat: String, Hashable, Sendable, CaseIterable {
    case jpeg
    case png
    case webp

    /// The media type (RFC 2046).
    public var contentType: String { "image/" + rawValue }

    static let startBytes = 16

    /// Finds the format from a file's first ``startBytes`` bytes.
    init?(_ bytes: [UInt8]) {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if bytes.count >= Self.startBytes, bytes.starts(with: "RIFF".utf8), bytes[8...].starts(with: "WEBPVP8".utf8) {
            self = .webp
        } else {
            return nil
        }
    }
}

/// The reason why a picture is rejected.
public enum ImageError: Error, Hashable, Sendable {
    case unsupported
    case tooLarge
    /// An operator has forbidden these bytes.
    case takenDown
    /// A retry may succeed.
    case busy
    /// The disk, a child process or a library failed; the text is for operators.
    case failed(String)
}
