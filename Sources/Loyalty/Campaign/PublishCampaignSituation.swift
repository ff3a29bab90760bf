/// What publishing a campaign depends on.
public struct PublishCampaignSituation: Hashable, Sendable {
    public let actor: Account?
    public let shop: Shop?
    public let campaignWithID: Campaign?

    public init(actor: Account?, shop: Shop?, campaignWithID: Campaign?) {
        self.actor = actor
        self.shop = shop
        self.campaignWithID = campaignWithID
    }
}
