/// A shop announced a campaign.
public struct CampaignPublished: Hashable, Sendable {
    public let campaign: CampaignID
    public let shop: ShopID
    public let kind: CampaignKind
    public let terms: CampaignTerms<TypedText>

    public init(campaign: CampaignID, shop: ShopID, kind: CampaignKind, terms: CampaignTerms<TypedText>) {
        (self.campaign, self.shop, self.kind, self.terms) = (campaign, shop, kind, terms)
    }
}

/// The owner or a manager changed a campaign. The event has all terms, so that readers need no earlier state.
public struct CampaignEdited: Hashable, Sendable {
    public let campaign: CampaignID
    public let shop: ShopID
    public let terms: CampaignTerms<TypedText>

    public init(campaign: CampaignID, shop: ShopID, terms: CampaignTerms<TypedText>) {
        (self.campaign, self.shop, self.terms) = (campaign, shop, terms)
    }
}
