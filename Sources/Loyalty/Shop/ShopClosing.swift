/// The remaining rights of a closed shop.
public struct ShopClosing: Hashable, Sendable {
    public let closedAt: Instant
    /// The moment from which nobody acts for the shop.
    public let redeemUntil: Instant
    /// Whether codes that were open are destroyed. In a shop that ended with its owner they are void together with its campaigns.
    public let destroysCodes: Bool

    public init(closedAt: Instant, redeemUntil: Instant, destroysCodes: Bool) {
        self.closedAt = closedAt
        self.redeemUntil = redeemUntil
        self.destroysCodes = destroysCodes
    }
}

extension Shop {
    /// Whether the shop's people may hand out rewards: always while it is open, else until the date that its closing named.
    public func handsOutRewards(at now: Instant) -> Bool {
        closing.map { now < $0.redeemUntil } ?? true
    }

    /// The closing of the shop when its owner is erased.
    ///
    /// Staff redeem full cards for ``Limits/closedRedeemSeconds`` more. Without staff, redemption ends at once. If the shop was already
    /// closing, its date stays.
    func closedWithOwner(at now: Instant) -> ShopClosed {
        let end = staff.isEmpty ? now : now.advanced(bySeconds: Limits.closedRedeemSeconds)
        return ShopClosed(shop: id, redeemUntil: closing?.redeemUntil ?? end, erasesContact: true)
    }
}
