/// Open the actor's one shop.
public struct OpenShop: Hashable, Sendable {
    public let shop: ShopID
    public let name: String
    public let phone: String
    public let address: String
    public let location: Coordinate
    /// The caller MUST know that the images exist.
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

/// The facts that opening a shop needs.
public struct OpenShopSituation: Hashable, Sendable {
    public let actor: Account?
    public let ownShop: Shop?
    public let shopWithID: Shop?

    public init(actor: Account?, ownShop: Shop?, shopWithID: Shop?) {
        self.actor = actor
        self.ownShop = ownShop
        self.shopWithID = shopWithID
    }
}

extension OpenShop: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> OpenShopSituation {
        OpenShopSituation(
            actor: try past.account(actor), ownShop: try past.shop(ownedBy: actor), shopWithID: try past.shop(shop))
    }

    public func decide(_ situation: OpenShopSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil else { throw .notFound }
        if let own = situation.ownShop {
            guard own.id == shop else { throw .alreadyMerchant }
            return []
        }
        guard situation.shopWithID == nil else { throw .notFound }
        try checkFields()
        let clear = HeldContact.clear(ShopContact(name: name, phone: phone, address: address, location: location))
        return [.shopOpened(ShopOpened(shop: shop, owner: actor, contact: sealed.map { .sealed($0) } ?? clear, images: images))]
    }

    /// Whether the shop may be what it says.
    ///
    /// - Throws: `.invalid`, with every field that may not be so.
    public func checkFields() throws(Rejection) {
        var checks = FieldChecks()
        checks.require(name, within: Limits.shopName, "name")
        checks.require(shopPhone: phone)
        checks.require(address, within: Limits.shopAddress, "address")
        checks.require(place: location)
        checks.require(images)
        checks.require(sealedContact: sealed)
        try checks.verdict()
    }
}
