/// What an event remembers of the request that caused it, so that a repeated request finds its first answer.
public struct RequestMark: Hashable, Sendable {
    /// Keyed hash of account and idempotency key: the same for every try of one request. Indexed.
    public let request: UInt128
    /// Keyed hash of what was asked: another content under the same key is a mistake of the client, not a repetition.
    public let digest: UInt128

    /// Joins the two hashes; `Keys.mark` makes them.
    public init(request: UInt128, digest: UInt128) {
        self.request = request
        self.digest = digest
    }
}
