/// The password that an account has.
public struct AccountPassword: Hashable, Sendable {
    /// Where in the log it was set: names it among all that the account ever had.
    public let position: UInt64
    /// The slow hash and its salt, sealed under the account's key.
    public let sealedHash: Sealed

    public init(position: UInt64, sealedHash: Sealed) {
        self.position = position
        self.sealedHash = sealedHash
    }
}
