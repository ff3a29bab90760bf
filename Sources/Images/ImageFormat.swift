/// The kinds of picture that are taken in and given out.
public enum ImageFormat: String, Hashable, Sendable, CaseIterable {
    case jpeg
    case png
    case webp

    /// The media type (RFC 2046 and IANA's registry).
    public var contentType: String { "image/" + rawValue }

    /// What the first bytes say; nil for anything else, whatever it calls itself.
    init?(_ bytes: [UInt8]) {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if bytes.count >= 16, bytes.starts(with: "RIFF".utf8), bytes[8...].starts(with: "WEBPVP8".utf8) {
            self = .webp
        } else {
            return nil
        }
    }
}
