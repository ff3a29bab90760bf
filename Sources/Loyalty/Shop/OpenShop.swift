/// Open a shop, which the actor then owns. An account may own several shops.
public struct OpenShop: Hashable, Sendable {
    public let shop: ShopID
    public let name: String
    public let phone: String
    public let address: String
    public let location: Coordinate
    /// The pictures. The caller MUST know that the images exist.
    public let images: [ImageID]
    public let schedule: ShopSchedule
    /// The contact data, sealed under the shop's data key; `nil` if the service has no keys and stores the data unsealed, or if the
    /// decision will refuse the shop. Empty if the actor was at the limit of shops when the data was to be sealed, or if the request was
    /// accepted before.
    public var sealed: Sealed?

    public init(
        shop: ShopID, name: String, phone: String, address: String, location: Coordinate, images: [ImageID] = [],
        schedule: ShopSchedule = ShopSchedule(), sealed: Sealed? = nil
    ) {
        self.shop = shop
        self.name = name
        self.phone = phone
        self.address = address
        self.location = location
        self.images = images
        self.schedule = schedule
        self.sealed = sealed
    }
}

/// The facts that opening a shop needs.
public struct OpenShopSituation: Hashable, Sendable {
    public let actor: Account?
    /// All shops that the actor owns, including closed ones.
    public let ownShops: [Shop]
    public let shopWithID: Shop?

    public init(actor: Account?, ownShops: [Shop], shopWithID: Shop?) {
        self.actor = actor
        self.ownShops = ownShops
        self.shopWithID = shopWithID
    }
}

extension OpenShop: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> OpenShopSituation {
        OpenShopSituation(
            actor: try past.account(actor), ownShops: try past.shops(ownedBy: actor), shopWithID: try past.shop(shop))
    }

    public func decide(_ situation: OpenShopSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil else { throw .notFound }
        if let existing = situation.shopWithID {
            guard existing.owner == actor else { throw .notFound }
            return []
        }
        try situation.ownShops.requireRoom()
        // The actor was at the limit when the data was to be sealed, and one of the actor's shops has closed since. Nothing was sealed, so
        // the refusal is that of the limit. The next attempt is accepted.
        if let sealed, sealed.bytes.isEmpty { throw .alreadyMerchant }
        try checkFields()
        let clear = HeldContact.clear(ShopContact(name: name, phone: phone, address: address, location: location))
        return [
            .shopOpened(
                ShopOpened(shop: shop, owner: actor, contact: sealed.map { .sealed($0) } ?? clear, images: images, schedule: schedule))
        ]
    }

    /// Checks all fields. The decision calls it, and a caller that seals the contact data calls it before.
    ///
    /// - Throws: `.invalid`, with every invalid field.
    public func checkFields() throws(Rejection) {
        var checks = FieldChecks()
        checks.require(name, within: Limits.shopName, "name")
        checks.require(shopPhone: phone)
        checks.require(address, within: Limits.shopAddress, "address")
        checks.require(place: location)
        checks.require(images)
        checks.require(schedule)
        checks.require(sealedContact: sealed)
        try checks.verdict()
    }
}

extension [Shop] {
    /// Requires that the owner of these shops may own one more shop. The limit of open shops ignores closed shops;
    /// ``Limits/shopsPerAccount`` includes them. No field of a request is at fault, and the acceptance of an offer has no fields, so both
    /// limits have the same refusal.
    ///
    /// - Throws: `.alreadyMerchant`.
    func requireRoom() throws(Rejection) {
        guard count < Limits.shopsPerAccount, count(where: { $0.closing == nil }) < Limits.openShopsPerAccount else {
            throw .alreadyMerchant
        }
    }
}
