/// A merchant opened a shop.
public struct ShopOpened: Hashable, Sendable {
    public let shop: ShopID
    public let owner: AccountID
    public let name: String
    public let phone: String
    public let address: String
    public let location: Coordinate
    /// In the order in which they are shown; each once.
    public let images: [ImageID]

    public init(
        shop: ShopID, owner: AccountID, name: String, phone: String, address: String, location: Coordinate, images: [ImageID] = []
    ) {
        self.shop = shop
        self.owner = owner
        self.name = name
        self.phone = phone
        self.address = address
        self.location = location
        self.images = images
    }
}
