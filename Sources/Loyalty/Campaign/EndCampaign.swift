/// End a campaign now; for the owner or a manager.
public struct EndCampaign: Hashable, Sendable {
    public let campaign: CampaignID

    public init(campaign: CampaignID) {
        self.campaign = campaign
    }
}

/// The facts that ending a campaign needs.
public struct EndCampaignSituation: Hashable, Sendable {
    public let actor: Account?
    public let campaign: Campaign?
    public let shop: Shop?
}

extension EndCampaign: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> EndCampaignSituation {
        let account = try past.account(actor)
        guard let known = try past.campaign(campaign) else {
            return EndCampaignSituation(actor: account, campaign: nil, shop: nil)
        }
        return EndCampaignSituation(actor: account, campaign: known, shop: try past.shop(known.shop))
    }

    public func decide(_ situation: EndCampaignSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.campaign, let shop = situation.shop else { throw .notFound }
        try shop.require(.manager, of: actor)
        guard !known.isOver(at: now) else { return [] }
        return [.campaignEnded(CampaignEnded(campaign: campaign, shop: shop.id))]
    }
}
