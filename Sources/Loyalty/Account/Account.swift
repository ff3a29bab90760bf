/// A person (用户). A merchant is an account that owns a shop.
public struct Account: Hashable, Sendable {
    public let id: AccountID
    public var phone: Secret
    public var sealedPhone: Sealed
    public let registeredAt: Instant
    public var profile = Profile()
    /// `nil` for who signs in by text message alone.
    public var password: AccountPassword?
    /// Position of the last event that changed what the person sees of themselves.
    public var version: UInt64
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
