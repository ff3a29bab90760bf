/// The time at which a shop closed, and what is still allowed afterwards.
public struct ShopClosing: Hashable, Sendable {
    public let closedAt: Instant
    /// Until then the shop's people hand out rewards.
    public let redeemUntil: Instant

    public init(closedAt: Instant, redeemUntil: Instant) { (self.closedAt, self.redeemUntil) = (closedAt, redeemUntil) }
}

extension Shop {
    public func handsOutRewards(at now: Instant) -> Bool { closing.map { now < $0.redeemUntil } ?? true }

    /// With staff, full cards can be redeemed for another ``Limits/closedRedeemSeconds``. An earlier closing's date still applies.
    ///
    /// - Parameter erasesContact: false for a step that only prepares the erasure.
    func closedWithOwner(at now: Instant, erasesContact: Bool) -> ShopClosed {
        let end = staff.isEmpty ? now : now.advanced(bySeconds: Limits.closedRedeemSeconds)
        return ShopClosed(shop: id, redeemUntil: closing?.redeemUntil ?? end, erasesContact: erasesContact)
    }
}
