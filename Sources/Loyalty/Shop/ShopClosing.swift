/// The remaining rights of a closed shop.
public struct ShopClosing: Hashable, Sendable {
    public let closedAt: Instant
    /// The moment from which nobody acts for the shop.
    public let redeemUntil: Instant
    /// Whether codes that were open are destroyed. Those of a shop that ended with its owner are void with its campaigns.
    public let destroysCodes: Bool

    public init(closedAt: Instant, redeemUntil: Instant, destroysCodes: Bool) {
        self.closedAt = closedAt
        self.redeemUntil = redeemUntil
        self.destroysCodes = destroysCodes
    }
}

extension Shop {
    /// Whether the shop's people may hand out rewards: always, or until the date that its closing named.
    public func handsOutRewards(at now: Instant) -> Bool {
        closing.map { now < $0.redeemUntil } ?? true
    }

    /// The end of the shop together with its owner.
    ///
    /// Customers keep their full cards for a while: staff redeem them for ``Limits/closedRedeemSeconds``. Without staff, that ends at once.
    /// An earlier closing keeps its date.
    func closedWithOwner(at now: Instant) -> ShopClosed {
        let end = staff.isEmpty ? now : now.advanced(bySeconds: Limits.closedRedeemSeconds)
        return ShopClosed(shop: id, redeemUntil: closing?.redeemUntil ?? end, erasesContact: true)
    }
}
