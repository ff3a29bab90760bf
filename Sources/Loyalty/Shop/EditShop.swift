/// Change what a shop says of itself; owner only. `nil` leaves a field as it is.
public struct EditShop: Hashable, Sendable {
    public let shop: ShopID
    /// What the editor has seen.
    public let expected: ExpectedVersion
    public let name: String?
    public let phone: String?
    public let address: String?
    public let location: Coordinate?
    /// That they exist is the caller's to know.
    public let images: [ImageID]?

    public init(
        shop: ShopID, expected: ExpectedVersion, name: String? = nil, phone: String? = nil, address: String? = nil,
        location: Coordinate? = nil, images: [ImageID]? = nil
    ) {
        self.shop = shop
        self.expected = expected
        self.name = name
        self.phone = phone
        self.address = address
        self.location = location
        self.images = images
    }
}
