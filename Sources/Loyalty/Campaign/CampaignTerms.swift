/// The part of a campaign that can be edited.
///
/// `Text` is `String` in drafts and commands, and ``TypedText`` in events and states, where a text may be sealed.
public struct CampaignTerms<Text: Hashable & Sendable>: Hashable, Sendable {
    public var title: Text
    public var details: Text
    /// The stamps that fill a card, 1 to 50; 0 for a promotion or a coupon. An edited goal applies to cards that are opened later.
    public var goal: Int
    /// The reward of a full card.
    public var reward: Text
    public var startsAt: Instant
    public var endsAt: Instant
    public var image: ImageID?
    /// The limits on how fast an account gains stamps; none for a promotion or a coupon.
    public var caps: StampCaps
    /// The options; none for a promotion. A coupon can have only dates and other shops, since nothing is collected on it.
    public var options: CampaignOptions

    public init(
        title: Text,
        details: Text,
        goal: Int,
        reward: Text,
        startsAt: Instant,
        endsAt: Instant,
        image: ImageID? = nil,
        caps: StampCaps = .none,
        options: CampaignOptions = .none
    ) {
        self.title = title
        self.details = details
        self.goal = goal
        self.reward = reward
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.image = image
        self.caps = caps
        self.options = options
    }
}

extension CampaignTerms where Text == TypedText {
    /// The texts of the terms.
    public var texts: CampaignTexts {
        get { CampaignTexts(title: title, details: details, reward: reward) }
        set { (title, details, reward) = (newValue.title, newValue.details, newValue.reward) }
    }
}

extension CampaignTerms where Text == String {
    /// The terms with texts as the log stores them.
    ///
    /// - Parameter sealed: the sealed texts, or `nil` to store them unsealed.
    func stored(sealed: CampaignTexts?) -> CampaignTerms<TypedText> {
        CampaignTerms<TypedText>(
            title: sealed?.title ?? .clear(title), details: sealed?.details ?? .clear(details), goal: goal,
            reward: sealed?.reward ?? .clear(reward), startsAt: startsAt, endsAt: endsAt, image: image, caps: caps,
            options: options.stored(sealed?.milestones))
    }
}

extension CampaignOptions {
    /// These options with the milestones' rewards in the form that the log stores.
    fileprivate func stored(_ rewards: [TypedText]?) -> CampaignOptions {
        var options = self
        options.milestones = milestones.stored(rewards)
        return options
    }
}

extension CampaignTerms {
    /// These terms without the parts that a campaign of `kind` cannot have. Only stamp cards collect stamps, so the other kinds have no
    /// goal and no caps. A promotion has no cards at all, and therefore no options either.
    func restricted(to kind: CampaignKind) -> Self {
        guard kind != .stampCard else { return self }
        var terms = self
        (terms.goal, terms.caps) = (0, .none)
        if !kind.hasCards { terms.options = .none }
        return terms
    }
}

/// The texts of a campaign in the form that the log stores.
public struct CampaignTexts: Hashable, Sendable {
    public let title: TypedText
    public let details: TypedText
    public let reward: TypedText
    /// The rewards of the milestones, in the milestones' order. Set only while a campaign is being published; afterwards the campaign's
    /// options contain the rewards.
    public let milestones: [TypedText]

    public init(title: TypedText, details: TypedText, reward: TypedText, milestones: [TypedText] = []) {
        self.title = title
        self.details = details
        self.reward = reward
        self.milestones = milestones
    }
}

/// A campaign's texts after an edit, sealed by the caller, because the decision has no keys. `nil` leaves a text as it is.
public struct ResealedTexts: Hashable, Sendable {
    public let title: TypedText?
    public let details: TypedText?
    public let reward: TypedText?
    /// The rewards of the milestones that the edit sets, in their order.
    public let milestones: [TypedText]?
    /// The texts that the edit leaves as they are, sealed if an older version of the service stored them unsealed; `nil` if all of them
    /// were sealed already. An edit that changes something stores these sealed texts. An edit that changes nothing leaves the texts as they
    /// are.
    public let unchanged: CampaignTexts?
    /// The version of the campaign for which the texts were sealed. The decision refuses the texts for any other version.
    public let basis: UInt64

    public init(
        title: TypedText?, details: TypedText?, reward: TypedText?, milestones: [TypedText]? = nil, unchanged: CampaignTexts? = nil,
        basis: UInt64
    ) {
        self.title = title
        self.milestones = milestones
        self.unchanged = unchanged
        self.details = details
        self.reward = reward
        self.basis = basis
    }
}
