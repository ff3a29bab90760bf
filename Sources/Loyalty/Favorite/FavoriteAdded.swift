/// Somebody added a campaign to their favourites.
public struct FavoriteAdded: Hashable, Sendable {
    public let account: AccountID
    public let campaign: CampaignID

    public init(account: AccountID, campaign: CampaignID) {
        self.account = account
        self.campaign = campaign
    }
}
