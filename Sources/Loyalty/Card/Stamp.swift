/// Enter a stamp code: the actor's card gains the code's stamps.
public struct Stamp: Hashable, Sendable {
    /// Keyed hash of the code that was typed.
    public let secret: Secret
    /// The campaign that the code must belong to; nil for any campaign.
    public let campaign: CampaignID?
    /// The id of the first new card, if the stamps need one. Each further new card has the next number as its id.
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
    /// The code that was typed; nil if no code has that hash.
    public let code: Code?
    /// The campaign of the code.
    public let campaign: Campaign?
    /// The shop that issued the code.
    public let shop: Shop?
    /// The shops of the campaign. The value may be nil if the campaign has no other shop than ``shop``.
    public var shops: CampaignShops?
    /// The actor's card in the code's campaign that still collects stamps; nil if there is none.
    public private(set) var card: Card?
    /// The actor's recent stamps in the campaign; empty for a campaign without caps.
    public var gains: StampGains
    /// Whether a card with one of the ids for new cards exists already.
    public var isNewCardTaken: Bool
    /// Like ``isNewCardTaken``, but for the case that ``card`` has expired. Then all stamps need new cards, so there are more ids to check.
    var isNewCardTakenAfterEnd = false
    /// The numbers of the actor's cards and codes in the campaign; loaded only if a term of the campaign depends on them.
    public var tally = CardTally()
    /// The number by which the code's worth is multiplied: the factor of the bonus hours in which the code was issued, or 1.
    public var factor = 1

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
    /// A copy of this situation with the given code, for commands that do not look up a code by its hash.
    func with(_ code: Code) -> StampSituation {
        var situation = StampSituation(
            actor: actor, code: code, campaign: campaign, shop: shop, card: card, gains: gains, isNewCardTaken: isNewCardTaken)
        (situation.tally, situation.factor, situation.shops) = (tally, factor, shops)
        situation.isNewCardTakenAfterEnd = isNewCardTakenAfterEnd
        return situation
    }

    /// The largest number of new cards that may be needed for stamps that do not fit on the collecting card: for example ten for a goal of
    /// 1 and a worth of 10.
    ///
    /// - Parameter worth: the requested number of stamps. It need not be valid, because the facts are loaded before the decision checks it.
    func newCardCount(for worth: Int) -> Int {
        guard let campaign, campaign.goal > 0 else { return 0 }
        let beyond = max(0, given(for: min(max(worth, 0), Limits.codeStamps.upperBound)) - (card?.room ?? 0))
        return min((beyond + campaign.goal - 1) / campaign.goal, newCardsMax)
    }

    /// A copy of this situation without the collecting card, for the case that this card has expired.
    fileprivate var withoutCard: StampSituation {
        var situation = self
        (situation.card, situation.isNewCardTaken) = (nil, isNewCardTakenAfterEnd)
        return situation
    }

    /// Removes the collecting card from the situation if that card has expired.
    ///
    /// - Returns: the event that records the card's end; empty if the card's time is not over.
    mutating func endCard(at now: Instant) -> [LoyaltyEvent] {
        guard let expired = card?.expiry(at: now) else { return [] }
        self = withoutCard
        return [.cardExpired(expired)]
    }

    /// The number of stamps that the account gets for a code of this worth. Bonus hours multiply the worth. An account's first code also
    /// gives the campaign's welcome stamps, which no bonus hours multiply.
    func given(for worth: Int) -> Int {
        worth * factor + (tally.codes == 0 ? campaign?.options.welcomeStamps ?? 0 : 0)
    }

    /// The number by which a code's worth is multiplied if the code was issued at `issuedAt`. The campaign's bonus hours are in the local
    /// time of the shop that issued the code.
    ///
    /// - Parameter issuer: the shop that issued the code; ``shop`` if it is nil.
    func factor<P: Past>(at issuedAt: Instant, of issuer: Shop? = nil, in past: inout P) throws(P.Failure) -> Int {
        guard let options = campaign?.options, options.needsLocalTime, let zone = (issuer ?? shop)?.schedule.timeZone else { return 1 }
        let time = LocalTime(of: issuedAt, secondsAhead: try past.secondsAhead(in: zone, at: issuedAt))
        return options.bonuses.factor(at: time)
    }

    /// How many new cards the account may open with the code, after the code has filled the collecting card.
    var newCardsMax: Int {
        guard let repeats = campaign?.options.repeats else { return .max }
        return max(0, repeats - tally.filled - ((card?.room ?? 0) > 0 ? 1 : 0))
    }
}

extension Stamp {
    /// Loads the code that was typed, its campaign and shop, and the actor's collecting card.
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> StampSituation {
        let account = try past.account(actor)
        guard let code = try past.code(secret: secret) else {
            return StampSituation(actor: account, code: nil, campaign: nil, shop: nil, card: nil)
        }
        var situation = StampSituation(
            actor: account, code: code, campaign: try past.campaign(code.campaign), shop: try past.shop(code.shop),
            card: try past.collectingCard(of: actor, in: code.campaign))
        if let campaign = situation.campaign, campaign.shop != code.shop || !campaign.options.shops.isEmpty {
            situation.shops = try .load(of: campaign, knowing: situation.shop, in: &past)
        }
        try load(&situation, stamps: code.stamps, issuedAt: code.issuedAt, of: actor, in: &past)
        return situation
    }

    /// Loads the facts that only some campaigns or codes need: recent stamps, tally, factor, and whether the ids of new cards are taken.
    ///
    /// - Parameter issuedAt: the time at which the code was issued; nil leaves ``StampSituation/factor`` as it is.
    func load<P: Past>(
        _ situation: inout StampSituation, stamps: Int, issuedAt: Instant?, of holder: AccountID, in past: inout P
    ) throws(P.Failure) {
        if let campaign = situation.campaign, campaign.caps != .none { situation.gains = try past.gains(of: holder, in: campaign.id) }
        if let campaign = situation.campaign, campaign.options.needsTally {
            situation.tally = try past.tally(of: holder, in: campaign.id)
        }
        if let issuedAt { situation.factor = try situation.factor(at: issuedAt, in: &past) }
        // Ids are looked up only for cards that may have to be opened, so a stamp that fits on the collecting card costs no look-up.
        for number in 0..<situation.newCardCount(for: stamps) where try past.card(newCard(number)) != nil {
            situation.isNewCardTaken = true
        }
        guard situation.card?.terms.expiresAt != nil else { return }
        // Only the decision has the clock, so only the decision knows whether the collecting card has expired. For that case, the ids of
        // the additional new cards are looked up as well.
        for number in 0..<situation.withoutCard.newCardCount(for: stamps) where try past.card(newCard(number)) != nil {
            situation.isNewCardTakenAfterEnd = true
        }
    }

    /// The id of the `number`th new card, from 0. The addition wraps around and does not trap, because any number is a valid id.
    func newCard(_ number: Int) -> CardID {
        CardID(firstCard.value &+ UInt128(number))
    }
}

extension Stamp: Decision {
    /// A code adds its stamps once, only in its own campaign, before the code expires, and while the campaign runs. An account that owns or
    /// works for one of the campaign's shops gets no stamps.
    ///
    /// The code is checked first, and every fault of the code leads to the same refusal, so that guessing codes reveals nothing.
    ///
    /// A collecting card whose time is over takes no stamps. Its end is recorded first, so that the account has only one collecting card.
    public func decide(_ situation: StampSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil else { throw .notFound }
        return try decide(situation, for: actor, at: now)
    }

    /// The events that add the code's stamps to the holder's cards. The holder need not be a registered account.
    func decide(_ situation: StampSituation, for holder: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        var situation = situation
        let ended = situation.endCard(at: now)
        guard let code = situation.code, let shop = situation.shop,
            code.status(at: now, of: shop, home: situation.shops?.home) == .open, campaign == nil || campaign == code.campaign,
            let running = situation.campaign, running.goal > 0
        else { throw .codeNotValid }
        guard !shop.employs(holder), situation.shops?.employs(holder) != true else { throw .ownCampaign }
        guard !shop.isSuspended, situation.shops?.home.isSuspended != true else { throw .suspended }
        guard running.isRunning(at: now) else { throw .campaignNotRunning }
        guard (situation.card?.room ?? 0) > 0 || situation.newCardsMax > 0 else { throw .cardLimitReached }
        if let seconds = running.caps.waitSeconds(for: code.stamps, after: situation.gains, at: now) {
            throw .stampedTooOften(retryAfterSeconds: seconds)
        }
        guard !situation.isNewCardTaken else { throw .notFound }
        return ended + fill(situation, from: code, of: running, for: holder, at: now)
    }

    /// The stamps that one card gets from a code.
    private struct Filling {
        let card: CardID
        let isNew: Bool
        let stamps: Int
    }

    /// Fills the collecting card first and opens as many new cards as the remaining stamps need. Stamps that do not fit on the last card
    /// that the account may fill are lost: the code is used, and the answer to the customer says how many stamps were added.
    func fill(
        _ situation: StampSituation, from code: Code, of campaign: Campaign, for holder: AccountID, at now: Instant
    ) -> [LoyaltyEvent] {
        let fillings = fillings(situation, from: code, of: campaign)
        let opening = CardOpened(
            card: firstCard, campaign: campaign.id, shop: code.shop, home: campaign.home(besides: code.shop), holder: holder,
            goal: campaign.goal, reward: campaign.reward, terms: campaign.options.cardTerms(at: now))
        return zip(fillings, worths(of: fillings, code.stamps)).flatMap { filling, worth -> [LoyaltyEvent] in
            let stamped = CardStamped(
                card: filling.card, code: code.id, campaign: code.campaign, shop: code.shop, home: opening.home, holder: holder,
                stamps: filling.stamps, worth: worth)
            return (filling.isNew ? [.cardOpened(opening.of(filling.card))] : []) + [.cardStamped(stamped)]
        }
    }

    private func fillings(_ situation: StampSituation, from code: Code, of campaign: Campaign) -> [Filling] {
        var fillings: [Filling] = []
        var left = situation.given(for: code.stamps)
        if let card = situation.card, card.room > 0 {
            fillings.append(Filling(card: card.id, isNew: false, stamps: min(left, card.room)))
            left -= min(left, card.room)
        }
        var opened = 0
        while left > 0, opened < situation.newCardsMax {
            fillings.append(Filling(card: newCard(opened), isNew: true, stamps: min(left, campaign.goal)))
            left -= min(left, campaign.goal)
            opened += 1
        }
        return fillings
    }

    /// The part of the code's worth that each card's `CardStamped` event uses up. The worth is used up completely only by the last card's
    /// event, so that a replay recognises the code's last event.
    private func worths(of fillings: [Filling], _ worth: Int) -> [Int] {
        var (worths, left) = ([Int](), worth)
        for filling in fillings.reversed() {
            worths.append(min(left, filling.stamps))
            left -= worths[worths.count - 1]
        }
        // The last card's event also uses up the worth of the stamps that were lost.
        if !worths.isEmpty { worths[0] += left }
        return worths.reversed()
    }
}

extension CardOpened {
    /// A copy of this event with the id of another card.
    fileprivate func of(_ card: CardID) -> CardOpened {
        CardOpened(
            card: card, campaign: campaign, shop: shop, home: home, holder: holder, goal: goal, reward: reward, terms: terms)
    }
}
