/// A merchant opened a shop.
public struct ShopOpened: Hashable, Sendable {
    public let shop: ShopID
    public let owner: AccountID
    public let contact: HeldContact
    /// The images in the order in which they are shown, each once.
    public let images: [ImageID]
    public let schedule: ShopSchedule

    public init(
        shop: ShopID, owner: AccountID, contact: HeldContact, images: [ImageID] = [], schedule: ShopSchedule = ShopSchedule()
    ) {
        self.shop = shop
        self.owner = owner
        self.contact = contact
        self.images = images
        self.schedule = schedule
    }

    /// Creates an event with unsealed contact data.
    public init(
        shop: ShopID, owner: AccountID, name: String, phone: String, address: String, location: Coordinate, images: [ImageID] = []
    ) {
        let contact = ShopContact(name: name, phone: phone, address: address, location: location)
        self.init(shop: shop, owner: owner, contact: .clear(contact), images: images)
    }
}

/// The owner changed a shop's data. The event has the new values of all fields, so that readers need no earlier state.
public struct ShopEdited: Hashable, Sendable {
    public let shop: ShopID
    public let contact: HeldContact
    /// The images in the order in which they are shown, each once.
    public let images: [ImageID]
    public let schedule: ShopSchedule

    public init(shop: ShopID, contact: HeldContact, images: [ImageID], schedule: ShopSchedule = ShopSchedule()) {
        self.shop = shop
        self.contact = contact
        self.images = images
        self.schedule = schedule
    }

    /// Creates an event with the present state of a shop.
    init(_ shop: Shop) {
        self.init(shop: shop.id, contact: shop.contact, images: shop.images, schedule: shop.schedule)
    }

    /// Creates an event with unsealed contact data.
    public init(shop: ShopID, name: String, phone: String, address: String, location: Coordinate, images: [ImageID]) {
        let contact = ShopContact(name: name, phone: phone, address: address, location: location)
        self.init(shop: shop, contact: .clear(contact), images: images)
    }
}

/// A shop closed for good: its campaigns end in the same step, its open codes are void, and searches no longer find it.
///
/// Full cards can be redeemed until ``redeemUntil``. From then on the shop's people can do nothing for it any more.
public struct ShopClosed: Hashable, Sendable {
    public let shop: ShopID
    /// The moment from which the shop's people can no longer redeem full cards.
    public let redeemUntil: Instant
    /// Whether the owner was erased. If so, the key of the shop's contact data is destroyed once this event is durable.
    public let erasesContact: Bool
    /// The reason, sealed under the shop's key; `nil` if none was given.
    public let reason: Sealed?

    public init(shop: ShopID, redeemUntil: Instant, erasesContact: Bool, reason: Sealed? = nil) {
        self.shop = shop
        self.redeemUntil = redeemUntil
        self.erasesContact = erasesContact
        self.reason = reason
    }
}
