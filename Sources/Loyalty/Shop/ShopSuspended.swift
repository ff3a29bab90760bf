/// An operator closed a shop's counter: nothing is collected or redeemed there until it is reinstated.
public struct ShopSuspended: Hashable, Sendable {
    public let shop: ShopID
    public let reason: TypedText

    public init(shop: ShopID, reason: TypedText) {
        self.shop = shop
        self.reason = reason
    }
}
