/// That somebody keeps a campaign (收藏): either so or not so, and nothing else about it.
public struct Favorite: Hashable, Sendable {
    public let account: AccountID
    public let campaign: CampaignID

    public init(account: AccountID, campaign: CampaignID) {
        self.account = account
        self.campaign = campaign
    }
}
