/// Enter a stamp code: the actor's card gains its stamps.
public struct Stamp: Hashable, Sendable {
    /// Keyed hash of what was typed.
    public let secret: Secret
    /// The campaign that the code must belong to, if given.
    public let campaign: CampaignID?
    /// The id of the first card that has to be opened; each further one is the next number.
    public let firstCard: CardID

    public init(secret: Secret, campaign: CampaignID?, firstCard: CardID) {
        self.secret = secret
        self.campaign = campaign
        self.firstCard = firstCard
    }
}

/// The facts that entering a stamp code needs.
public struct StampSituation: Hashable, Sendable {
    public let actor: Account?
    /// The one that was typed.
    public let code: Code?
    /// The code's.
    public let campaign: Campaign?
    /// The code's.
    public let shop: Shop?
    /// The actor's collecting card in the code's campaign.
    public let card: Card?
    /// The actor's recent stamps in the campaign; empty for a campaign without caps.
    public var gains: StampGains
    /// Whether one of the ids meant for new cards names a card already.
    public var isNewCardTaken: Bool

    public init(
        actor: Account?, code: Code?, campaign: Campaign?, shop: Shop?, card: Card?, gains: StampGains = StampGains(),
        isNewCardTaken: Bool = false
    ) {
        self.actor = actor
        self.code = code
        self.campaign = campaign
        self.shop = shop
        self.card = card
        self.gains = gains
        self.isNewCardTaken = isNewCardTaken
    }
}

extension StampSituation {
    /// The same with a code that is issued in this step.
    func with(_ code: Code) -> StampSituation {
        StampSituation(
            actor: actor, code: code, campaign: campaign, shop: shop, card: card, gains: gains, isNewCardTaken: isNewCardTaken)
    }

    /// How many cards have to be opened for stamps that do not fit on the collecting one. Goal 1 and a worth of 10 make ten.
    func newCardCount(for stamps: Int) -> Int {
        guard let campaign, campaign.goal > 0 else { return 0 }
        let beyond = max(0, min(stamps, Limits.codeStamps.upperBound) - (card?.room ?? 0))
        return (beyond + campaign.goal - 1) / campaign.goal
    }
}

extension Stamp {
    /// The code that was typed, its campaign and shop, and the card that would take the stamps.
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> StampSituation {
        let account = try past.account(actor)
        guard let code = try past.code(secret: secret) else {
            return StampSituation(actor: account, code: nil, campaign: nil, shop: nil, card: nil)
        }
        var situation = StampSituation(
            actor: account, code: code, campaign: try past.campaign(code.campaign), shop: try past.shop(code.shop),
            card: try past.collectingCard(of: actor, in: code.campaign))
        try load(&situation, stamps: code.stamps, of: actor, in: &past)
        return situation
    }

    /// Loads what only some stamps need.
    func load<P: Past>(
        _ situation: inout StampSituation, stamps: Int, of holder: AccountID, in past: inout P
    ) throws(P.Failure) {
        // Looked up only where a cap will ask.
        if let campaign = situation.campaign, campaign.caps != .none { situation.gains = try past.gains(of: holder, in: campaign.id) }
        // Looked up only for cards that will be opened: a stamp on a collecting card costs nothing here.
        for number in 0..<situation.newCardCount(for: stamps) where try past.card(newCard(number)) != nil {
            situation.isNewCardTaken = true
        }
    }

    /// The id of the `number`th card to be opened, from 0. Wraps rather than traps: an id is a name, not an amount.
    func newCard(_ number: Int) -> CardID {
        CardID(firstCard.value &+ UInt128(number))
    }
}

extension Stamp: Decision {
    /// One code adds its stamps once, to its own campaign, before it expires, while the campaign runs; never for its own shop.
    ///
    /// The validity of the code is checked first, with one refusal for every reason, so that guessing codes reveals nothing.
    public func decide(_ situation: StampSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil else { throw .notFound }
        return try decide(situation, for: actor, at: now)
    }

    /// The stamps that a code gives to the cards of somebody, who need not have registered.
    func decide(_ situation: StampSituation, for holder: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let code = situation.code, let shop = situation.shop, code.status(at: now, of: shop) == .open,
            campaign == nil || campaign == code.campaign, let running = situation.campaign, running.goal > 0
        else { throw .codeNotValid }
        guard !shop.employs(holder) else { throw .ownCampaign }
        guard !shop.isSuspended else { throw .suspended }
        guard running.isRunning(at: now) else { throw .campaignNotRunning }
        if let seconds = running.caps.waitSeconds(for: code.stamps, after: situation.gains, at: now) {
            throw .stampedTooOften(retryAfterSeconds: seconds)
        }
        guard !situation.isNewCardTaken else { throw .notFound }
        return fill(situation.card, from: code, of: running, for: holder)
    }

    /// Fills the collecting card first and opens as many more as the rest needs.
    private func fill(_ card: Card?, from code: Code, of campaign: Campaign, for holder: AccountID) -> [LoyaltyEvent] {
        var events: [LoyaltyEvent] = []
        var left = code.stamps
        func stamp(_ card: CardID, room: Int) {
            let added = min(left, room)
            left -= added
            events.append(
                .cardStamped(
                    CardStamped(card: card, code: code.id, campaign: code.campaign, shop: code.shop, holder: holder, stamps: added)))
        }
        if let card, card.room > 0 { stamp(card.id, room: card.room) }
        var opened = 0
        while left > 0 {
            let card = newCard(opened)
            events.append(.cardOpened(opening(card, in: campaign, for: holder)))
            stamp(card, room: campaign.goal)
            opened += 1
        }
        return events
    }

    private func opening(_ card: CardID, in campaign: Campaign, for holder: AccountID) -> CardOpened {
        CardOpened(
            card: card, campaign: campaign.id, shop: campaign.shop, holder: holder, goal: campaign.goal, reward: campaign.reward)
    }
}
