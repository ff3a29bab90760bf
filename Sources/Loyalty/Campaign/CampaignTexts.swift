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
    /// The version of the campaign that was edited: the decision refuses any other.
    public let basis: UInt64

    public init(title: TypedText?, details: TypedText?, reward: TypedText?, basis: UInt64) {
        self.title = title
        self.details = details
        self.reward = reward
        self.basis = basis
    }
}
