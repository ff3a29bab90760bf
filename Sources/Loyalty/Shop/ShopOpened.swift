/// A merchant opened a shop.
public struct ShopOpened: Hashable, Sendable {
    public let shop: ShopID
    public let owner: AccountID
    public let contact: HeldContact
    /// In the order in which they are shown; each once.
    public let images: [ImageID]

    public init(shop: ShopID, owner: AccountID, contact: HeldContact, images: [ImageID] = []) {
        self.shop = shop
        self.owner = owner
        self.contact = contact
        self.images = images
    }

    /// With its contact data in the clear.
    public init(
        shop: ShopID, owner: AccountID, name: String, phone: String, address: String, location: Coordinate, images: [ImageID] = []
    ) {
        let contact = ShopContact(name: name, phone: phone, address: address, location: location)
        self.init(shop: shop, owner: owner, contact: .clear(contact), images: images)
    }
}
