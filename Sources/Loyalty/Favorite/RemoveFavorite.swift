/// Keep a campaign among the actor's favourites no longer.
public struct RemoveFavorite: Hashable, Sendable {
    public let campaign: CampaignID

    public init(campaign: CampaignID) {
        self.campaign = campaign
    }
}
