/// Takes back stamps of one code, within a day; for the owner or staff of any shop of the campaign.
public struct ReverseStamp: Hashable, Sendable {
    public let code: CodeID
    /// The last ones first; nil for all that are left.
    public let stamps: Int?
    public let reason: TypedText
    /// Whether the shop's key sealed the reason, for an untaken paper card; `nil` if unsealed. If the paper was taken since, the decision
    /// refuses the reason: it would outlive the holder's erasure.
    public let isSealedForPaper: Bool?

    public init(code: CodeID, stamps: Int? = nil, reason: TypedText, isSealedForPaper: Bool? = nil) {
        (self.code, self.stamps, self.reason, self.isSealedForPaper) = (code, stamps, reason, isSealedForPaper)
    }
}

/// A code's stamps on one card.
public struct CodeUse: Hashable, Sendable {
    public let card: CardID
    public let stamps: Int
    public let at: Instant

    public init(card: CardID, stamps: Int, at: Instant) { (self.card, self.stamps, self.at) = (card, stamps, at) }
}

/// The facts that the reversal of stamps needs.
public struct ReverseStampSituation: Hashable, Sendable {
    public let code: Code?
    public let shop: Shop?
    public var shops: CampaignShops?
    /// Stamps of the code that were not taken back, also on redeemed cards.
    public var left = 0
    /// The uses to take back.
    public private(set) var uses: [CodeUse] = []
    /// In the order of ``uses``.
    public private(set) var cards: [Card] = []
    /// False if an operator removed stamps of the code before a reversal replaced their card.
    public var isComplete = true
    /// Stamps that a card lost so that a full card kept its own, see ``StandingUses``.
    public var lent: [CardID: Int] = [:]
    public var keepers: [Card] = []
    /// Stamps that cards kept because others lost theirs.
    public var kept: [CardID: Int] = [:]
    public private(set) var collecting: Card?
    public var paper: Paper?
}

extension ReverseStampSituation {
    fileprivate func ended(at now: Instant) -> (ReverseStampSituation, [LoyaltyEvent]) {
        var ended: [CardExpired] = []
        func aged(_ card: Card) -> Card {
            guard let expired = card.expiry(at: now) else { return card }
            if !ended.contains(expired) { ended.append(expired) }
            var card = card
            card.status = .expired
            return card
        }
        var situation = self
        situation.cards = cards.map(aged)
        situation.collecting = collecting.map(aged).flatMap { $0.status == .collecting ? $0 : nil }
        situation.keepers = keepers.filter { $0.expiry(at: now) == nil }
        return (situation, ended.map { .cardExpired($0) })
    }
}

extension Code {
    /// A code on a paper card may be used long after it was issued.
    fileprivate func isFresh(at now: Instant) -> Bool {
        paper == nil || Validity.holds(at: now, from: issuedAt, until: issuedAt.advanced(bySeconds: Limits.reversalSeconds))
    }
}

extension ReverseStamp: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> ReverseStampSituation {
        var situation = try uses(in: &past, by: actor)
        if let known = situation.code, let campaign = try past.campaign(known.campaign) {
            situation.shops = try .load(of: campaign, knowing: situation.shop, in: &past)
        }
        return situation
    }

    private func uses<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> ReverseStampSituation {
        guard let known = try past.code(code) else { return ReverseStampSituation(code: nil, shop: nil) }
        if let paper = known.paper, !known.isUsed {
            return ReverseStampSituation(code: known, shop: try past.shop(known.shop), paper: try past.paper(paper.id))
        }
        let uses = try past.standingUses(of: code).first(known.isReversed ? nil : known.stampsLeft)
        let left = uses.stamps
        let standing = try StandingUses.load(uses.dropping(stamps.map { left - max(1, $0) } ?? 0), of: code, in: &past)
        let holder = standing.cards.first?.holder
        let collecting = if let holder { try past.collectingCard(of: holder, in: known.campaign) } else { Card?.none }
        return ReverseStampSituation(
            code: known, shop: try past.shop(known.shop), left: left, uses: standing.uses, cards: standing.cards,
            isComplete: standing.isComplete, lent: standing.lent, keepers: standing.keepers, kept: standing.kept, collecting: collecting)
    }

    /// The collecting card loses stamps first, then the cards that the code filled, newest first, and last those that an earlier reversal
    /// spared.
    ///
    /// Only one card of a campaign collects, so if a full card collects again, the emptied one is discarded, see ``CardReplacement``.
    /// Nothing is reversed if a card was redeemed, lacks the stamps, or would fall below a redeemed milestone.
    public func decide(_ situation: ReverseStampSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.code, let shop = situation.shop else { throw .notFound }
        let (situation, ended) = situation.ended(at: now)
        guard shop.employs(actor) || situation.shops?.employs(actor) == true else {
            throw situation.cards.contains { $0.holder == actor } ? .forbidden : .notFound
        }
        // An employee who was a customer before must not decide about their own cards.
        guard !situation.cards.contains(where: { $0.holder == actor }) else { throw .ownCampaign }
        try FieldChecks.check {
            $0.require(reason, within: Limits.reason, "reason")
            if let stamps { $0.require(stamps, in: Limits.reversedStamps, "stamps") }
        }
        // The paper card was taken since. The caller seals the reason under the other key and retries, at most once.
        if let isSealedForPaper, isSealedForPaper != (situation.paper != nil) { throw .versionConflict }
        if let paper = situation.paper {
            let home = situation.shops?.home.id
            return try takeBack(known, from: paper, home: home == known.shop ? nil : home, at: now)
        }
        guard !known.isReversed, let usedAt = situation.uses.first?.at, situation.isComplete,
            Validity.holds(at: now, from: usedAt, until: usedAt.advanced(bySeconds: Limits.reversalSeconds)), known.isFresh(at: now)
        else { throw .notReversible }
        let taken = stamps ?? situation.left
        try Self.require(taken, within: situation.left)
        guard !situation.cards.contains(where: { $0.isRewarded || $0.stampEntries >= Limits.reversedHistoryMax }),
            let takings = takings(in: situation),
            // A redeemed milestone keeps its stamps.
            takings.allSatisfy({ $0.card.stamps - $0.stamps >= $0.card.stampsSpoken })
        else { throw .notReversible }
        return ended + events(takings, known, left: situation.left - taken)
    }

    /// A code on a taken paper has lapsed.
    private func takeBack(_ code: Code, from paper: Paper, home: ShopID?, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard paper.holder == nil, paper.waiting.contains(where: { $0.code == code.id }), code.isFresh(at: now)
        else { throw .notReversible }
        let taken = stamps ?? code.stamps
        try Self.require(taken, within: code.stamps)
        try FieldChecks.check { $0.require(taken == code.stamps, "stamps", .partOnPaper) }
        return [
            .paperStampReversed(
                PaperStampReversed(
                    paper: paper.name, code: code.id, campaign: code.campaign, shop: code.shop, home: home, stamps: code.stamps,
                    reason: reason))
        ]
    }

    private static func require(_ taken: Int, within left: Int) throws(Rejection) {
        try FieldChecks.check { $0.require(taken <= left, "stamps", .beyondLeft(left)) }
    }

    private struct Taking {
        let card: Card
        let stamps: Int
    }

    private func takings(in situation: ReverseStampSituation) -> [Taking]? {
        var takings: [Taking] = []
        // `left`: stamps still to take off. `missing`: stamps that a discarded or expired card lost earlier in place of a full card; others
        // lose as many now.
        var (left, missing) = (0, 0)
        for (use, card) in zip(situation.uses, situation.cards) {
            guard !card.isHeld else {
                left += use.stamps
                continue
            }
            let there = min(card.stamps, use.stamps)
            if there > 0 { takings.append(Taking(card: card, stamps: there)) }
            missing += use.stamps - there
            guard use.stamps - there <= situation.lent[card.id] ?? 0 else { return nil }
        }
        let keepers = situation.keepers.filter { !$0.isRewarded && $0.stampEntries < Limits.reversedHistoryMax }
        let kept = keepers.reduce(0) { $0 + min($1.stamps, situation.kept[$1.id] ?? 0) }
        // In place of a card that was discarded or has expired since.
        let spare = zip(situation.uses, situation.cards).reduce(kept) { sum, place in
            let (use, card) = place
            return sum + (card.isHeld ? max(0, min(card.stamps - use.stamps, situation.kept[card.id] ?? 0)) : 0)
        }
        guard missing <= spare else { return nil }
        left += missing
        let own = (situation.collecting.map { [$0] } ?? []) + situation.cards.reversed().filter { $0.status == .full }
        guard left - own.reduce(0, { $0 + $1.stamps }) <= kept else { return nil }
        for card in own + keepers.sorted(by: { $0.openedAt > $1.openedAt }) where left > 0 {
            let stamps = min(left, card.stamps)
            left -= stamps
            takings.append(Taking(card: card, stamps: stamps))
        }
        return left == 0 ? takings : nil
    }

    private func events(_ takings: [Taking], _ known: Code, left: Int) -> [LoyaltyEvent] {
        // The last becomes the collecting card. Those before it are empty.
        let last = takings.last { $0.card.isHeld }?.card.id
        return takings.flatMap { taking -> [LoyaltyEvent] in
            let card = taking.card
            let isReplaced = card.isHeld && card.id != last
            let discarded = CardDiscarded(card: card.id, campaign: card.campaign, shop: card.shop, holder: card.holder)
            let reversed = StampReversed(
                card: card.id, code: known.id, campaign: card.campaign, shop: known.shop, home: card.home(besides: known.shop),
                holder: card.holder, stamps: taking.stamps, reason: reason, left: left)
            return (taking.stamps > 0 ? [.stampReversed(reversed)] : []) + (isReplaced ? [.cardDiscarded(discarded)] : [])
        }
    }
}

extension ReverseStamp {
    /// The most stamps of a code that the actor could take back now, and until when; nil for none.
    public static func most<P: Past>(
        of code: CodeID, by actor: AccountID, at now: Instant, in past: inout P
    ) throws(P.Failure) -> (stamps: Int, until: Instant)? {
        guard let known = try past.code(code), !known.isReversed,
            let until = known.reversibleUntil(usedAt: try past.uses(of: code).first?.at), now < until
        else { return nil }
        func judge(_ stamps: Int?) throws(P.Failure) -> Judgement {
            try Command.reverseStamp(ReverseStamp(code: code, stamps: stamps, reason: "?")).decide(in: &past, by: actor, at: now)
        }
        switch try judge(nil) {
        case .success(let events): return (events.reduce(0) { $0 + $1.stampsReversed }, until)
        case .failure(let rejection): guard rejection == .notReversible else { return nil }
        }
        let uses = try past.standingUses(of: code).first(known.stampsLeft)
        // A redeemed card keeps its stamps, so those given before them stay too.
        var loose = 0
        for use in uses.reversed() {
            if try past.card(use.card)?.isRewarded == true { break }
            loose += use.stamps
        }
        // A part may be refused although a larger one is not, if an operator emptied the last card.
        for stamps in stride(from: min(loose, uses.stamps - 1), to: 0, by: -1) {
            if case .success = try judge(stamps) { return (stamps, until) }
        }
        return nil
    }
}

extension LoyaltyEvent {
    fileprivate var stampsReversed: Int {
        switch self {
        case .stampReversed(let event): event.stamps
        case .paperStampReversed(let event): event.stamps
        default: 0
        }
    }
}
