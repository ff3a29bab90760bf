/// End a campaign now; for the owner or a manager.
public struct EndCampaign: Hashable, Sendable {
    public let campaign: CampaignID

    public init(campaign: CampaignID) { self.campaign = campaign }
}

extension EndCampaign: Decision {
    public typealias Situation = (campaign: Campaign?, shop: Shop?)

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        guard let known = try past.campaign(campaign) else { return (campaign: nil, shop: nil) }
        return (campaign: known, shop: try past.shop(known.shop))
    }

    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.campaign, let shop = situation.shop else { throw .notFound }
        try shop.require(.manager, of: actor)
        guard !known.isOver(at: now) else { return [] }
        return [.campaignEnded(CampaignEnded(campaign: campaign, shop: shop.id))]
    }
}

/// Take back the early end of a campaign, within a day; for the owner or a manager.
public struct ReopenCampaign: Hashable, Sendable {
    public let campaign: CampaignID

    public init(campaign: CampaignID) { self.campaign = campaign }
}

extension ReopenCampaign: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> EditCampaignSituation {
        try .load(campaign, in: &past)
    }

    /// Codes that were open at the early end are valid again for the rest of their time.
    public func decide(_ situation: EditCampaignSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.campaign, let shop = situation.shop else { throw .notFound }
        try shop.require(.manager, of: actor)
        guard now < known.endsAt else { throw .campaignOver }
        guard let endedAt = known.endedAt else { return [] }
        let latest = endedAt.advanced(bySeconds: Limits.reopeningSeconds)
        guard Validity.holds(at: now, from: endedAt, until: latest) else { throw .campaignOver }
        try situation.campaigns.requireRoom(at: now)
        return [.campaignReopened(CampaignReopened(campaign: campaign, shop: shop.id, endsAt: known.endsAt))]
    }
}
