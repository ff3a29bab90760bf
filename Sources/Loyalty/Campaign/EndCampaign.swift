/// End a campaign now; owner only.
public struct EndCampaign: Hashable, Sendable {
    public let campaign: CampaignID

    public init(campaign: CampaignID) {
        self.campaign = campaign
    }
}
