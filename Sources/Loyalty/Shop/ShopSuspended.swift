/// An operator closed a shop's counter: nothing is collected or redeemed there until it is reinstated.
public struct ShopSuspended: Hashable, Sendable {
    public let shop: ShopID
    public let reason: String

    public init(shop: ShopID, reason: String) {
        self.shop = shop
        self.reason = reason
    }
}
