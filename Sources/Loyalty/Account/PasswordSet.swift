/// A person set a password, or replaced the one they had.
///
/// What the log holds is a slow hash with its salt, sealed under the account's own key: a reader of the log cannot even begin to
/// guess, one who has the master key too pays the slow hash for each guess, and erasing the account ends both.
public struct PasswordSet: Hashable, Sendable {
    public let account: AccountID
    public let sealedHash: Sealed

    public init(account: AccountID, sealedHash: Sealed) {
        self.account = account
        self.sealedHash = sealedHash
    }
}

/// A person has no password any more and signs in by text message alone.
public struct PasswordRemoved: Hashable, Sendable {
    public let account: AccountID

    public init(account: AccountID) {
        self.account = account
    }
}
