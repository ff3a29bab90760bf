/// A person (用户). A merchant is an account that owns a shop.
public struct Account: Hashable, Sendable {
    public let id: AccountID
    public var phone: Secret
    public var sealedPhone: Sealed
    public let registeredAt: Instant
    public var profile = Profile()
    /// The present password; `nil` for an account that signs in by text message alone.
    public var password: AccountPassword?
    /// The log position of the last event that changed the profile, the phone number or the requested phone number, for `ETag` and
    /// `If-Match`.
    public var version: UInt64
    /// The phone number that an operator requested. It is `nil` again once an event records that it has become the account's number, that
    /// the holder has objected, or that the holder has changed the number.
    public var comingPhone: ComingPhone?
    /// Whether an operator has suspended the account: its sessions have ended, and its holder cannot sign in. Of the commands
    /// that cause events, only those that end sessions, erase the account or complete a phone change are accepted from the account.
    public var isSuspended = false
    /// Whether the account was erased: nobody can sign in to it or give commands as it any more, and its data key is destroyed.
    public var isErased = false

    public init(id: AccountID, phone: Secret, sealedPhone: Sealed, registeredAt: Instant, version: UInt64) {
        self.id = id
        self.phone = phone
        self.sealedPhone = sealedPhone
        self.registeredAt = registeredAt
        self.version = version
    }
}

extension Account {
    public init?(opening fact: Fact) {
        guard case .accountRegistered(let event) = fact.event else { return nil }
        self.init(
            id: event.account, phone: event.phone, sealedPhone: event.sealedPhone, registeredAt: fact.time, version: fact.position)
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .profileEdited(let event) where event.account == id:
            profile = event.change.applied(to: profile)
            version = fact.position
        case .passwordSet(let event) where event.account == id:
            password = AccountPassword(position: fact.position, sealedHash: event.sealedHash)
        case .passwordRemoved(let event) where event.account == id:
            password = nil
        case .phoneChanged(let event) where event.account == id:
            (sealedPhone, comingPhone) = (event.sealedPhone, nil)
            version = fact.position
        case .phoneChangeRequested(let event) where event.account == id:
            comingPhone = ComingPhone(sealedPhone: event.sealedPhone, holdsAt: event.holdsAt)
            version = fact.position
        case .phoneChangeEnded(let event) where event.account == id:
            comingPhone = nil
            version = fact.position
        case .accountSuspended(let event) where event.account == id:
            isSuspended = true
        case .accountReinstated(let event) where event.account == id:
            isSuspended = false
        case .accountErased(let event) where event.account == id:
            isErased = true
        default:
            break
        }
    }
}

/// The present password of an account.
public struct AccountPassword: Hashable, Sendable {
    /// The position of the event that set the password. It distinguishes this password from the account's earlier passwords.
    public let position: UInt64
    /// The slow hash of the password and its salt, sealed under the account's data key.
    public let sealedHash: Sealed

    public init(position: UInt64, sealedHash: Sealed) {
        self.position = position
        self.sealedHash = sealedHash
    }
}
