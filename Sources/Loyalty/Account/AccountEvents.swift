/// A person signed in for the first time.
public struct AccountRegistered: Hashable, Sendable {
    public let account: AccountID
    /// Keyed hash by which the account is found again.
    public let phone: Secret
    public let sealedPhone: Sealed

    public init(account: AccountID, phone: Secret, sealedPhone: Sealed) {
        self.account = account
        self.phone = phone
        self.sealedPhone = sealedPhone
    }
}

/// A person changed what they say of themselves. Edits say every field; those of older logs say only what they change.
public struct ProfileEdited: Hashable, Sendable {
    public let account: AccountID
    public let change: ProfileChange

    public init(account: AccountID, change: ProfileChange) {
        self.account = account
        self.change = change
    }
}

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

/// An account was erased: the certificate that from here on its sealed data is unreadable.
///
/// The account's key is destroyed after this event is durable. Its cards, stamps and ratings stay, without a name.
public struct AccountErased: Hashable, Sendable {
    public let account: AccountID

    public init(account: AccountID) {
        self.account = account
    }
}
