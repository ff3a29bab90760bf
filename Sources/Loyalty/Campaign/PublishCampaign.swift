/// Announce a campaign; owner only.
public struct PublishCampaign: Hashable, Sendable {
    public let campaign: CampaignID
    public let shop: ShopID
    public let kind: CampaignKind
    public let title: String
    public let details: String
    public let goal: Int
    public let reward: String
    public let startsAt: Instant
    public let endsAt: Instant
    public let image: ImageID?
    /// None for a promotion.
    public let caps: StampCaps
    /// The texts above, sealed under the shop's key; `nil` where there are no keys.
    public var sealed: CampaignTexts?

    public init(
        campaign: CampaignID,
        shop: ShopID,
        kind: CampaignKind,
        title: String,
        details: String,
        goal: Int,
        reward: String,
        startsAt: Instant,
        endsAt: Instant,
        image: ImageID? = nil,
        caps: StampCaps = .none,
        sealed: CampaignTexts? = nil
    ) {
        self.campaign = campaign
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
        self.sealed = sealed
    }
}

/// The facts that publishing a campaign needs.
public struct PublishCampaignSituation: Hashable, Sendable {
    public let actor: Account?
    public let shop: Shop?
    public let campaignWithID: Campaign?
    /// The shop's, all of them.
    public let campaigns: [Campaign]

    public init(actor: Account?, shop: Shop?, campaignWithID: Campaign?, campaigns: [Campaign]) {
        self.actor = actor
        self.shop = shop
        self.campaignWithID = campaignWithID
        self.campaigns = campaigns
    }
}

extension PublishCampaign: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> PublishCampaignSituation {
        PublishCampaignSituation(
            actor: try past.account(actor), shop: try past.shop(shop), campaignWithID: try past.campaign(campaign),
            campaigns: try past.campaigns(of: shop))
    }

    public func decide(
        _ situation: PublishCampaignSituation, by actor: AccountID, at now: Instant
    ) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.shop else { throw .notFound }
        guard known.owner == actor else { throw .forbidden }
        if let existing = situation.campaignWithID {
            guard existing.shop == shop else { throw .notFound }
            return []
        }
        try checkFields(at: now)
        try checkCount(situation.campaigns, at: now)
        return [.campaignPublished(published)]
    }

    private var published: CampaignPublished {
        CampaignPublished(
            campaign: campaign, shop: shop, kind: kind, title: sealed?.title ?? .clear(title), details: sealed?.details ?? .clear(details),
            // A promotion has no cards: whatever came as its goal is dropped, so that nothing can ever be filled by it.
            goal: kind == .stampCard ? goal : 0,
            reward: sealed?.reward ?? .clear(reward), startsAt: startsAt, endsAt: endsAt, image: image,
            caps: kind == .stampCard ? caps : .none)
    }

    private func checkFields(at now: Instant) throws(Rejection) {
        var checks = FieldChecks()
        checkWords(&checks)
        if kind == .stampCard { checks.require(goal, in: Limits.goalStamps, "goal") }
        checkReward(&checks)
        if kind == .stampCard { checks.require(caps) }
        checkTimes(&checks, at: now)
        try checks.verdict()
    }

    /// Whether the texts may be what they are.
    ///
    /// - Throws: `.invalid`, with every text that may not be so.
    public func checkTexts() throws(Rejection) {
        var checks = FieldChecks()
        checkWords(&checks)
        checkReward(&checks)
        try checks.verdict()
    }

    private func checkWords(_ checks: inout FieldChecks) {
        checks.require(title, within: Limits.title, "title")
        checks.require(details, within: Limits.details, "details")
        checks.require(sealed: sealed?.title, "title")
        checks.require(sealed: sealed?.details, "details")
    }

    private func checkReward(_ checks: inout FieldChecks) {
        checks.require(reward, within: kind.rewardLimit, "reward")
        checks.require(sealed: sealed?.reward, "reward")
    }

    /// Nobody's fault of one field, so it names none.
    private func checkCount(_ campaigns: [Campaign], at now: Instant) throws(Rejection) {
        var checks = FieldChecks()
        checks.require(
            campaigns.openCount(at: now) < Limits.openCampaignsPerShop, "",
            "at most \(Limits.openCampaignsPerShop) campaigns of a shop may run or be about to; end one first")
        checks.require(campaigns.count < Limits.campaignsPerShop, "", "a shop can have \(Limits.campaignsPerShop) campaigns in all")
        try checks.verdict()
    }

    private func checkTimes(_ checks: inout FieldChecks, at now: Instant) {
        checks.require(
            startsAt <= now.advanced(bySeconds: Limits.campaignLeadSecondsMax), "startsAt", "must be at most 5 years ahead")
        guard endsAt > startsAt else { return checks.require(false, "endsAt", "must be after startsAt") }
        guard endsAt > now else { return checks.require(false, "endsAt", "must be in the future") }
        checks.require(
            endsAt <= startsAt.advanced(bySeconds: Limits.campaignRunningSecondsMax), "endsAt",
            "must be at most 100 years after startsAt")
    }
}

/// Checks of a campaign's fields, for publishing and editing.
extension FieldChecks {
    /// A sealed text was checked in the clear. Here only its bytes are checked, which bound the event record.
    mutating func require(sealed text: TypedText?, _ field: String) {
        guard case .sealed(let sealed) = text else { return }
        require(Limits.sealedCampaignTextBytes.contains(sealed.bytes.count), field, "is too long")
    }

    mutating func require(_ caps: StampCaps) {
        if let stamps = caps.stampsPerDayMax { require(stamps, in: Limits.stampsPerDay, "stampsPerDayMax") }
        if let seconds = caps.minimumGapSeconds { require(seconds, in: Limits.minimumGapSeconds, "minimumGapSeconds") }
    }
}

extension CampaignKind {
    /// A card is filled for something; a promotion need not promise anything.
    var rewardLimit: TextLimit {
        switch self {
        case .stampCard: Limits.stampCardReward
        case .promotion: Limits.promotionReward
        }
    }
}
