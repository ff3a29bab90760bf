/// The terms that a campaign with cards may have besides its goal, reward, time and caps. Each term is absent unless the shop sets it.
///
/// A card copies the promises to its holder when it opens (``CardTerms``), so an edit of them applies only to cards that are opened later.
/// ``repeats``, ``welcomeStamps`` and ``bonuses`` are promises of the campaign, so their values at the time when a code is entered apply.
/// Bonus hours depend on the shop's time zone. The time zone at the time of entering applies as well, because an owner edits it only to
/// correct it.
public struct CampaignOptions: Hashable, Sendable {
    /// The options of a campaign that has none.
    public static let none = CampaignOptions()

    /// The number of cards of the campaign that one account may fill, see ``CardTally``; nil for no limit.
    public var repeats: Int?
    /// Extra stamps that an account gets with its first code of the campaign; nil for none.
    public var welcomeStamps: Int?
    /// The moment from which full cards can no longer be redeemed, at or after the campaign's end; nil if the campaign sets none.
    public var redeemUntil: Instant?
    /// The number of days for which a card is valid after its opening; nil for no limit.
    public var cardValidDays: Int?
    /// Hours of the week in which codes are worth more.
    public var bonuses: [BonusHours]
    /// Smaller rewards for cards that are not full yet, ordered by the stamps that they need, the fewest first.
    public var milestones: [Milestone]
    /// The shops, besides the campaign's own shop, at which cards are collected and redeemed; see ``CampaignShops``. The ids ascend.
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
    /// Whether a decision about stamps needs the cards and codes that the account had in the campaign before.
    var needsTally: Bool { repeats != nil || welcomeStamps != nil }

    /// Whether a decision about stamps needs the time that the shop's clock showed when the code was issued.
    var needsLocalTime: Bool { !bonuses.isEmpty }

    /// The terms of a card that opens at `now`.
    func cardTerms(at now: Instant) -> CardTerms {
        CardTerms(
            expiresAt: cardValidDays.map { now.advanced(bySeconds: Int64($0) * Limits.daySeconds) }, redeemUntil: redeemUntil,
            milestones: milestones)
    }
}

/// An edit of a campaign's options: the change of each option.
public struct CampaignOptionChanges: Hashable, Sendable {
    /// An edit that changes no option.
    public static let none = CampaignOptionChanges()

    public var repeats = Change<Int>.unchanged
    public var welcomeStamps = Change<Int>.unchanged
    public var redeemUntil = Change<Instant>.unchanged
    public var cardValidDays = Change<Int>.unchanged
    /// The bonus hours after the edit; they replace all present ones.
    public var bonuses = Change<[BonusHours]>.unchanged
    /// The milestones of cards that are opened after the edit.
    public var milestones = Change<[Milestone]>.unchanged
    /// The other shops after the edit; they replace all present ones.
    public var shops = Change<[ShopID]>.unchanged

    public init() {}

    /// The options after the edit.
    func applied(to known: CampaignOptions) -> CampaignOptions {
        CampaignOptions(
            repeats: repeats.applied(to: known.repeats), welcomeStamps: welcomeStamps.applied(to: known.welcomeStamps),
            redeemUntil: redeemUntil.applied(to: known.redeemUntil), cardValidDays: cardValidDays.applied(to: known.cardValidDays),
            bonuses: bonuses.applied(to: known.bonuses) ?? [], milestones: milestones.applied(to: known.milestones) ?? [],
            shops: shops.applied(to: known.shops) ?? [])
    }
}

/// Checks of a campaign's options, for publishing and editing.
extension FieldChecks {
    /// Requires that a campaign has only options that its kind can have.
    mutating func require<Text>(_ terms: CampaignTerms<Text>, of kind: CampaignKind) {
        if kind != .stampCard { requireNoCollecting(terms.options) }
        if kind.hasCards { require(terms) } else { requireNoCards(terms.options) }
    }

    /// Checks the value of each option except the shops, and compares it with the terms that it depends on.
    private mutating func require<Text>(_ terms: CampaignTerms<Text>) {
        let options = terms.options
        if let repeats = options.repeats { require(repeats, in: Limits.repeats, "repeats") }
        if let stamps = options.welcomeStamps {
            require(stamps, in: Limits.welcomeStamps, "welcomeStamps")
            // If the welcome stamps alone filled a card, the customer would get the reward without buying anything.
            require(stamps < terms.goal, "welcomeStamps", .notBelowGoal)
        }
        if let until = options.redeemUntil {
            let latest = terms.endsAt.advanced(bySeconds: Limits.redeemAfterEndSecondsMax)
            require(until >= terms.endsAt, "redeemUntil", .beforeEnd)
            require(until <= latest, "redeemUntil", .yearsAfterEnd(max: Limits.redeemAfterEndYearsMax))
        }
        if let days = options.cardValidDays { require(days, in: Limits.cardValidDays, "cardValidDays") }
        if let fault = options.bonuses.fault { require(false, "bonuses", fault) }
        // Among campaigns with cards, only coupons have the goal 0. Milestones of a coupon were already refused, because nothing is
        // collected on it.
        if terms.goal > 0 { require(options.milestones, below: terms.goal) }
    }

    /// A campaign in which nothing is collected cannot have options about collecting.
    private mutating func requireNoCollecting(_ options: CampaignOptions) {
        require(options.repeats == nil, "repeats", .onlyStampCards)
        require(options.welcomeStamps == nil, "welcomeStamps", .onlyStampCards)
        require(options.bonuses.isEmpty, "bonuses", .onlyStampCards)
        require(options.milestones.isEmpty, "milestones", .onlyStampCards)
    }

    /// A promotion has no cards, so it cannot have options about the dates or the shops of cards.
    private mutating func requireNoCards(_ options: CampaignOptions) {
        require(options.redeemUntil == nil, "redeemUntil", .onlyCards)
        require(options.cardValidDays == nil, "cardValidDays", .onlyCards)
        require(options.shops.isEmpty, "shops", .onlyCards)
    }
}
