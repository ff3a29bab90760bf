/// Open the actor's one shop.
public struct OpenShop: Hashable, Sendable {
    public let shop: ShopID
    public let name: String
    public let phone: String
    public let address: String
    public let location: Coordinate
    /// That they exist is the caller's to know.
    public let images: [ImageID]
    /// The contact data above, sealed under the shop's key; `nil` where there are no keys.
    public let sealed: Sealed?

    public init(
        shop: ShopID, name: String, phone: String, address: String, location: Coordinate, images: [ImageID] = [],
        sealed: Sealed? = nil
    ) {
        self.shop = shop
        self.name = name
        self.phone = phone
        self.address = address
        self.location = location
        self.images = images
        self.sealed = sealed
    }
}
