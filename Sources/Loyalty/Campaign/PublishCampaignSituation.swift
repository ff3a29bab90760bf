/// What publishing a campaign depends on.
public struct PublishCampaignSituation: Hashable, Sendable {
    public let actor: Account?
    public let shop: Shop?
    public let campaignWithID: Campaign?
    /// The shop's, all of them.
    public let campaigns: [Campaign]

    public init(actor: Account?, shop: Shop?, campaignWithID: Campaign?, campaigns: [Campaign]) {
        self.actor = actor
        self.shop = shop
        self.campaignWithID = campaignWithID
        self.campaigns = campaigns
    }
}
