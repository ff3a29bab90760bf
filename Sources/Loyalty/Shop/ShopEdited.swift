/// The owner changed what a shop says of itself: all of it as it is from now on, so that nobody has to know what it was before.
public struct ShopEdited: Hashable, Sendable {
    public let shop: ShopID
    public let contact: HeldContact
    /// In the order in which they are shown; each once.
    public let images: [ImageID]

    public init(shop: ShopID, contact: HeldContact, images: [ImageID]) {
        self.shop = shop
        self.contact = contact
        self.images = images
    }

    /// What the shop says now.
    init(_ shop: Shop) {
        self.init(shop: shop.id, contact: shop.contact, images: shop.images)
    }

    /// With its contact data in the clear.
    public init(shop: ShopID, name: String, phone: String, address: String, location: Coordinate, images: [ImageID]) {
        let contact = ShopContact(name: name, phone: phone, address: address, location: location)
        self.init(shop: shop, contact: .clear(contact), images: images)
    }
}
