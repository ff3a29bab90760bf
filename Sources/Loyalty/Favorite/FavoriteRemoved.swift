/// Somebody took a campaign off their favourites.
public struct FavoriteRemoved: Hashable, Sendable {
    public let account: AccountID
    public let campaign: CampaignID

    public init(account: AccountID, campaign: CampaignID) {
        self.account = account
        self.campaign = campaign
    }
}
