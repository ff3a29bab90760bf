/// A campaign (活动) of a shop. Its terms are also its own members, such as `campaign.goal`.
@dynamicMemberLookup
public struct Campaign: Hashable, Sendable {
    public let id: CampaignID
    public let shop: ShopID
    public var kind: CampaignKind
    public var terms: CampaignTerms<TypedText>
    /// nil also after a reopening.
    public var endedAt: Instant?
    /// For `ETag` and `If-Match`.
    public var version: UInt64

    public init(id: CampaignID, shop: ShopID, kind: CampaignKind, terms: CampaignTerms<TypedText>, endedAt: Instant?, version: UInt64) {
        (self.id, self.shop, self.kind, self.terms, self.endedAt, self.version) = (id, shop, kind, terms, endedAt, version)
    }

    public subscript<Value>(dynamicMember path: WritableKeyPath<CampaignTerms<TypedText>, Value>) -> Value {
        get { terms[keyPath: path] }
        set { terms[keyPath: path] = newValue }
    }
}

extension Campaign {
    /// A campaign that was ended early stays over even if the clock steps back.
    public func isRunning(at now: Instant) -> Bool { endedAt == nil && terms.startsAt <= now && now < terms.endsAt }

    public func isOver(at now: Instant) -> Bool { endedAt != nil || terms.endsAt <= now }
}

extension [Campaign] {
    func openCount(at now: Instant) -> Int { count { !$0.isOver(at: now) } }

    /// - Throws: `.invalid` if the shop has no room for one of them to be open again.
    func requireRoom(at now: Instant) throws(Rejection) {
        let most = Limits.openCampaignsPerShop
        try FieldChecks.check { $0.require(openCount(at: now) < most, "endsAt", .reopened(max: most)) }
    }
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

/// A card to fill (集点卡), an announcement (促销活动), or a reward that each account may claim once (优惠券).
public enum CampaignKind: Hashable, Sendable {
    case stampCard
    case promotion
    case coupon

    public var hasCards: Bool { self != .promotion }
}
