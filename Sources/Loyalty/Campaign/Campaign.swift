/// A campaign (活动) of a shop, with a running time. Its terms can be read and changed as its own members, such as `campaign.goal`.
@dynamicMemberLookup
public struct Campaign: Hashable, Sendable {
    public let id: CampaignID
    public let shop: ShopID
    public var kind: CampaignKind
    public var terms: CampaignTerms<TypedText>
    /// The time at which the campaign was ended early; nil if it was not ended early, or was reopened since.
    public var endedAt: Instant?
    /// Position of the last event that changed the campaign as its owner sees it, for `ETag` and `If-Match`.
    public var version: UInt64

    public init(
        id: CampaignID, shop: ShopID, kind: CampaignKind, terms: CampaignTerms<TypedText>, endedAt: Instant?, version: UInt64
    ) {
        self.id = id
        self.shop = shop
        self.kind = kind
        self.terms = terms
        self.endedAt = endedAt
        self.version = version
    }

    public subscript<Value>(dynamicMember path: WritableKeyPath<CampaignTerms<TypedText>, Value>) -> Value {
        get { terms[keyPath: path] }
        set { terms[keyPath: path] = newValue }
    }
}

extension Campaign {
    /// Whether codes of the campaign can be issued and entered at `now`: from `startsAt` until just before `endsAt`, unless it was ended
    /// early.
    ///
    /// A campaign that was ended early is over until it is reopened, even if the clock steps back to before its early end.
    public func isRunning(at now: Instant) -> Bool {
        endedAt == nil && terms.startsAt <= now && now < terms.endsAt
    }

    /// Whether the campaign's time has passed, or it was ended early. A campaign that has not started yet is not over.
    public func isOver(at now: Instant) -> Bool {
        endedAt != nil || terms.endsAt <= now
    }
}

extension [Campaign] {
    /// The number of campaigns that are not over.
    func openCount(at now: Instant) -> Int { count { !$0.isOver(at: now) } }
}

extension Campaign {
    public init?(opening fact: Fact) {
        guard case .campaignPublished(let event) = fact.event else { return nil }
        self.init(id: event.campaign, shop: event.shop, kind: event.kind, terms: event.terms, endedAt: nil, version: fact.position)
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .campaignEdited(let event) where event.campaign == id:
            terms = event.terms
            version = fact.position
        case .campaignEnded(let event) where event.campaign == id:
            endedAt = fact.time
            version = fact.position
        case .campaignReopened(let event) where event.campaign == id:
            endedAt = nil
            version = fact.position
        default: break
        }
    }
}

/// The kind of campaign: a card to fill (集点卡), an announcement (促销活动), or a reward that each account may claim once (优惠券).
public enum CampaignKind: Hashable, Sendable {
    case stampCard
    case promotion
    case coupon

    /// Whether accounts can have cards of a campaign of this kind.
    public var hasCards: Bool { self != .promotion }
}
