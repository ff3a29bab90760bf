/// The formats in which pictures are accepted and served.
public enum ImageFormat: String, Hashable, Sendable, CaseIterable {
    case jpeg
    case png
    case webp

    /// The format's media type (RFC 2046 and IANA's registry).
    public var contentType: String { "image/" + rawValue }

    /// The number of bytes at a file's start that show its format.
    static let startBytes = 16

    /// Finds the format from a file's first ``startBytes`` bytes or more; nil if it is none of these formats.
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
    /// The file is not a JPEG, PNG or WebP, or cannot be decoded.
    case unsupported
    /// The picture has too many pixels or bytes, or its file has too many scans, or decoding takes too much memory or processor time.
    case tooLarge
    /// An operator has removed a picture with the same stored bytes, and forbidden it.
    case takenDown
    /// Too many other jobs are waiting, the machine has too little free processor time or memory, or the service is closing. A retry may
    /// succeed.
    case busy
    /// The disk or a child process failed, or a library is missing. The text is for the operator's log.
    case failed(String)
}
