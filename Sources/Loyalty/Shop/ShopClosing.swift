/// The time of a shop's closing, and the rights that remain after it.
public struct ShopClosing: Hashable, Sendable {
    public let closedAt: Instant
    /// The moment from which nobody acts for the shop.
    public let redeemUntil: Instant
    /// Whether codes that were open are destroyed. If the shop closed because its owner was erased, its codes are void because its
    /// campaigns ended.
    public let destroysCodes: Bool

    public init(closedAt: Instant, redeemUntil: Instant, destroysCodes: Bool) {
        self.closedAt = closedAt
        self.redeemUntil = redeemUntil
        self.destroysCodes = destroysCodes
    }
}

extension Shop {
    /// Whether the shop's people may hand out rewards. They always may while the shop is open, and after a closing until the date that the
    /// closing named.
    public func handsOutRewards(at now: Instant) -> Bool {
        closing.map { now < $0.redeemUntil } ?? true
    }

    /// The closing of the shop when its owner is erased.
    ///
    /// Staff can redeem full cards for another ``Limits/closedRedeemSeconds``. Without staff, redemption ends at once. If the shop was
    /// closed before, the date that the earlier closing named stays.
    func closedWithOwner(at now: Instant) -> ShopClosed {
        let end = staff.isEmpty ? now : now.advanced(bySeconds: Limits.closedRedeemSeconds)
        return ShopClosed(shop: id, redeemUntil: closing?.redeemUntil ?? end, erasesContact: true)
    }
}
