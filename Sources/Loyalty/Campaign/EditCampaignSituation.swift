/// What editing a campaign depends on.
public struct EditCampaignSituation: Hashable, Sendable {
    public let actor: Account?
    public let campaign: Campaign?
    /// The campaign's.
    public let shop: Shop?
    /// The shop's, all of them.
    public let campaigns: [Campaign]

    public init(actor: Account?, campaign: Campaign?, shop: Shop?, campaigns: [Campaign]) {
        self.actor = actor
        self.campaign = campaign
        self.shop = shop
        self.campaigns = campaigns
    }
}
