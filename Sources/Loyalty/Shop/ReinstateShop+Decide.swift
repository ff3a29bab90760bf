extension ReinstateShop: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> ShopSituation {
        try .load(shop, in: &past, by: actor)
    }

    public func decide(_ situation: ShopSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.existing()
        var checks = FieldChecks()
        checks.require(reason, within: Limits.reinstatementReason, "reason")
        try checks.verdict()
        return known.isSuspended ? [.shopReinstated(ShopReinstated(shop: shop, reason: reason))] : []
    }
}
