/// A shop (店铺).
public struct Shop: Hashable, Sendable {
    public let id: ShopID
    public let owner: AccountID
    public var staff: Set<AccountID>
    /// Offers to work here that nobody has answered, by the invited account; lapsed ones may be among them.
    public var offers: [AccountID: StaffOffer] = [:]
    /// When those who left lately stopped working here, as long as codes that they issued before it could still be open.
    public var employmentEnds: [AccountID: Instant] = [:]
    public var name: String
    public var phone: String
    public var address: String
    public var location: Coordinate
    /// In the order in which they are shown; each once.
    public var images: [ImageID]
    /// Whether an operator has closed its counter: meanwhile full cards are redeemed there, and nothing else happens.
    public var isSuspended: Bool
    public let openedAt: Instant
    /// Position of the last event that changed what its owner can edit, for `ETag` and `If-Match`.
    public var version: UInt64

    public init(
        id: ShopID,
        owner: AccountID,
        staff: Set<AccountID>,
        name: String,
        phone: String,
        address: String,
        location: Coordinate,
        images: [ImageID],
        isSuspended: Bool,
        openedAt: Instant,
        version: UInt64
    ) {
        self.id = id
        self.owner = owner
        self.staff = staff
        self.name = name
        self.phone = phone
        self.address = address
        self.location = location
        self.images = images
        self.isSuspended = isSuspended
        self.openedAt = openedAt
        self.version = version
    }
}
