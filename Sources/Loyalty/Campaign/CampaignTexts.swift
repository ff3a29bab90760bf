/// What an owner typed about a campaign that is published, as the log holds it.
public struct CampaignTexts: Hashable, Sendable {
    public let title: TypedText
    public let details: TypedText
    public let reward: TypedText

    public init(title: TypedText, details: TypedText, reward: TypedText) {
        self.title = title
        self.details = details
        self.reward = reward
    }

    /// What the campaign says now.
    init(_ campaign: Campaign) {
        self.init(title: campaign.title, details: campaign.details, reward: campaign.reward)
    }
}

/// A campaign's texts as an edit leaves them, sealed outside of the decision, which has no keys. `nil` leaves a text as it is.
public struct ResealedTexts: Hashable, Sendable {
    public let title: TypedText?
    public let details: TypedText?
    public let reward: TypedText?
    /// The texts that the edit leaves as they are, sealed where an older program stored them in the clear; `nil` where none was. An edit
    /// that changes something says them all, and one that changes nothing leaves them in the clear.
    public let unchanged: CampaignTexts?
    /// The version of the campaign that was edited: the decision refuses any other.
    public let basis: UInt64

    public init(title: TypedText?, details: TypedText?, reward: TypedText?, unchanged: CampaignTexts? = nil, basis: UInt64) {
        self.title = title
        self.unchanged = unchanged
        self.details = details
        self.reward = reward
        self.basis = basis
    }
}
