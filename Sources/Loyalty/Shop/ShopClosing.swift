/// The remaining rights of a closed shop.
public struct ShopClosing: Hashable, Sendable {
    public let closedAt: Instant
    /// From then on nobody acts for the shop.
    public let redeemUntil: Instant

    public init(closedAt: Instant, redeemUntil: Instant) {
        self.closedAt = closedAt
        self.redeemUntil = redeemUntil
    }
}

extension Shop {
    /// Whether the shop's people may hand out rewards: always, or until the date that its closing named.
    public func handsOutRewards(at now: Instant) -> Bool {
        closing.map { now < $0.redeemUntil } ?? true
    }

    /// The end of the shop together with its owner.
    ///
    /// Customers do not lose full cards in silence: staff go on redeeming for ``Limits/closedRedeemSeconds``. Where nobody is left who
    /// could redeem, that ends at once. A closing that came before keeps its date.
    func closedWithOwner(at now: Instant) -> ShopClosed {
        let end = staff.isEmpty ? now : now.advanced(bySeconds: Limits.closedRedeemSeconds)
        return ShopClosed(shop: id, redeemUntil: closing?.redeemUntil ?? end, erasesContact: true)
    }
}
