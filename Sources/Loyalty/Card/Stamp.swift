/// Enter a stamp code: the actor's card gains its stamps.
public struct Stamp: Hashable, Sendable {
    /// Keyed hash of what was typed.
    public let secret: Secret
    /// Where given, the code must be of this campaign.
    public let campaign: CampaignID?
    /// The id of the first card that has to be opened; each further one is the next number.
    public let firstCard: CardID

    public init(secret: Secret, campaign: CampaignID?, firstCard: CardID) {
        self.secret = secret
        self.campaign = campaign
        self.firstCard = firstCard
    }
}
