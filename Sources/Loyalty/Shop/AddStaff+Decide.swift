extension AddStaff: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> ShopSituation {
        try .load(shop, member: account, in: &past, by: actor)
    }

    /// Cards that the account holds there already stay its own; from now on they neither gain stamps nor are redeemed.
    public func decide(_ situation: ShopSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.owned(by: actor)
        guard situation.member != nil else { throw .notFound }
        // The owner works there anyway.
        guard !known.employs(account) else { return [] }
        var checks = FieldChecks()
        checks.require(known.staff.count < Limits.staffMax, "account", "must be one of at most \(Limits.staffMax) of a shop's staff")
        try checks.verdict()
        return [.staffAdded(StaffAdded(shop: shop, account: account))]
    }
}
