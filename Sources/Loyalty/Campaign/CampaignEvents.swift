/// A shop announced a campaign.
public struct CampaignPublished: Hashable, Sendable {
    public let campaign: CampaignID
    public let shop: ShopID
    public let kind: CampaignKind
    public let terms: CampaignTerms<TypedText>

    public init(campaign: CampaignID, shop: ShopID, kind: CampaignKind, terms: CampaignTerms<TypedText>) {
        self.campaign = campaign
        self.shop = shop
        self.kind = kind
        self.terms = terms
    }
}

/// The owner or a manager changed a campaign. The event has all terms as they are from now on, so that readers need no earlier state. The
/// kind never changes.
public struct CampaignEdited: Hashable, Sendable {
    public let campaign: CampaignID
    public let shop: ShopID
    public let terms: CampaignTerms<TypedText>

    public init(campaign: CampaignID, shop: ShopID, terms: CampaignTerms<TypedText>) {
        self.campaign = campaign
        self.shop = shop
        self.terms = terms
    }
}

/// A campaign ended before its time: the owner or a manager ended it, or its shop closed.
public struct CampaignEnded: Hashable, Sendable {
    public let campaign: CampaignID
    public let shop: ShopID

    public init(campaign: CampaignID, shop: ShopID) {
        self.campaign = campaign
        self.shop = shop
    }
}

/// The owner or a manager took back the early end of a campaign: it runs on as if it had not ended.
public struct CampaignReopened: Hashable, Sendable {
    public let campaign: CampaignID
    public let shop: ShopID
    /// The end that the campaign's terms name, which is in force again. It is repeated here, so that readers of the event need no earlier
    /// state.
    public let endsAt: Instant

    public init(campaign: CampaignID, shop: ShopID, endsAt: Instant) {
        self.campaign = campaign
        self.shop = shop
        self.endsAt = endsAt
    }
}
