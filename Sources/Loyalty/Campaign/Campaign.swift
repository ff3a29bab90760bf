/// A campaign (活动) of a shop, with a running time.
public struct Campaign: Hashable, Sendable {
    public let id: CampaignID
    public let shop: ShopID
    public var kind: CampaignKind
    public var title: TypedText
    public var details: TypedText
    /// The goal of cards that are opened from now on. Open cards keep theirs.
    public var goal: Int
    public var reward: TypedText
    public var startsAt: Instant
    public var endsAt: Instant
    public var image: ImageID?
    public var caps: StampCaps
    /// When the owner ended it early.
    public var endedAt: Instant?
    /// Position of the last event that changed what its owner sees, for `ETag` and `If-Match`.
    public var version: UInt64

    public init(
        id: CampaignID,
        shop: ShopID,
        kind: CampaignKind,
        title: TypedText,
        details: TypedText,
        goal: Int,
        reward: TypedText,
        startsAt: Instant,
        endsAt: Instant,
        image: ImageID?,
        caps: StampCaps,
        endedAt: Instant?,
        version: UInt64
    ) {
        self.id = id
        self.shop = shop
        self.kind = kind
        self.title = title
        self.details = details
        self.goal = goal
        self.reward = reward
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.image = image
        self.caps = caps
        self.endedAt = endedAt
        self.version = version
    }
}

extension Campaign {
    /// Whether it takes stamps and hands out codes at `now`: from `startsAt`, up to but not at `endsAt`, unless ended early.
    ///
    /// A campaign that was ended early is over for good, even for a clock that steps back behind the moment it was ended.
    public func isRunning(at now: Instant) -> Bool {
        endedAt == nil && startsAt <= now && now < endsAt
    }

    /// Whether it is past its time or was ended early; one that has yet to start is not over.
    public func isOver(at now: Instant) -> Bool {
        endedAt != nil || endsAt <= now
    }
}

extension [Campaign] {
    /// How many are not over.
    func openCount(at now: Instant) -> Int { count { !$0.isOver(at: now) } }
}

extension Campaign: Folded {
    public init?(opening fact: Fact) {
        guard case .campaignPublished(let event) = fact.event else { return nil }
        self.init(
            id: event.campaign, shop: event.shop, kind: event.kind, title: event.title, details: event.details, goal: event.goal,
            reward: event.reward, startsAt: event.startsAt, endsAt: event.endsAt, image: event.image, caps: event.caps, endedAt: nil,
            version: fact.position)
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .campaignEdited(let event) where event.campaign == id: edit(event, fact)
        case .campaignEnded(let event) where event.campaign == id:
            endedAt = fact.time
            version = fact.position
        default: break
        }
    }

    private mutating func edit(_ event: CampaignEdited, _ fact: Fact) {
        title = event.title
        details = event.details
        goal = event.goal
        reward = event.reward
        startsAt = event.startsAt
        endsAt = event.endsAt
        image = event.image
        caps = event.caps
        version = fact.position
    }
}

/// The kind of campaign: a card to fill (集点卡) or an announcement (促销活动).
public enum CampaignKind: Hashable, Sendable {
    case stampCard
    case promotion
}

/// The texts of a published campaign, as the log holds them.
public struct CampaignTexts: Hashable, Sendable {
    public let title: TypedText
    public let details: TypedText
    public let reward: TypedText

    public init(title: TypedText, details: TypedText, reward: TypedText) {
        self.title = title
        self.details = details
        self.reward = reward
    }

    /// The present texts of a campaign.
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
