/// A shop (店铺).
public struct Shop: Hashable, Sendable {
    public let id: ShopID
    public let owner: AccountID
    public var staff: Set<AccountID>
    public var name: String
    public var phone: String
    public var address: String
    public var location: Coordinate
    public let openedAt: Instant

    public init(
        id: ShopID,
        owner: AccountID,
        staff: Set<AccountID>,
        name: String,
        phone: String,
        address: String,
        location: Coordinate,
        openedAt: Instant
    ) {
        self.id = id
        self.owner = owner
        self.staff = staff
        self.name = name
        self.phone = phone
        self.address = address
        self.location = location
        self.openedAt = openedAt
    }
}
