/// What a signature that did verify says.
public struct VerifiedSignature: Hashable, Sendable {
    /// Who signed.
    public let key: VerifierKey
    /// When a witness cosigned, in seconds since 1970 by its own clock; nil for a log's signature, which carries no time.
    public let time: UInt64?
}
