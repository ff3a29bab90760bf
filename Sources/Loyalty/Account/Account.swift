/// A person (用户). A merchant is an account that owns a shop.
public struct Account: Hashable, Sendable {
    public let id: AccountID
    public var phone: Secret
    public var sealedPhone: Sealed
    public let registeredAt: Instant
    public var profile = Profile()
    /// `nil` for an account that signs in by text message alone.
    public var password: AccountPassword?
    /// Position of the last event that changed what the person sees of their own account.
    public var version: UInt64
    /// The number that an operator requested; `nil` once it is recorded as the account's number.
    public var comingPhone: ComingPhone?
    /// An operator suspended the account: its sessions have ended, and it cannot sign in or act.
    public var isSuspended = false
    /// Nobody can act as this account any more, and its key is destroyed.
    public var isErased = false

    public init(id: AccountID, phone: Secret, sealedPhone: Sealed, registeredAt: Instant, version: UInt64) {
        self.id = id
        self.phone = phone
        self.sealedPhone = sealedPhone
        self.registeredAt = registeredAt
        self.version = version
    }
}

extension Account: Folded {
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

/// The password that an account has.
public struct AccountPassword: Hashable, Sendable {
    /// The position of the event that set it, which identifies it among all passwords of the account.
    public let position: UInt64
    /// The slow hash and its salt, sealed under the account's key.
    public let sealedHash: Sealed

    public init(position: UInt64, sealedHash: Sealed) {
        self.position = position
        self.sealedHash = sealedHash
    }
}
