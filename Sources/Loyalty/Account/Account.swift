/// A person (用户). A merchant is an account that owns a shop.
public struct Account: Hashable, Sendable {
    public let id: AccountID
    public var phone: Secret
    public var sealedPhone: Sealed
    public let registeredAt: Instant
    public var profile = Profile()
    public var password: AccountPassword?
    /// For `ETag` and `If-Match`.
    public var version: UInt64
    /// Requested by an operator; pending until it takes effect, or the holder objects to it or changes the number.
    public var comingPhone: ComingPhone?
    /// Suspension ends the account's sessions and prevents sign-in.
    public var isSuspended = false
    /// Erasure destroys the account's data key and prevents sign-in.
    public var isErased = false

    public init(id: AccountID, phone: Secret, sealedPhone: Sealed, registeredAt: Instant, version: UInt64) {
        (self.id, self.phone, self.sealedPhone, self.registeredAt, self.version) = (id, phone, sealedPhone, registeredAt, version)
    }
}

extension Account {
    public init?(opening fact: Fact) {
        guard case .accountRegistered(let event) = fact.event else { return nil }
        self.init(id: event.account, phone: event.phone, sealedPhone: event.sealedPhone, registeredAt: fact.time, version: fact.position)
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .profileEdited(let event) where event.account == id:
            profile = event.change.applied(to: profile)
            version = fact.position
        case .passwordSet(let event) where event.account == id:
            password = AccountPassword(position: fact.position, sealedHash: event.sealedHash)
        case .passwordRemoved(let event) where event.account == id: password = nil
        case .phoneChanged(let event) where event.account == id:
            (sealedPhone, comingPhone) = (event.sealedPhone, nil)
            version = fact.position
        case .phoneChangeRequested(let event) where event.account == id:
            comingPhone = ComingPhone(sealedPhone: event.sealedPhone, holdsAt: event.holdsAt)
            version = fact.position
        case .phoneChangeEnded(let event) where event.account == id:
            comingPhone = nil
            version = fact.position
        case .accountSuspended(let event) where event.account == id: isSuspended = true
        case .accountReinstated(let event) where event.account == id: isSuspended = false
        case .accountErased(let event) where event.account == id: isErased = true
        default: break
        }
    }
}

/// The present password of an account.
public struct AccountPassword: Hashable, Sendable {
    public let position: UInt64
    /// Includes the salt.
    public let sealedHash: Sealed

    public init(position: UInt64, sealedHash: Sealed) { (self.position, self.sealedHash) = (position, sealedHash) }
}
