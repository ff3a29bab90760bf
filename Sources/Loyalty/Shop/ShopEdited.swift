/// The owner changed what a shop says of itself: all of it as it is from now on, so that nobody has to know what it was before.
public struct ShopEdited: Hashable, Sendable {
    public let shop: ShopID
    public let name: String
    public let phone: String
    public let address: String
    public let location: Coordinate
    /// In the order in which they are shown; each once.
    public let images: [ImageID]

    public init(shop: ShopID, name: String, phone: String, address: String, location: Coordinate, images: [ImageID]) {
        self.shop = shop
        self.name = name
        self.phone = phone
        self.address = address
        self.location = location
        self.images = images
    }

    /// What the shop says now.
    init(_ shop: Shop) {
        self.init(
            shop: shop.id, name: shop.name, phone: shop.phone, address: shop.address, location: shop.location, images: shop.images)
    }
}
