/// Close a shop for good; for its owner only.
public struct CloseShop: Hashable, Sendable {
    public let shop: ShopID
    /// At most ``Limits/closingRedeemDaysMax`` ahead.
    public let redeemUntil: Instant
    /// An unsealed reason is checked, but not recorded.
    public let reason: TypedText?

    public init(shop: ShopID, redeemUntil: Instant, reason: TypedText? = nil) {
        (self.shop, self.redeemUntil, self.reason) = (shop, redeemUntil, reason)
    }
}

extension CloseShop: Decision {
    public typealias Situation = (shop: Shop?, campaigns: [Campaign])

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        (shop: try past.shop(shop), campaigns: try past.campaigns(of: shop))
    }

    /// Until ``redeemUntil``, the owner can redeem full cards here, and so can the campaigns' other shops.
    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.shop else { throw .notFound }
        try known.require(.owner, of: actor)
        guard known.closing == nil else { throw .shopClosed }
        var checks = FieldChecks()
        checks.require(redeemUntil >= now, "redeemUntil", .pastTime)
        let latest = now.advanced(bySeconds: Int64(Limits.closingRedeemDaysMax) * Limits.daySeconds)
        checks.require(redeemUntil <= latest, "redeemUntil", .daysAhead(max: Limits.closingRedeemDaysMax))
        if let reason { checks.require(reason, within: Limits.reason, "reason") }
        try checks.verdict()
        let campaigns = situation.campaigns.filter { !$0.isOver(at: now) }.sorted { $0.id < $1.id }
        return campaigns.map { .campaignEnded(CampaignEnded(campaign: $0.id, shop: shop)) }
            + known.staff.sorted().map { .employmentEnded(EmploymentEnded(shop: shop, account: $0)) }
            + known.endingOffers(at: now)
            + [.shopClosed(ShopClosed(shop: shop, redeemUntil: redeemUntil, erasesContact: false, reason: reason?.sealed))]
    }
}
