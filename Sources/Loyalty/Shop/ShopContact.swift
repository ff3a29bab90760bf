/// How people find a shop and reach it, in the clear.
public struct ShopContact: Hashable, Sendable {
    public let name: String
    public let phone: String
    public let address: String
    public let location: Coordinate

    public init(name: String, phone: String, address: String, location: Coordinate) {
        self.name = name
        self.phone = phone
        self.address = address
        self.location = location
    }
}

/// A shop's contact data as the log holds it. Decisions never open it.
public enum HeldContact: Hashable, Sendable {
    /// Readable by whoever has the log: stored before contact data was sealed, or made where there are no keys.
    case clear(ShopContact)
    /// Sealed under the shop's own key.
    case sealed(Sealed)
    /// The owner was erased: nothing shows it any more. No event holds this.
    case erased

    /// The contact data where it needs no key.
    public var open: ShopContact? {
        if case .clear(let contact) = self { contact } else { nil }
    }
}
