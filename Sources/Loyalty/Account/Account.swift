/// A person (用户). A merchant is an account that owns a shop.
public struct Account: Hashable, Sendable {
    public let id: AccountID
    public var phone: Secret
    public var sealedPhone: Sealed
    public let registeredAt: Instant

    public init(id: AccountID, phone: Secret, sealedPhone: Sealed, registeredAt: Instant) {
        self.id = id
        self.phone = phone
        self.sealedPhone = sealedPhone
        self.registeredAt = registeredAt
    }
}
