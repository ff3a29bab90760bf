/// Add a paper card to the actor's account, once, and use its waiting codes.
///
/// The caps count its stamps as one code, worth at most a day's cap, so they never split a paper card.
public struct TakePaper: Hashable, Sendable {
    public let paper: PaperName
    public let firstCard: CardID

    public init(paper: PaperName, firstCard: CardID) { (self.paper, self.firstCard) = (paper, firstCard) }

    private func newCard(_ number: Int) -> CardID { CardID(firstCard.value &+ UInt128(number)) }
}

/// The facts that taking a paper card needs.
public struct TakePaperSituation: Hashable, Sendable {
    public let print: PaperPrint?
    public let paper: Paper
    /// Without a code.
    public var stamp: StampSituation
    /// In the order of the waiting codes.
    public var factors: [Int] = []
    public var elsewhere: [Shop] = []
}

extension TakePaper: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> TakePaperSituation {
        guard let print = try past.print(paper.print) else {
            let nothing = StampSituation(code: nil, campaign: nil, shop: nil, card: nil)
            return TakePaperSituation(print: nil, paper: Paper(paper), stamp: nothing)
        }
        let known = try past.paper(paper.id) ?? Paper(paper)
        var stamping = StampSituation(
            code: nil, campaign: try past.campaign(print.campaign), shop: try past.shop(print.shop),
            card: try past.collectingCard(of: actor, in: print.campaign))
        if let campaign = stamping.campaign, campaign.options.needsTally { stamping.tally = try past.tally(of: actor, in: campaign.id) }
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

    private static func newCardsMax(_ stamps: Int, of campaign: Campaign?) -> Int {
        guard let campaign, campaign.goal > 0, stamps > 0 else { return 0 }
        let most = stamps * Limits.bonusFactor.upperBound + (campaign.options.welcomeStamps ?? 0)
        return (most + campaign.goal - 1) / campaign.goal
    }

    /// All faults get one refusal, so that guessing reveals nothing.
    public func decide(_ situation: TakePaperSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
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

    /// Each code finds the cards as the code before left them.
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
            // The account may fill no further card.
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
    /// After the campaign's end, only with waiting codes and while full cards can be redeemed.
    fileprivate func lets(_ paper: Paper, beTakenAt now: Instant) -> Bool {
        if isRunning(at: now) { return true }
        return paper.stamps > 0 && isOver(at: now) && terms.startsAt <= now && (terms.options.redeemUntil.map { now < $0 } ?? true)
    }
}

extension StampCaps {
    fileprivate func waitSeconds(toTake paper: Paper, after gains: StampGains, at now: Instant) -> Int64? {
        guard paper.stamps > 0 else { return nil }
        return waitSeconds(for: min(paper.stamps, stampsPerDayMax ?? paper.stamps), after: gains, at: now)
    }
}

extension StampSituation {
    fileprivate mutating func take(_ fact: Fact) {
        var known = card
        if let opened = Card(opening: fact) { known = opened } else { known?.evolve(fact) }
        var next = StampSituation(code: code, campaign: campaign, shop: shop, card: known, gains: gains, isNewCardTaken: isNewCardTaken)
        next.tally = tally
        next.tally.evolve(fact.event)
        self = next
    }
}

extension Code {
    /// With only the facts that stamping needs.
    fileprivate init(_ waiting: Paper.Stamping, of campaign: Campaign) {
        self.init(
            id: waiting.code, campaign: campaign.id, shop: waiting.shop, secret: Secret(0), attempt: 0, stamps: waiting.stamps,
            expiresAt: waiting.at, issuer: .system, issuedAt: waiting.at, isUsed: false, isDestroyed: false)
    }
}
