/// Why no stream is opened.
public enum LiveRefusal: Error, Hashable, Sendable {
    /// The account has as many as it may.
    case tooManyOfAccount
    /// The service has as many as it can serve.
    case tooMany
    /// The stream is to begin behind the log's head.
    case beyondHead
}
