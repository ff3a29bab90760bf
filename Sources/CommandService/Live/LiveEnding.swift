/// Why a stream ended.
public enum LiveEnding: Hashable, Sendable {
    /// The access token is over; its holder refreshes it and comes again.
    case expired
    /// Its session has ended.
    case signedOut
    /// The service is stopping, or can not read its log.
    case stopping
    /// Nobody is there to read.
    case gone
}
