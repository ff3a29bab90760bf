/// The time at which a shop closed, and what is still allowed afterwards.
public struct ShopClosing: Hashable, Sendable {
    public let closedAt: Instant
    /// The moment from which the shop's people can no longer hand out rewards.
    public let redeemUntil: Instant

    public init(closedAt: Instant, redeemUntil: Instant) {
        self.closedAt = closedAt
        self.redeemUntil = redeemUntil
    }
}

extension Shop {
    /// Whether the shop's people may hand out rewards. They may always do so before the shop closes, and after that until the date that the
    /// closing named.
    public func handsOutRewards(at now: Instant) -> Bool {
        closing.map { now < $0.redeemUntil } ?? true
    }

    /// The closing of the shop when its owner is erased.
    ///
    /// The shop's staff can redeem full cards for another ``Limits/closedRedeemSeconds``. Without staff, redemption ends at once. If the
    /// shop had closed before, the date that the earlier closing named still applies.
    ///
    /// - Parameter erasesContact: false for a step that only prepares the erasure.
    func closedWithOwner(at now: Instant, erasesContact: Bool) -> ShopClosed {
        let end = staff.isEmpty ? now : now.advanced(bySeconds: Limits.closedRedeemSeconds)
        return ShopClosed(shop: id, redeemUntil: closing?.redeemUntil ?? end, erasesContact: erasesContact)
    }
}
