/// Announce a campaign; for the owner or a manager.
public struct PublishCampaign: Hashable, Sendable {
    public let campaign: CampaignID
    public let shop: ShopID
    public let kind: CampaignKind
    public let terms: CampaignTerms<String>
    /// `nil` in a service that has no keys.
    public var sealed: CampaignTexts?

    public init(campaign: CampaignID, shop: ShopID, kind: CampaignKind, terms: CampaignTerms<String>, sealed: CampaignTexts? = nil) {
        (self.campaign, self.shop, self.kind, self.terms, self.sealed) = (campaign, shop, kind, terms, sealed)
    }
}

extension PublishCampaign: Decision {
    public typealias Situation = (shop: Shop?, campaignWithID: Campaign?, campaigns: [Campaign], sharing: [Shop])

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        (
            shop: try past.shop(shop), campaignWithID: try past.campaign(campaign), campaigns: try past.campaigns(of: shop),
            sharing: try .load(terms.options.ordered(at: shop).shops, in: &past)
        )
    }

    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.shop else { throw .notFound }
        try known.require(.manager, of: actor)
        if let existing = situation.campaignWithID {
            guard existing.shop == shop else { throw .notFound }
            return []
        }
        try checkFields(situation, known, by: actor, at: now)
        try checkCount(situation.campaigns, at: now)
        return [.campaignPublished(published)]
    }

    private var published: CampaignPublished {
        var terms = terms.stored(sealed: sealed).restricted(to: kind)
        terms.options = terms.options.ordered(at: shop)
        return CampaignPublished(campaign: campaign, shop: shop, kind: kind, terms: terms)
    }

    private func checkFields(_ situation: Situation, _ home: Shop, by actor: AccountID, at now: Instant) throws(Rejection) {
        var checks = FieldChecks()
        checkWords(&checks)
        if kind == .stampCard { checks.require(terms.goal, in: Limits.goalStamps, "goal") }
        checkReward(&checks)
        if kind == .stampCard { checks.require(terms.caps) }
        checks.require(terms, of: kind)
        if kind.hasCards { checks.require(shared: terms.options.shops, situation.sharing, at: home, by: actor) }
        checkTimes(&checks, at: now)
        try checks.verdict()
    }

    /// - Throws: `.invalid`, with every text that breaks a limit.
    public func checkTexts() throws(Rejection) {
        var checks = FieldChecks()
        checkWords(&checks)
        checkReward(&checks)
        for (place, milestone) in terms.options.milestones.enumerated() {
            checks.requireReward(milestone.reward, "milestones/\(place)/reward")
        }
        try checks.verdict()
    }

    private func checkWords(_ checks: inout FieldChecks) {
        checks.require(terms.title, within: Limits.title, "title")
        checks.require(terms.details, within: Limits.details, "details")
        checks.require(sealed: sealed?.title, "title")
        checks.require(sealed: sealed?.details, "details")
    }

    private func checkReward(_ checks: inout FieldChecks) {
        checks.require(terms.reward, within: kind.rewardLimit, "reward")
        checks.require(sealed: sealed?.reward, "reward")
        for (place, text) in (sealed?.milestones ?? []).enumerated() { checks.require(sealed: text, "milestones/\(place)/reward") }
    }

    /// No single field is wrong, so the fault names none.
    private func checkCount(_ campaigns: [Campaign], at now: Instant) throws(Rejection) {
        var checks = FieldChecks()
        checks.require(campaigns.openCount(at: now) < Limits.openCampaignsPerShop, "", .openCampaigns(max: Limits.openCampaignsPerShop))
        checks.require(campaigns.count < Limits.campaignsPerShop, "", .campaigns(max: Limits.campaignsPerShop))
        try checks.verdict()
    }

    private func checkTimes(_ checks: inout FieldChecks, at now: Instant) {
        checks.require(
            terms.startsAt <= now.advanced(bySeconds: Limits.campaignLeadSecondsMax), "startsAt",
            .yearsAhead(max: Limits.campaignLeadYearsMax))
        guard terms.endsAt > terms.startsAt else { return checks.require(false, "endsAt", .notAfterStart) }
        guard terms.endsAt > now else { return checks.require(false, "endsAt", .pastTime) }
        checks.require(
            terms.endsAt <= terms.startsAt.advanced(bySeconds: Limits.campaignRunningSecondsMax), "endsAt",
            .yearsAfterStart(max: Limits.campaignRunningYearsMax))
    }
}

extension FieldChecks {
    /// Bounds the size of the event. The content was checked before sealing.
    mutating func require(sealed text: TypedText?, _ field: String) {
        guard case .sealed(let sealed) = text else { return }
        require(Limits.sealedCampaignTextBytes.contains(sealed.bytes.count), field, .tooLong)
    }

    mutating func require(_ caps: StampCaps) {
        if let stamps = caps.stampsPerDayMax { require(stamps, in: Limits.stampsPerDay, "stampsPerDayMax") }
        if let seconds = caps.minimumGapSeconds { require(seconds, in: Limits.minimumGapSeconds, "minimumGapSeconds") }
    }
}

extension CampaignKind {
    /// A promotion may have no reward.
    var rewardLimit: TextLimit {
        switch self {
        case .stampCard, .coupon: Limits.stampCardReward
        case .promotion: Limits.promotionReward
        }
    }
}
