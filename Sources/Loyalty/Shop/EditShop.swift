/// Change a shop's own data; for its owner only. `nil` leaves a field as it is.
public struct EditShop: Hashable, Sendable {
    public let shop: ShopID
    public let expected: ExpectedVersion
    public var name: String?
    public let phone: String?
    public var address: String?
    public let location: Coordinate?
    /// The caller MUST know that the images exist.
    public let images: [ImageID]?
    /// The caller MUST know that the zone exists.
    public let timeZone: String?
    public let openingHours: Change<[OpeningHours]>
    public let color: Change<ShopColor>
    /// The caller MUST know that the image exists.
    public let logo: Change<ImageID>
    /// `nil` if the contact data stays, or in a service without keys.
    public let resealed: ResealedContact?

    public init(
        shop: ShopID, expected: ExpectedVersion, name: String? = nil, phone: String? = nil, address: String? = nil,
        location: Coordinate? = nil, images: [ImageID]? = nil, timeZone: String? = nil, openingHours: Change<[OpeningHours]> = .unchanged,
        color: Change<ShopColor> = .unchanged, logo: Change<ImageID> = .unchanged, resealed: ResealedContact? = nil
    ) {
        (self.shop, self.expected, self.name, self.phone) = (shop, expected, name, phone)
        (self.address, self.location, self.images, self.timeZone) = (address, location, images, timeZone)
        (self.openingHours, self.color, self.logo, self.resealed) = (openingHours, color, logo, resealed)
    }
}

/// Contact data sealed by the caller, because the decision has no keys.
public struct ResealedContact: Hashable, Sendable {
    public let contact: Sealed?
    /// The decision refuses data sealed for any other version.
    public let basis: UInt64

    public init(contact: Sealed?, basis: UInt64) { (self.contact, self.basis) = (contact, basis) }
}

extension Shop? {
    /// - Throws: `.notFound`, `.forbidden`, `.roleRequired`.
    func owned(by actor: AccountID) throws(Rejection) -> Shop {
        let known = try existing()
        try known.require(.owner, of: actor)
        return known
    }

    /// - Throws: `.notFound`.
    func existing() throws(Rejection) -> Shop {
        guard let shop = self else { throw .notFound }
        return shop
    }
}

/// A command that needs only the actor and a shop.
public protocol ShopDecision: Decision where Situation == Shop? {
    var shop: ShopID { get }
}

extension ShopDecision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Shop? { try past.shop(shop) }
}

extension EditShop: ShopDecision {
    /// An edit that changes nothing is accepted and leaves the version as it is.
    public func decide(_ situation: Shop?, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.owned(by: actor)
        try expected.check(known.version)
        try checkFields(known)
        let schedule = ShopSchedule(
            timeZone: timeZone ?? known.schedule.timeZone, openingHours: openingHours.applied(to: known.schedule.openingHours))
        let look = ShopLook(color: color.applied(to: known.look.color), logo: logo.applied(to: known.look.logo))
        let edited = ShopEdited(
            shop: shop, contact: try contact(after: known), images: images ?? known.images, schedule: schedule, look: look)
        return edited == ShopEdited(known) ? [] : [.shopEdited(edited)]
    }

    /// Data sealed for another version would undo another edit.
    private func contact(after known: Shop) throws(Rejection) -> HeldContact {
        if let resealed {
            guard resealed.basis == known.version else { throw .versionConflict }
            return resealed.contact.map { .sealed($0) } ?? known.contact
        }
        guard name != nil || phone != nil || address != nil || location != nil else { return known.contact }
        guard case .clear(let contact) = known.contact else { throw .versionConflict }
        return .clear(
            ShopContact(
                name: name ?? contact.name, phone: phone ?? contact.phone, address: address ?? contact.address,
                location: location ?? contact.location))
    }

    /// Unchanged fields may date from older limits.
    private func checkFields(_ shop: Shop) throws(Rejection) {
        let known: ShopContact? = if case .clear(let contact) = shop.contact { contact } else { nil }
        var checks = FieldChecks()
        if let name, name != known?.name { checks.require(name, within: Limits.shopName, "name") }
        if let phone, phone != known?.phone { checks.require(shopPhone: phone) }
        if let address, address != known?.address { checks.require(address, within: Limits.shopAddress, "address") }
        if let location { checks.require(place: location) }
        if let images { checks.require(images) }
        if let timeZone { checks.require(timeZone: timeZone) }
        if case .set(let hours) = openingHours { checks.require(hours) }
        checks.require(sealedContact: resealed?.contact)
        try checks.verdict()
    }
}
