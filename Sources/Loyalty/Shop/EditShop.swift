/// Change what a shop says of itself; owner only. `nil` leaves a field as it is.
public struct EditShop: Hashable, Sendable {
    public let shop: ShopID
    /// What the editor has seen.
    public let expected: ExpectedVersion
    public let name: String?
    public let phone: String?
    public let address: String?
    public let location: Coordinate?
    /// That they exist is the caller's to know.
    public let images: [ImageID]?
    /// The contact data after the edit, sealed; `nil` where there are no keys.
    public let resealed: ResealedContact?

    public init(
        shop: ShopID, expected: ExpectedVersion, name: String? = nil, phone: String? = nil, address: String? = nil,
        location: Coordinate? = nil, images: [ImageID]? = nil, resealed: ResealedContact? = nil
    ) {
        self.shop = shop
        self.expected = expected
        self.name = name
        self.phone = phone
        self.address = address
        self.location = location
        self.images = images
        self.resealed = resealed
    }
}

/// A shop's contact data as an edit leaves it, sealed outside of the decision, which has no keys.
public struct ResealedContact: Hashable, Sendable {
    /// `nil` where the edit changes none of it.
    public let contact: Sealed?
    /// The version of the shop that was edited: the decision refuses any other.
    public let basis: UInt64

    public init(contact: Sealed?, basis: UInt64) {
        self.contact = contact
        self.basis = basis
    }
}
