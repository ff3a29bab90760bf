/// Open a suspended shop's counter again. That the actor is an operator is the caller's to know.
public struct ReinstateShop: Hashable, Sendable {
    public let shop: ShopID
    /// May be empty.
    public let reason: TypedText

    public init(shop: ShopID, reason: TypedText) {
        self.shop = shop
        self.reason = reason
    }
}
