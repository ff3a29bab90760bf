/// What editing a campaign depends on.
public struct EditCampaignSituation: Hashable, Sendable {
    public let actor: Account?
    public let campaign: Campaign?
    /// The campaign's.
    public let shop: Shop?

    public init(actor: Account?, campaign: Campaign?, shop: Shop?) {
        self.actor = actor
        self.campaign = campaign
        self.shop = shop
    }
}
