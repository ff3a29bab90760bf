/// The editable part of a campaign. `Text` is `String` in drafts and commands, and ``TypedText`` in events and states.
public struct CampaignTerms<Text: Hashable & Sendable>: Hashable, Sendable {
    public var title: Text
    public var details: Text
    /// 1 to 50; 0 for a promotion or a coupon. An edit applies to later cards.
    public var goal: Int
    public var reward: Text
    public var startsAt: Instant
    public var endsAt: Instant
    public var image: ImageID?
    /// None for a promotion or a coupon.
    public var caps: StampCaps
    /// None for a promotion; only dates and other shops for a coupon.
    public var options: CampaignOptions

    public init(
        title: Text, details: Text, goal: Int, reward: Text, startsAt: Instant, endsAt: Instant, image: ImageID? = nil,
        caps: StampCaps = .none, options: CampaignOptions = .none
    ) {
        (self.title, self.details, self.goal, self.reward, self.startsAt) = (title, details, goal, reward, startsAt)
        (self.endsAt, self.image, self.caps, self.options) = (endsAt, image, caps, options)
    }
}

extension CampaignTerms where Text == TypedText {
    public var texts: CampaignTexts {
        get { CampaignTexts(title: title, details: details, reward: reward) }
        set { (title, details, reward) = (newValue.title, newValue.details, newValue.reward) }
    }
}

extension CampaignTerms where Text == String {
    /// - Parameter sealed: `nil` to store the texts unsealed.
    func stored(sealed: CampaignTexts?) -> CampaignTerms<TypedText> {
        CampaignTerms<TypedText>(
            title: sealed?.title ?? .clear(title), details: sealed?.details ?? .clear(details), goal: goal,
            reward: sealed?.reward ?? .clear(reward), startsAt: startsAt, endsAt: endsAt, image: image, caps: caps,
            options: options.stored(sealed?.milestones))
    }
}

extension CampaignOptions {
    fileprivate func stored(_ rewards: [TypedText]?) -> CampaignOptions {
        var options = self
        options.milestones = milestones.stored(rewards)
        return options
    }
}

extension CampaignTerms {
    /// Only stamp cards have a goal and caps, and a promotion has no options.
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
    /// Set only during publication; afterwards the options contain the rewards.
    public let milestones: [TypedText]

    public init(title: TypedText, details: TypedText, reward: TypedText, milestones: [TypedText] = []) {
        (self.title, self.details, self.reward, self.milestones) = (title, details, reward, milestones)
    }
}

/// A campaign's texts after an edit, sealed by the caller, because the decision has no keys. `nil` leaves a text.
public struct ResealedTexts: Hashable, Sendable {
    public let title: TypedText?
    public let details: TypedText?
    public let reward: TypedText?
    public let milestones: [TypedText]?
    /// Texts that an older version stored unsealed, now sealed; stored with the next real edit.
    public let unchanged: CampaignTexts?
    /// The decision refuses texts sealed for any other version.
    public let basis: UInt64

    public init(
        title: TypedText?, details: TypedText?, reward: TypedText?, milestones: [TypedText]? = nil, unchanged: CampaignTexts? = nil,
        basis: UInt64
    ) {
        (self.title, self.milestones, self.unchanged) = (title, milestones, unchanged)
        (self.details, self.reward, self.basis) = (details, reward, basis)
    }
}
