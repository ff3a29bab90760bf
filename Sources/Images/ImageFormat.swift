/// The kinds of picture that are taken in and given out.
public enum ImageFormat: String, Hashable, Sendable, CaseIterable {
    case jpeg
    case png
    case webp

    /// The media type (RFC 2046 and IANA's registry).
    public var contentType: String { "image/" + rawValue }

    /// The format, from the first bytes; nil for any other content.
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

/// Why a picture is not taken.
public enum ImageError: Error, Hashable, Sendable {
    /// It is no JPEG, PNG or WebP, or none that can be decoded.
    case unsupported
    /// It has more pixels or bytes than are decoded here, or takes more scans, memory or processor time.
    case tooLarge
    /// An operator has taken the same picture down.
    case takenDown
    /// Other pictures came first, or this machine has no time left for pictures: worth another attempt.
    case busy
    /// The disk failed, or no child process could be started. The text is for the log.
    case failed(String)
}
