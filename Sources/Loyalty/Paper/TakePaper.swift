/// Add a paper card to the actor's account. Each paper card can be added once. The paper card's waiting codes are used for the actor's
/// cards in the same step.
///
/// While the paper card was stamped at the counter, the campaign's caps applied to this paper card alone. When the actor takes it, the caps
/// treat all of its stamps as one code of the actor. If a cap on the stamps per day exists, this code counts as at most that many stamps.
/// So the caps never split a paper card, and a person with many paper cards can take them only as fast as the caps allow codes to be
/// entered.
public struct TakePaper: Hashable, Sendable {
    public let paper: PaperName
    /// The id of the first new card, if the stamps need one. Each further new card has the next number as its id.
    public let firstCard: CardID

    public init(paper: PaperName, firstCard: CardID) {
        (self.paper, self.firstCard) = (paper, firstCard)
    }

    /// The id of the `number`th new card, from 0.
    private func newCard(_ number: Int) -> CardID { CardID(firstCard.value &+ UInt128(number)) }
}

/// The facts that taking a paper card needs.
public struct TakePaperSituation: Hashable, Sendable {
    public let print: PaperPrint?
    public let paper: Paper
    /// The facts about the actor and the campaign; ``StampSituation/code`` is nil.
    public var stamp: StampSituation
    /// The factors by which the worths of the waiting codes are multiplied, in the order of the codes. Each is the factor of the bonus
    /// hours in which the code was issued, or 1 outside of bonus hours.
    public var factors: [Int] = []
    /// The shops that issued the waiting codes, except the shop that printed the paper card.
    public var elsewhere: [Shop] = []

    public init(print: PaperPrint?, paper: Paper, stamp: StampSituation) {
        (self.print, self.paper, self.stamp) = (print, paper, stamp)
    }
}

extension TakePaper: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> TakePaperSituation {
        let account = try past.account(actor)
        guard let print = try past.print(paper.print) else {
            let nothing = StampSituation(actor: account, code: nil, campaign: nil, shop: nil, card: nil)
            return TakePaperSituation(print: nil, paper: Paper(paper), stamp: nothing)
        }
        let known = try past.paper(paper.id) ?? Paper(paper)
        var stamping = StampSituation(
            actor: account, code: nil, campaign: try past.campaign(print.campaign), shop: try past.shop(print.shop),
            card: try past.collectingCard(of: actor, in: print.campaign))
        if let campaign = stamping.campaign, campaign.options.needsTally {
            stamping.tally = try past.tally(of: actor, in: campaign.id)
        }
        if let campaign = stamping.campaign, campaign.caps != .none, known.stamps > 0 {
            stamping.gains = try past.gains(of: actor, in: campaign.id)
        }
        for number in 0..<Self.newCardsMax(known.stamps, of: stamping.campaign) where try past.card(newCard(number)) != nil {
            (stamping.isNewCardTaken, stamping.isNewCardTakenAfterEnd) = (true, true)
        }
        var situation = TakePaperSituation(print: print, paper: known, stamp: stamping)
        if let campaign = stamping.campaign, !campaign.options.shops.isEmpty {
            situation.stamp.shops = try .load(of: campaign, knowing: stamping.shop, in: &past)
        }
        for place in Set(known.waiting.map(\.shop)).sorted() where place != print.shop {
            if let shop = try past.shop(place) { situation.elsewhere.append(shop) }
        }
        for waiting in known.waiting {
            let issuer = situation.elsewhere.first { $0.id == waiting.shop }
            situation.factors.append(try stamping.factor(at: waiting.at, of: issuer, in: &past))
        }
        return situation
    }

    /// The largest number of new cards that may be needed for the stamps, including bonus and welcome stamps.
    private static func newCardsMax(_ stamps: Int, of campaign: Campaign?) -> Int {
        guard let campaign, campaign.goal > 0, stamps > 0 else { return 0 }
        let most = stamps * Limits.bonusFactor.upperBound + (campaign.options.welcomeStamps ?? 0)
        return (most + campaign.goal - 1) / campaign.goal
    }

    /// Every fault of the paper card leads to the same refusal, so that guessing reveals nothing.
    ///
    /// If the actor's collecting card has expired, its end is recorded first, and the stamps go onto a new card.
    public func decide(_ situation: TakePaperSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.stamp.actor != nil else { throw .notFound }
        guard let print = situation.print, print.has(paper), situation.paper.holder == nil, let shop = situation.stamp.shop,
            let campaign = situation.stamp.campaign, campaign.goal > 0, campaign.lets(situation.paper, beTakenAt: now)
        else { throw .paperNotValid }
        let shops = situation.elsewhere + [shop]
        guard !shops.contains(where: { $0.employs(actor) }), situation.stamp.shops?.employs(actor) != true else { throw .ownCampaign }
        guard !shop.isSuspended else { throw .suspended }
        var stamp = situation.stamp
        let ended = stamp.endCard(at: now)
        guard situation.paper.waiting.isEmpty || (stamp.card?.room ?? 0) > 0 || stamp.newCardsMax > 0 else { throw .cardLimitReached }
        if let seconds = campaign.caps.waitSeconds(toTake: situation.paper, after: stamp.gains, at: now) {
            throw .stampedTooOften(retryAfterSeconds: seconds)
        }
        guard !stamp.isNewCardTaken else { throw .notFound }
        let given = give(situation, onto: stamp, of: campaign, to: actor, at: now)
        let taken = PaperCardTaken(paper: paper, campaign: campaign.id, shop: shop.id, holder: actor, stamps: given.worth)
        return ended + [.paperCardTaken(taken)] + given.events
    }

    /// Uses the waiting codes one after another. The situation is updated after each code, so that the next code is used for the cards as
    /// the code before it left them.
    private func give(
        _ situation: TakePaperSituation, onto stamp: StampSituation, of campaign: Campaign, to holder: AccountID, at now: Instant
    ) -> (events: [LoyaltyEvent], worth: Int) {
        var (events, worth, opened) = ([LoyaltyEvent](), 0, 0)
        var stamping = stamp
        for (waiting, factor) in zip(situation.paper.waiting, situation.factors) {
            stamping.factor = factor
            let code = Code(waiting, of: campaign)
            let stamp = Stamp(secret: code.secret, campaign: campaign.id, firstCard: newCard(opened))
            let added = stamp.fill(stamping.with(code), from: code, of: campaign, for: holder, at: now)
            // The account may fill no further card, so the remaining codes are lost.
            guard !added.isEmpty else { break }
            worth += code.stamps
            events += added
            for event in added {
                if case .cardOpened = event { opened += 1 }
                stamping.take(Fact(position: 0, time: now, actor: holder, event: event))
            }
        }
        return (events, worth)
    }
}

extension Campaign {
    /// Whether an account can take the paper card now. While the campaign runs, any paper card can be taken. After the campaign's end, only
    /// a paper card with waiting codes can be taken, and only while full cards can still be redeemed.
    fileprivate func lets(_ paper: Paper, beTakenAt now: Instant) -> Bool {
        if isRunning(at: now) { return true }
        return paper.stamps > 0 && isOver(at: now) && terms.startsAt <= now && (terms.options.redeemUntil.map { now < $0 } ?? true)
    }
}

extension StampCaps {
    /// The number of seconds that an account must wait before it can take the paper; `nil` if it need not wait.
    fileprivate func waitSeconds(toTake paper: Paper, after gains: StampGains, at now: Instant) -> Int64? {
        guard paper.stamps > 0 else { return nil }
        return waitSeconds(for: min(paper.stamps, stampsPerDayMax ?? paper.stamps), after: gains, at: now)
    }
}

extension StampSituation {
    /// Applies an event of the same command to the collecting card and the tally.
    fileprivate mutating func take(_ fact: Fact) {
        var known = card
        if let opened = Card(opening: fact) { known = opened } else { known?.evolve(fact) }
        var next = StampSituation(
            actor: actor, code: code, campaign: campaign, shop: shop, card: known, gains: gains, isNewCardTaken: isNewCardTaken)
        next.tally = tally
        next.tally.evolve(fact.event)
        self = next
    }
}

extension Code {
    /// A waiting code as a ``Code``, with only those facts that stamping a card needs.
    fileprivate init(_ waiting: Paper.Stamping, of campaign: Campaign) {
        self.init(
            id: waiting.code, campaign: campaign.id, shop: waiting.shop, secret: Secret(0), attempt: 0, stamps: waiting.stamps,
            expiresAt: waiting.at, issuer: .system, issuedAt: waiting.at, isUsed: false, isDestroyed: false)
    }
}
