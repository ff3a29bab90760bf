/// An operator opened a suspended shop's counter again.
public struct ShopReinstated: Hashable, Sendable {
    public let shop: ShopID
    /// May be empty.
    public let reason: TypedText

    public init(shop: ShopID, reason: TypedText) {
        self.shop = shop
        self.reason = reason
    }
}
