/// End a campaign now; for the owner or a manager.
public struct EndCampaign: Hashable, Sendable {
    public let campaign: CampaignID

    public init(campaign: CampaignID) { self.campaign = campaign }
}

extension EndCampaign: Decision {
    public typealias Situation = (actor: Account?, campaign: Campaign?, shop: Shop?)

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        let account = try past.account(actor)
        guard let known = try past.campaign(campaign) else { return (actor: account, campaign: nil, shop: nil) }
        return (actor: account, campaign: known, shop: try past.shop(known.shop))
    }

    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.campaign, let shop = situation.shop else { throw .notFound }
        try shop.require(.manager, of: actor)
        guard !known.isOver(at: now) else { return [] }
        return [.campaignEnded(CampaignEnded(campaign: campaign, shop: shop.id))]
    }
}
