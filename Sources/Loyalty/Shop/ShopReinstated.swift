/// An operator opened a suspended shop's counter again.
public struct ShopReinstated: Hashable, Sendable {
    public let shop: ShopID
    /// May be empty.
    public let reason: String

    public init(shop: ShopID, reason: String) {
        self.shop = shop
        self.reason = reason
    }
}
