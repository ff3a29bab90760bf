/// Print paper cards of a campaign, even before its start; for the owner or a manager.
public struct PrintPapers: Hashable, Sendable {
    public let print: PrintID
    public let shop: ShopID
    public let campaign: CampaignID
    public let secret: Secret
    public let attempt: Int
    /// 1 to 500.
    public let count: Int

    public init(print: PrintID, shop: ShopID, campaign: CampaignID, secret: Secret, attempt: Int, count: Int) {
        (self.print, self.shop, self.campaign) = (print, shop, campaign)
        (self.secret, self.attempt, self.count) = (secret, attempt, count)
    }
}

extension PrintPapers: Decision {
    public typealias Situation = (shop: Shop?, campaign: Campaign?, existing: PaperPrint?)

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        let bySecret = try past.print(secret: secret)
        let existing = if let bySecret { bySecret } else { try past.print(print) }
        return (shop: try past.shop(shop), campaign: try past.campaign(campaign), existing: existing)
    }

    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.shop else { throw .notFound }
        try known.require(.manager, of: actor)
        // A closed shop's campaigns are over, which would hide the true reason.
        guard known.closing == nil else { throw .shopClosed }
        guard !known.isSuspended else { throw .suspended }
        guard let campaign = situation.campaign, campaign.shop == shop else { throw .notFound }
        var checks = FieldChecks()
        checks.require(count, in: Limits.paperCards, "count")
        checks.require(attempt, in: Limits.derivationAttempts, "attempt")
        try checks.verdict()
        guard campaign.kind == .stampCard, !campaign.isOver(at: now) else { throw .campaignNotRunning }
        guard situation.existing == nil else { throw .secretTaken }
        let printed = PaperCardsPrinted(print: print, campaign: campaign.id, shop: shop, secret: secret, attempt: attempt, count: count)
        return [.paperCardsPrinted(printed)]
    }
}
