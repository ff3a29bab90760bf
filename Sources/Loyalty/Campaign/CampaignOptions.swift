/// The optional terms of a campaign with cards.
///
/// A card copies its promises when it opens, see ``CardTerms``. ``repeats``, ``welcomeStamps``, ``bonuses`` and the time zone apply as of a
/// code's entry.
public struct CampaignOptions: Hashable, Sendable {
    public static let none = CampaignOptions()

    /// Cards that one account may fill, see ``CardTally``.
    public var repeats: Int?
    public var welcomeStamps: Int?
    /// At or after the campaign's end.
    public var redeemUntil: Instant?
    /// Days after a card's opening; nil for no limit.
    public var cardValidDays: Int?
    public var bonuses: [BonusHours]
    public var milestones: [Milestone]
    /// Ascending; see ``CampaignShops``.
    public var shops: [ShopID]

    public init(
        repeats: Int? = nil, welcomeStamps: Int? = nil, redeemUntil: Instant? = nil, cardValidDays: Int? = nil, bonuses: [BonusHours] = [],
        milestones: [Milestone] = [], shops: [ShopID] = []
    ) {
        self.shops = shops
        (self.repeats, self.welcomeStamps, self.redeemUntil) = (repeats, welcomeStamps, redeemUntil)
        (self.cardValidDays, self.bonuses, self.milestones) = (cardValidDays, bonuses, milestones)
    }
}

extension CampaignOptions {
    var needsTally: Bool { repeats != nil || welcomeStamps != nil }

    /// For the bonus hours in which a code was issued.
    var needsLocalTime: Bool { !bonuses.isEmpty }

    func cardTerms(at now: Instant) -> CardTerms {
        CardTerms(
            expiresAt: cardValidDays.map { now.advanced(bySeconds: Int64($0) * Limits.daySeconds) }, redeemUntil: redeemUntil,
            milestones: milestones)
    }
}

/// An edit of a campaign's options: the change of each option.
public struct CampaignOptionChanges: Hashable, Sendable {
    public static let none = CampaignOptionChanges()

    public var repeats = Change<Int>.unchanged
    public var welcomeStamps = Change<Int>.unchanged
    public var redeemUntil = Change<Instant>.unchanged
    public var cardValidDays = Change<Int>.unchanged
    public var bonuses = Change<[BonusHours]>.unchanged
    public var milestones = Change<[Milestone]>.unchanged
    public var shops = Change<[ShopID]>.unchanged

    public init() {}

    func applied(to known: CampaignOptions) -> CampaignOptions {
        CampaignOptions(
            repeats: repeats.applied(to: known.repeats), welcomeStamps: welcomeStamps.applied(to: known.welcomeStamps),
            redeemUntil: redeemUntil.applied(to: known.redeemUntil), cardValidDays: cardValidDays.applied(to: known.cardValidDays),
            bonuses: bonuses.applied(to: known.bonuses) ?? [], milestones: milestones.applied(to: known.milestones) ?? [],
            shops: shops.applied(to: known.shops) ?? [])
    }
}

extension FieldChecks {
    mutating func require<Text>(_ terms: CampaignTerms<Text>, of kind: CampaignKind) {
        if kind != .stampCard { requireNoCollecting(terms.options) }
        if kind.hasCards { require(terms) } else { requireNoCards(terms.options) }
    }

    /// Checks all options except the shops, also against the terms that they depend on.
    private mutating func require<Text>(_ terms: CampaignTerms<Text>) {
        let options = terms.options
        if let repeats = options.repeats { require(repeats, in: Limits.repeats, "repeats") }
        if let stamps = options.welcomeStamps {
            require(stamps, in: Limits.welcomeStamps, "welcomeStamps")
            // Welcome stamps alone must not earn the reward.
            require(stamps < terms.goal, "welcomeStamps", .notBelowGoal)
        }
        if let until = options.redeemUntil {
            let latest = terms.endsAt.advanced(bySeconds: Limits.redeemAfterEndSecondsMax)
            require(until >= terms.endsAt, "redeemUntil", .beforeEnd)
            require(until <= latest, "redeemUntil", .yearsAfterEnd(max: Limits.redeemAfterEndYearsMax))
        }
        if let days = options.cardValidDays { require(days, in: Limits.cardValidDays, "cardValidDays") }
        if let fault = options.bonuses.fault { require(false, "bonuses", fault) }
        // Only coupons have the goal 0 here, and their milestones were already refused.
        if terms.goal > 0 { require(options.milestones, below: terms.goal) }
    }

    private mutating func requireNoCollecting(_ options: CampaignOptions) {
        require(options.repeats == nil, "repeats", .onlyStampCards)
        require(options.welcomeStamps == nil, "welcomeStamps", .onlyStampCards)
        require(options.bonuses.isEmpty, "bonuses", .onlyStampCards)
        require(options.milestones.isEmpty, "milestones", .onlyStampCards)
    }

    private mutating func requireNoCards(_ options: CampaignOptions) {
        require(options.redeemUntil == nil, "redeemUntil", .onlyCards)
        require(options.cardValidDays == nil, "cardValidDays", .onlyCards)
        require(options.shops.isEmpty, "shops", .onlyCards)
    }
}
