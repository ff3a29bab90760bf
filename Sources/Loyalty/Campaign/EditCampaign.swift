/// Change a campaign; for the owner or a manager. `nil` leaves a field as it is.
public struct EditCampaign: Hashable, Sendable {
    public let campaign: CampaignID
    public let expected: ExpectedVersion
    public var title: String?
    public let details: String?
    /// Applies to later cards; only stamp cards have a goal.
    public let goal: Int?
    public var reward: String?
    public let startsAt: Instant?
    public let endsAt: Instant?
    /// The caller MUST know that the image exists.
    public let image: Change<ImageID>
    public let stampsPerDayMax: Change<Int>
    public let minimumGapSeconds: Change<Int>
    public var options: CampaignOptionChanges
    /// `nil` in a service that has no keys.
    public var resealed: ResealedTexts?

    public init(
        campaign: CampaignID, expected: ExpectedVersion, title: String? = nil, details: String? = nil, goal: Int? = nil,
        reward: String? = nil, startsAt: Instant? = nil, endsAt: Instant? = nil, image: Change<ImageID> = .unchanged,
        stampsPerDayMax: Change<Int> = .unchanged, minimumGapSeconds: Change<Int> = .unchanged, options: CampaignOptionChanges = .none,
        resealed: ResealedTexts? = nil
    ) {
        (self.campaign, self.expected, self.title) = (campaign, expected, title)
        (self.details, self.goal, self.reward) = (details, goal, reward)
        (self.startsAt, self.endsAt, self.image) = (startsAt, endsAt, image)
        (self.stampsPerDayMax, self.minimumGapSeconds, self.options) = (stampsPerDayMax, minimumGapSeconds, options)
        self.resealed = resealed
    }
}

/// The facts that editing or reopening a campaign needs.
public struct EditCampaignSituation: Hashable, Sendable {
    public let campaign: Campaign?
    public let shop: Shop?
    public let campaigns: [Campaign]
    public var sharing: [Shop] = []
}

extension EditCampaignSituation {
    static func load<P: Past>(_ campaign: CampaignID, in past: inout P) throws(P.Failure) -> EditCampaignSituation {
        guard let known = try past.campaign(campaign) else { return EditCampaignSituation(campaign: nil, shop: nil, campaigns: []) }
        return EditCampaignSituation(campaign: known, shop: try past.shop(known.shop), campaigns: try past.campaigns(of: known.shop))
    }
}

extension EditCampaign: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> EditCampaignSituation {
        var situation = try EditCampaignSituation.load(campaign, in: &past)
        if case .set(let shops) = options.shops, let home = situation.shop?.id {
            situation.sharing = try .load(CampaignOptions(shops: shops).ordered(at: home).shops, in: &past)
        }
        return situation
    }

    /// An edit that changes nothing is accepted and leaves the version as it is.
    public func decide(_ situation: EditCampaignSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.campaign, let shop = situation.shop else { throw .notFound }
        try shop.require(.manager, of: actor)
        try expected.check(known.version)
        var edited = edited(known, try texts(after: known, besides: known.texts))
        try check(edited, known, situation, by: actor, at: now)
        edited.options.milestones = try milestones(of: edited, known)
        try checkCount(situation.campaigns, edited, known, at: now)
        guard edited != known.terms else { return [] }
        var stored = edited
        if let unchanged = resealed?.unchanged { stored.texts = try texts(after: known, besides: unchanged) }
        return [.campaignEdited(CampaignEdited(campaign: campaign, shop: known.shop, terms: stored))]
    }

    /// Texts sealed for another version would undo another edit.
    private func texts(after known: Campaign, besides unchanged: CampaignTexts) throws(Rejection) -> CampaignTexts {
        if let resealed {
            guard resealed.basis == known.version else { throw .versionConflict }
            return CampaignTexts(
                title: resealed.title ?? unchanged.title, details: resealed.details ?? unchanged.details,
                reward: resealed.reward ?? unchanged.reward)
        }
        let clear = CampaignTexts(
            title: title.map { .clear($0) } ?? known.title, details: details.map { .clear($0) } ?? known.details,
            reward: reward.map { .clear($0) } ?? known.reward)
        let isSealed = known.title.open == nil || known.details.open == nil || known.reward.open == nil
        guard !isSealed || clear == known.texts else { throw .versionConflict }
        return clear
    }

    private func milestones(of edited: CampaignTerms<TypedText>, _ known: Campaign) throws(Rejection) -> [Milestone] {
        guard edited.options.milestones != known.options.milestones else { return known.options.milestones }
        let stored = edited.options.milestones.stored(resealed?.milestones)
        guard known.title.open != nil || !stored.hasClearReward else { throw .versionConflict }
        return stored
    }

    private func edited(_ known: Campaign, _ texts: CampaignTexts) -> CampaignTerms<TypedText> {
        var terms = known.terms
        terms.texts = texts
        terms.goal = goal ?? known.goal
        terms.startsAt = startsAt ?? known.startsAt
        terms.endsAt = endsAt ?? known.endsAt
        terms.image = image.applied(to: known.image)
        terms.caps = StampCaps(
            stampsPerDayMax: stampsPerDayMax.applied(to: known.caps.stampsPerDayMax),
            minimumGapSeconds: minimumGapSeconds.applied(to: known.caps.minimumGapSeconds))
        terms.options = options.applied(to: known.options).ordered(at: known.shop)
        return terms.restricted(to: known.kind)
    }

    /// Unchanged fields may date from older limits.
    private func check(
        _ edited: CampaignTerms<TypedText>, _ known: Campaign, _ situation: EditCampaignSituation, by actor: AccountID, at now: Instant
    ) throws(Rejection) {
        var checks = FieldChecks()
        if let title, edited.title != known.title { checks.require(title, within: Limits.title, "title") }
        if let details, edited.details != known.details { checks.require(details, within: Limits.details, "details") }
        if edited.goal != known.goal { checks.require(edited.goal, in: Limits.goalStamps, "goal") }
        if let reward, edited.reward != known.reward { checks.require(reward, within: known.kind.rewardLimit, "reward") }
        checks.require(sealed: resealed?.title, "title")
        checks.require(sealed: resealed?.details, "details")
        checks.require(sealed: resealed?.reward, "reward")
        if edited.startsAt != known.startsAt { checkStart(edited, &checks, at: now) }
        if edited.endsAt != known.endsAt { checkEnd(edited, known, &checks, at: now) }
        if edited.caps != known.caps { checks.require(edited.caps) }
        checkOptions(edited, known, &checks)
        if let home = situation.shop, known.kind.hasCards, case .set(let shops) = options.shops,
            shops.count > edited.options.shops.count + 1 || edited.options.shops != known.options.shops
        {
            checks.require(shared: shops, situation.sharing, at: home, by: actor, besides: known.options.shops)
        }
        try checks.verdict()
    }

    /// Some limits depend on goal and end.
    private func checkOptions(_ edited: CampaignTerms<TypedText>, _ known: Campaign, _ checks: inout FieldChecks) {
        // Options that the campaign's kind cannot have are refused, not dropped silently.
        var asked = edited
        if !known.kind.hasCards { asked.options = options.applied(to: .none) }
        guard asked.options != known.options || edited.goal != known.goal || edited.endsAt != known.endsAt else { return }
        checks.require(asked, of: known.kind)
    }

    /// A later end may open the campaign again.
    private func checkCount(
        _ campaigns: [Campaign], _ edited: CampaignTerms<TypedText>, _ known: Campaign, at now: Instant
    ) throws(Rejection) {
        guard known.isOver(at: now), edited.endsAt > now, known.endedAt == nil else { return }
        try campaigns.requireRoom(at: now)
    }

    private func checkStart(_ edited: CampaignTerms<TypedText>, _ checks: inout FieldChecks, at now: Instant) {
        let latest = now.advanced(bySeconds: Limits.campaignLeadSecondsMax)
        checks.require(edited.startsAt <= latest, "startsAt", .yearsAhead(max: Limits.campaignLeadYearsMax))
        checks.require(edited.startsAt < edited.endsAt, "startsAt", .notBeforeEnd)
        let running = edited.startsAt.advanced(bySeconds: Limits.campaignRunningSecondsMax)
        checks.require(edited.endsAt <= running, "startsAt", .yearsBeforeEnd(max: Limits.campaignRunningYearsMax))
    }

    /// Customers who saw an early end must not find the campaign running again.
    private func checkEnd(_ edited: CampaignTerms<TypedText>, _ known: Campaign, _ checks: inout FieldChecks, at now: Instant) {
        guard known.endedAt == nil else { return checks.require(false, "endsAt", .ended) }
        guard edited.endsAt > edited.startsAt else { return checks.require(false, "endsAt", .notAfterStart) }
        guard edited.endsAt > now else { return checks.require(false, "endsAt", .pastTime) }
        let latest = edited.startsAt.advanced(bySeconds: Limits.campaignRunningSecondsMax)
        checks.require(edited.endsAt <= latest, "endsAt", .yearsAfterStart(max: Limits.campaignRunningYearsMax))
    }
}
