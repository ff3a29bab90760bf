/// A person signed in for the first time.
public struct AccountRegistered: Hashable, Sendable {
    public let account: AccountID
    /// Keyed hash that identifies the registration, so that a repeated registration changes nothing. It is made from the account's id; in
    /// older logs it is made from the phone number.
    public let phone: Secret
    public let sealedPhone: Sealed

    public init(account: AccountID, phone: Secret, sealedPhone: Sealed) {
        self.account = account
        self.phone = phone
        self.sealedPhone = sealedPhone
    }
}

/// A person changed their profile. The event contains every field of the profile; in logs of older releases it contains only the changed
/// fields.
public struct ProfileEdited: Hashable, Sendable {
    public let account: AccountID
    public let change: ProfileChange

    public init(account: AccountID, change: ProfileChange) {
        self.account = account
        self.change = change
    }
}

/// A person set a password, or replaced their present password.
///
/// The log holds a slow hash with its salt, sealed under the account's data key. A reader of the log alone cannot test guesses of the
/// password. A reader who also has the master key must compute the slow hash for each guess. After the account is erased, no reader can
/// test guesses.
public struct PasswordSet: Hashable, Sendable {
    public let account: AccountID
    public let sealedHash: Sealed

    public init(account: AccountID, sealedHash: Sealed) {
        self.account = account
        self.sealedHash = sealedHash
    }
}

/// A person removed their password, and from now on signs in by text message alone.
public struct PasswordRemoved: Hashable, Sendable {
    public let account: AccountID

    public init(account: AccountID) {
        self.account = account
    }
}

/// An account was erased. The event certifies that the account's sealed data can no longer be read.
///
/// The account's data key is destroyed once this event is durable. The account's cards, stamps and ratings stay, but without a name.
public struct AccountErased: Hashable, Sendable {
    public let account: AccountID

    public init(account: AccountID) {
        self.account = account
    }
}
