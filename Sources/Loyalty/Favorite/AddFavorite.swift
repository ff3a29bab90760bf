/// Keep a campaign among the actor's favourites.
public struct AddFavorite: Hashable, Sendable {
    public let campaign: CampaignID

    public init(campaign: CampaignID) {
        self.campaign = campaign
    }
}
