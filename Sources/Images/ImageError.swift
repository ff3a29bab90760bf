/// Why a picture is not taken.
public enum ImageError: Error, Hashable, Sendable {
    /// It is no JPEG, PNG or WebP, or none that can be decoded.
    case unsupported
    /// It has more pixels, or bytes, than are decoded here.
    case tooLarge
    /// Others wait already.
    case busy
    /// The disk failed, or memory ran out. The text is for the log.
    case failed(String)
}
