/// An account has another phone number from now on. Its holder proved to have both numbers, or a change that an operator asked for held.
public struct PhoneChanged: Hashable, Sendable {
    public let account: AccountID
    /// The new number. The log tells no two accounts that ever had one number: the number is sealed, and no hash of it is here.
    public let sealedPhone: Sealed

    public init(account: AccountID, sealedPhone: Sealed) {
        self.account = account
        self.sealedPhone = sealedPhone
    }
}

/// An operator asked for another phone number of an account whose holder lost the present one.
public struct PhoneChangeRequested: Hashable, Sendable {
    public let account: AccountID
    /// Under the account's key, as the number in force.
    public let sealedPhone: Sealed
    public let reason: TypedText
    /// The account keeps its number until then, so that its holder can object.
    public let holdsAt: Instant

    public init(account: AccountID, sealedPhone: Sealed, reason: TypedText, holdsAt: Instant) {
        self.account = account
        self.sealedPhone = sealedPhone
        self.reason = reason
        self.holdsAt = holdsAt
    }
}

/// The holder of an account objected to the number that an operator asked for.
public struct PhoneChangeEnded: Hashable, Sendable {
    public let account: AccountID

    public init(account: AccountID) {
        self.account = account
    }
}

/// A number that an account gets at a time to come, unless its holder objects.
public struct ComingPhone: Hashable, Sendable {
    public let sealedPhone: Sealed
    public let holdsAt: Instant

    public init(sealedPhone: Sealed, holdsAt: Instant) {
        self.sealedPhone = sealedPhone
        self.holdsAt = holdsAt
    }

    /// Whether the number is the account's, recorded or not.
    public func holds(at now: Instant) -> Bool { holdsAt <= now }
}

extension Account {
    /// The number in force at a time, which alone decides when a coming number replaces the present one.
    public func sealedPhone(at now: Instant) -> Sealed {
        comingPhone.flatMap { $0.holds(at: now) ? $0.sealedPhone : nil } ?? sealedPhone
    }
}
