/// Open a shop, which the actor then owns.
public struct OpenShop: Hashable, Sendable {
    public let shop: ShopID
    public let name: String
    public let phone: String
    public let address: String
    public let location: Coordinate
    /// The caller MUST know that the images exist.
    public let images: [ImageID]
    public let schedule: ShopSchedule
    /// `nil` in a service without keys. Empty if the caller found the actor at the limit of shops, or the request already accepted.
    public var sealed: Sealed?

    public init(
        shop: ShopID, name: String, phone: String, address: String, location: Coordinate, images: [ImageID] = [],
        schedule: ShopSchedule = ShopSchedule(), sealed: Sealed? = nil
    ) {
        (self.shop, self.name, self.phone, self.address) = (shop, name, phone, address)
        (self.location, self.images, self.schedule, self.sealed) = (location, images, schedule, sealed)
    }
}

/// The facts that opening a shop needs.
public struct OpenShopSituation: Hashable, Sendable {
    /// Includes closed shops.
    public let ownShops: [Shop]
    public let shopWithID: Shop?
}

extension OpenShop: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> OpenShopSituation {
        OpenShopSituation(ownShops: try past.shops(ownedBy: actor), shopWithID: try past.shop(shop))
    }

    public func decide(_ situation: OpenShopSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        if let existing = situation.shopWithID {
            guard existing.owner == actor else { throw .notFound }
            return []
        }
        try situation.ownShops.requireRoom()
        // The actor was at the limit when the data was to be sealed. The next attempt is accepted.
        if let sealed, sealed.bytes.isEmpty { throw .alreadyMerchant }
        try checkFields()
        let clear = HeldContact.clear(ShopContact(name: name, phone: phone, address: address, location: location))
        let opened = ShopOpened(shop: shop, owner: actor, contact: sealed.map { .sealed($0) } ?? clear, images: images, schedule: schedule)
        return [.shopOpened(opened)]
    }

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
    /// No field is at fault, so both limits have the same refusal.
    ///
    /// - Throws: `.alreadyMerchant`.
    func requireRoom() throws(Rejection) {
        guard count < Limits.shopsPerAccount, count(where: { $0.closing == nil }) < Limits.openShopsPerAccount else {
            throw .alreadyMerchant
        }
    }
}
