/// Change a campaign; owner only. `nil` leaves a field as it is.
public struct EditCampaign: Hashable, Sendable {
    public let campaign: CampaignID
    /// The version that the editor saw.
    public let expected: ExpectedVersion
    public let title: String?
    public let details: String?
    /// Holds for cards that are opened later. A promotion has none, whatever is asked for.
    public let goal: Int?
    public let reward: String?
    public let startsAt: Instant?
    public let endsAt: Instant?
    /// The caller MUST know that the image exists.
    public let image: Change<ImageID>
    public let stampsPerDayMax: Change<Int>
    public let minimumGapSeconds: Change<Int>
    /// The texts after the edit, sealed; `nil` where there are no keys.
    public var resealed: ResealedTexts?

    public init(
        campaign: CampaignID,
        expected: ExpectedVersion,
        title: String? = nil,
        details: String? = nil,
        goal: Int? = nil,
        reward: String? = nil,
        startsAt: Instant? = nil,
        endsAt: Instant? = nil,
        image: Change<ImageID> = .unchanged,
        stampsPerDayMax: Change<Int> = .unchanged,
        minimumGapSeconds: Change<Int> = .unchanged,
        resealed: ResealedTexts? = nil
    ) {
        self.campaign = campaign
        self.expected = expected
        self.title = title
        self.details = details
        self.goal = goal
        self.reward = reward
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.image = image
        self.stampsPerDayMax = stampsPerDayMax
        self.minimumGapSeconds = minimumGapSeconds
        self.resealed = resealed
    }
}

/// The facts that editing a campaign needs.
public struct EditCampaignSituation: Hashable, Sendable {
    public let actor: Account?
    public let campaign: Campaign?
    /// The campaign's.
    public let shop: Shop?
    /// The shop's, all of them.
    public let campaigns: [Campaign]

    public init(actor: Account?, campaign: Campaign?, shop: Shop?, campaigns: [Campaign]) {
        self.actor = actor
        self.campaign = campaign
        self.shop = shop
        self.campaigns = campaigns
    }
}

extension EditCampaign: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> EditCampaignSituation {
        let account = try past.account(actor)
        guard let known = try past.campaign(campaign) else {
            return EditCampaignSituation(actor: account, campaign: nil, shop: nil, campaigns: [])
        }
        return EditCampaignSituation(
            actor: account, campaign: known, shop: try past.shop(known.shop), campaigns: try past.campaigns(of: known.shop))
    }

    /// An edit that changes nothing is accepted and leaves the version as it is.
    public func decide(
        _ situation: EditCampaignSituation, by actor: AccountID, at now: Instant
    ) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.campaign, let shop = situation.shop else { throw .notFound }
        guard shop.owner == actor else { throw .forbidden }
        try expected.check(known.version)
        let edited = edited(known, try texts(after: known, besides: CampaignTexts(known)))
        try check(edited, known, at: now)
        try checkCount(situation.campaigns, edited, known, at: now)
        guard edited != CampaignEdited(known) else { return [] }
        guard let unchanged = resealed?.unchanged else { return [.campaignEdited(edited)] }
        return [.campaignEdited(self.edited(known, try texts(after: known, besides: unchanged)))]
    }

    /// Refuses texts that were sealed for another version of the campaign, because they would undo another edit.
    ///
    /// - Parameter unchanged: the texts of fields that the edit leaves alone.
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
        guard !isSealed || clear == CampaignTexts(known) else { throw .versionConflict }
        return clear
    }

    private func edited(_ known: Campaign, _ texts: CampaignTexts) -> CampaignEdited {
        let caps = StampCaps(
            stampsPerDayMax: stampsPerDayMax.applied(to: known.caps.stampsPerDayMax),
            minimumGapSeconds: minimumGapSeconds.applied(to: known.caps.minimumGapSeconds))
        return CampaignEdited(
            campaign: campaign, shop: known.shop, title: texts.title, details: texts.details,
            // As when it was published: a promotion has no cards.
            goal: known.kind == .stampCard ? goal ?? known.goal : 0,
            reward: texts.reward, startsAt: startsAt ?? known.startsAt, endsAt: endsAt ?? known.endsAt,
            image: image.applied(to: known.image), caps: known.kind == .stampCard ? caps : .none)
    }

    /// Checks only the fields that change. Others may have been accepted under older limits, and a title may be corrected after the
    /// campaign has ended.
    private func check(_ edited: CampaignEdited, _ known: Campaign, at now: Instant) throws(Rejection) {
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
        try checks.verdict()
    }

    /// One that was over and gets a later end is one more that runs.
    private func checkCount(
        _ campaigns: [Campaign], _ edited: CampaignEdited, _ known: Campaign, at now: Instant
    ) throws(Rejection) {
        guard known.isOver(at: now), edited.endsAt > now, known.endedAt == nil else { return }
        var checks = FieldChecks()
        checks.require(
            campaigns.openCount(at: now) < Limits.openCampaignsPerShop, "endsAt",
            "must stay: at most \(Limits.openCampaignsPerShop) campaigns of a shop may run or be about to")
        try checks.verdict()
    }

    private func checkStart(_ edited: CampaignEdited, _ checks: inout FieldChecks, at now: Instant) {
        let latest = now.advanced(bySeconds: Limits.campaignLeadSecondsMax)
        checks.require(edited.startsAt <= latest, "startsAt", "must be at most 5 years ahead")
        checks.require(edited.startsAt < edited.endsAt, "startsAt", "must be before endsAt")
        let running = edited.startsAt.advanced(bySeconds: Limits.campaignRunningSecondsMax)
        checks.require(edited.endsAt <= running, "startsAt", "must be at most 100 years before endsAt")
    }

    /// A campaign that was ended early stays over, so that customers who saw its end do not find it running again.
    private func checkEnd(_ edited: CampaignEdited, _ known: Campaign, _ checks: inout FieldChecks, at now: Instant) {
        guard known.endedAt == nil else { return checks.require(false, "endsAt", "must stay: the campaign was ended") }
        guard edited.endsAt > edited.startsAt else { return checks.require(false, "endsAt", "must be after startsAt") }
        guard edited.endsAt > now else { return checks.require(false, "endsAt", "must be in the future") }
        let latest = edited.startsAt.advanced(bySeconds: Limits.campaignRunningSecondsMax)
        checks.require(edited.endsAt <= latest, "endsAt", "must be at most 100 years after startsAt")
    }
}
