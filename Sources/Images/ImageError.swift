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
