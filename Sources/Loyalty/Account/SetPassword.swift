/// Give the actor a password, or another one, and sign out everywhere else.
public struct SetPassword: Hashable, Sendable {
    public let sealedHash: Sealed
    /// The position of the password that the actor has shown to know; `nil` where they have none. It was checked outside the
    /// decision, since a slow hash must not hold up the writer.
    public let replacing: UInt64?
    /// The session that goes on: the one that this was asked through.
    public let keeping: SessionID?

    public init(sealedHash: Sealed, replacing: UInt64?, keeping: SessionID?) {
        self.sealedHash = sealedHash
        self.replacing = replacing
        self.keeping = keeping
    }
}
