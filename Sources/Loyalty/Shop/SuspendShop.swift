/// Close a shop's counter. That the actor is an operator is the caller's to know.
public struct SuspendShop: Hashable, Sendable {
    public let shop: ShopID
    public let reason: TypedText

    public init(shop: ShopID, reason: TypedText) {
        self.shop = shop
        self.reason = reason
    }
}
