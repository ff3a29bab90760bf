/// The keyed hash of something that people type or hold: a stamp code, a redemption code, a phone number, a refresh token.
///
/// The log stores only this. Whoever reads the log can neither spend a code nor call a customer. The key lives outside.
public struct Secret: Hashable, Sendable {
    /// The first 128 bits of the keyed hash.
    public let value: UInt128

    @inlinable
    public init(_ value: UInt128) {
        self.value = value
    }

    /// The lower half alone is hashed: every bit is as good as random.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(UInt64(truncatingIfNeeded: value))
    }
}
