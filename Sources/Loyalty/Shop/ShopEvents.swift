/// A merchant opened a shop.
public struct ShopOpened: Hashable, Sendable {
    public let shop: ShopID
    public let owner: AccountID
    public let contact: HeldContact
    public let images: [ImageID]
    public let schedule: ShopSchedule

    public init(shop: ShopID, owner: AccountID, contact: HeldContact, images: [ImageID] = [], schedule: ShopSchedule = ShopSchedule()) {
        (self.shop, self.owner, self.contact, self.images, self.schedule) = (shop, owner, contact, images, schedule)
    }

    public init(
        shop: ShopID, owner: AccountID, name: String, phone: String, address: String, location: Coordinate, images: [ImageID] = []
    ) {
        let contact = ShopContact(name: name, phone: phone, address: address, location: location)
        self.init(shop: shop, owner: owner, contact: .clear(contact), images: images)
    }
}

/// The owner changed a shop's data. The event has all fields, so that readers need no earlier state.
public struct ShopEdited: Hashable, Sendable {
    public let shop: ShopID
    public let contact: HeldContact
    public let images: [ImageID]
    public let schedule: ShopSchedule

    public init(shop: ShopID, contact: HeldContact, images: [ImageID], schedule: ShopSchedule = ShopSchedule()) {
        (self.shop, self.contact, self.images, self.schedule) = (shop, contact, images, schedule)
    }

    init(_ shop: Shop) { self.init(shop: shop.id, contact: shop.contact, images: shop.images, schedule: shop.schedule) }

    public init(shop: ShopID, name: String, phone: String, address: String, location: Coordinate, images: [ImageID]) {
        let contact = ShopContact(name: name, phone: phone, address: address, location: location)
        self.init(shop: shop, contact: .clear(contact), images: images)
    }
}

/// A shop closed for good: its campaigns end, its open codes are void, and searches no longer find it.
public struct ShopClosed: Hashable, Sendable {
    public let shop: ShopID
    public let redeemUntil: Instant
    /// If the owner was erased, the contact data's key is destroyed once this event is durable.
    public let erasesContact: Bool
    public let reason: Sealed?

    public init(shop: ShopID, redeemUntil: Instant, erasesContact: Bool, reason: Sealed? = nil) {
        (self.shop, self.redeemUntil, self.erasesContact, self.reason) = (shop, redeemUntil, erasesContact, reason)
    }
}
