/// A shop closed for good: its campaigns end in the same step, its open codes are worth nothing any more, and it is found no more.
///
/// Full cards stay redeemable until a date; after it nobody acts for the shop.
public struct ShopClosed: Hashable, Sendable {
    public let shop: ShopID
    /// The last moment, exclusive, at which the shop's people may redeem.
    public let redeemUntil: Instant
    /// Whether the owner was erased, and the shop's contact data with them: its key is destroyed once this is durable.
    public let erasesContact: Bool
    /// Why, under the shop's key; `nil` where nobody said.
    public let reason: Sealed?

    public init(shop: ShopID, redeemUntil: Instant, erasesContact: Bool, reason: Sealed? = nil) {
        self.shop = shop
        self.redeemUntil = redeemUntil
        self.erasesContact = erasesContact
        self.reason = reason
    }
}
