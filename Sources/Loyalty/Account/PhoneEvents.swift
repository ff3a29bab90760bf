/// An account has another phone number from now on. Either its holder proved to have both numbers, or a change that an operator requested
/// took effect.
public struct PhoneChanged: Hashable, Sendable {
    public let account: AccountID
    /// The new number. It is sealed, and the event has no hash of it. So the log does not reveal that two accounts have had the same
    /// number.
    public let sealedPhone: Sealed

    public init(account: AccountID, sealedPhone: Sealed) {
        self.account = account
        self.sealedPhone = sealedPhone
    }
}

/// An operator requested another phone number for an account whose holder lost the present number.
public struct PhoneChangeRequested: Hashable, Sendable {
    public let account: AccountID
    /// The new number, sealed under the account's key.
    public let sealedPhone: Sealed
    public let reason: TypedText
    /// The moment at which the new number replaces the present one. Until then the account's holder can object to it.
    public let holdsAt: Instant

    public init(account: AccountID, sealedPhone: Sealed, reason: TypedText, holdsAt: Instant) {
        self.account = account
        self.sealedPhone = sealedPhone
        self.reason = reason
        self.holdsAt = holdsAt
    }
}

/// The holder of an account objected to the number that an operator requested.
public struct PhoneChangeEnded: Hashable, Sendable {
    public let account: AccountID

    public init(account: AccountID) {
        self.account = account
    }
}

/// A number that an account will get at a later moment, unless its holder objects.
public struct ComingPhone: Hashable, Sendable {
    public let sealedPhone: Sealed
    public let holdsAt: Instant

    public init(sealedPhone: Sealed, holdsAt: Instant) {
        self.sealedPhone = sealedPhone
        self.holdsAt = holdsAt
    }

    /// Whether the number is in force at `now`, even if no event has recorded that yet.
    public func holds(at now: Instant) -> Bool { holdsAt <= now }
}

extension Account {
    /// The account's phone number in force at `now`. Time alone decides whether a requested number has replaced the present number.
    public func sealedPhone(at now: Instant) -> Sealed {
        comingPhone.flatMap { $0.holds(at: now) ? $0.sealedPhone : nil } ?? sealedPhone
    }
}
