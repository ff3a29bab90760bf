/// Takes back all stamps that one code gave, within a day; for the owner or staff of any shop of the campaign.
///
/// Used after a refund, or when a code was shown to the wrong customer. The stamps of a code are reversed together and only once, even if
/// they are spread over several cards.
public struct ReverseStamp: Hashable, Sendable {
    /// The code that gave the stamps.
    public let code: CodeID
    public let reason: TypedText
    /// Whether the stamps were still on a paper card that nobody had taken when the reason was sealed. If so, the reason is sealed under
    /// the shop's key, and not under a holder's. `nil` if that does not matter, for example for a reason that is not sealed. The decision
    /// refuses the reason if an account has taken the paper card since: under the shop's key, the reason would stay readable after that
    /// account's erasure.
    public let isSealedForPaper: Bool?

    public init(code: CodeID, reason: TypedText, isSealedForPaper: Bool? = nil) {
        self.code = code
        self.reason = reason
        self.isSealedForPaper = isSealedForPaper
    }
}

/// The stamps that a code gave to one card.
public struct CodeUse: Hashable, Sendable {
    public let card: CardID
    public let stamps: Int
    public let at: Instant

    public init(card: CardID, stamps: Int, at: Instant) {
        (self.card, self.stamps, self.at) = (card, stamps, at)
    }
}

/// The facts that the reversal of stamps needs.
public struct ReverseStampSituation: Hashable, Sendable {
    public let actor: Account?
    public let code: Code?
    /// The shop that issued the code.
    public let shop: Shop?
    /// The shops of the code's campaign; nil if the code is unknown.
    public var shops: CampaignShops?
    /// The stamps of the code on the cards where they are now, see ``CardReplacement``; empty for a code that was not used.
    public let uses: [CodeUse]
    /// The cards of ``uses``, in the same order.
    public let cards: [Card]
    /// Whether the code's stamps are complete: false if an operator had removed some of them before a reversal replaced their card.
    public var isComplete = true
    /// The stamps that a card lost so that a full card kept its stamps, for each of ``cards`` that has fewer stamps than the code gave.
    /// Reversals of other codes took them: they took more stamps off the card, or off a discarded card that it replaced, than those codes
    /// had given to it.
    public var lent: [CardID: Int] = [:]
    /// The full cards that kept their stamps because reversals took stamps off ``cards`` in their place.
    public var keepers: [Card] = []
    /// The number of stamps that cards kept because other cards lost stamps in their place, for each of ``keepers`` and some of ``cards``.
    public var kept: [CardID: Int] = [:]
    /// The card on which the holder now collects in the campaign; it may be one of ``cards``.
    public let collecting: Card?
    /// The paper card on which the unused code was put; `nil` for a code that was used or was never put on paper.
    public var paper: Paper?

    public init(actor: Account?, code: Code?, shop: Shop?, uses: [CodeUse], cards: [Card], collecting: Card?) {
        (self.actor, self.code, self.shop) = (actor, code, shop)
        (self.uses, self.cards, self.collecting) = (uses, cards, collecting)
    }
}

extension ReverseStampSituation {
    /// This situation with all cards aged to `now`, and the events that record which of them have expired.
    fileprivate func ended(at now: Instant) -> (ReverseStampSituation, [LoyaltyEvent]) {
        var ended: [CardExpired] = []
        func aged(_ card: Card) -> Card {
            guard let expired = card.expiry(at: now) else { return card }
            if !ended.contains(expired) { ended.append(expired) }
            var card = card
            card.status = .expired
            return card
        }
        let cards = cards.map(aged)
        let collecting = collecting.map(aged).flatMap { $0.status == .collecting ? $0 : nil }
        var situation = ReverseStampSituation(actor: actor, code: code, shop: shop, uses: uses, cards: cards, collecting: collecting)
        situation.paper = paper
        situation.shops = shops
        (situation.isComplete, situation.lent, situation.kept) = (isComplete, lent, kept)
        situation.keepers = keepers.filter { $0.expiry(at: now) == nil }
        return (situation, ended.map { .cardExpired($0) })
    }
}

extension Code {
    /// Whether the code was issued recently enough to be reversed. Only a code on a paper card can be too old, because it may be used long
    /// after it was issued.
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
        let account = try past.account(actor)
        guard let known = try past.code(code) else {
            return ReverseStampSituation(actor: account, code: nil, shop: nil, uses: [], cards: [], collecting: nil)
        }
        if let paper = known.paper, !known.isUsed {
            var situation = ReverseStampSituation(
                actor: account, code: known, shop: try past.shop(known.shop), uses: [], cards: [], collecting: nil)
            situation.paper = try past.paper(paper.id)
            return situation
        }
        let standing = try StandingUses.load(of: code, in: &past)
        let holder = standing.cards.first?.holder
        let collecting = if let holder { try past.collectingCard(of: holder, in: known.campaign) } else { Card?.none }
        var situation = ReverseStampSituation(
            actor: account, code: known, shop: try past.shop(known.shop), uses: standing.uses, cards: standing.cards,
            collecting: collecting)
        (situation.isComplete, situation.lent) = (standing.isComplete, standing.lent)
        (situation.keepers, situation.kept) = (standing.keepers, standing.kept)
        return situation
    }

    /// Stamps are taken off the collecting card first, then off the cards that the code filled, the newest first, and last off cards that
    /// stayed full because an earlier reversal took stamps of this code instead of their stamps. Those lose no more stamps than they kept.
    ///
    /// A holder collects on one card of a campaign at a time. So if a full card begins to collect again, the card that the reversal emptied
    /// is discarded. The stamps that other codes gave to the discarded card are then on the card that collects again, see
    /// ``CardReplacement``.
    ///
    /// Nothing is reversed if one of the cards with the code's stamps was redeemed, if the cards no longer have these stamps, or if a card
    /// would have fewer stamps than one of its redeemed milestones. A card that its holder discarded, or whose time is over, loses the
    /// code's stamps and keeps its state. If such a card had already lost some of the code's stamps, because an earlier reversal spared a
    /// full card, other cards lose as many stamps in its place. If a card's time is over and its end is not recorded yet, the end is
    /// recorded first.
    public func decide(_ situation: ReverseStampSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.code, let shop = situation.shop else { throw .notFound }
        let (situation, ended) = situation.ended(at: now)
        guard shop.employs(actor) || situation.shops?.employs(actor) == true else {
            throw situation.cards.contains { $0.holder == actor } ? .forbidden : .notFound
        }
        // An employee who was a customer before being hired must not decide about their own cards.
        guard !situation.cards.contains(where: { $0.holder == actor }) else { throw .ownCampaign }
        var checks = FieldChecks()
        checks.require(reason, within: Limits.reason, "reason")
        try checks.verdict()
        // Refuses a reason that is sealed under the wrong key, because the paper card was taken in the meantime. The caller then seals the
        // reason under the other key and repeats the command. A paper card is taken at most once, so this check does not refuse the command
        // again.
        if let isSealedForPaper, isSealedForPaper != (situation.paper != nil) { throw .versionConflict }
        if let paper = situation.paper {
            let home = situation.shops?.home.id
            return try takeBack(known, from: paper, home: home == known.shop ? nil : home, at: now)
        }
        guard !known.isReversed, let usedAt = situation.uses.first?.at, situation.isComplete,
            Validity.holds(at: now, from: usedAt, until: usedAt.advanced(bySeconds: Limits.reversalSeconds)), known.isFresh(at: now),
            !situation.cards.contains(where: { $0.isRewarded || $0.stampEntries >= Limits.reversedHistoryMax }),
            let takings = takings(in: situation),
            // The stamps for which a milestone's reward was handed out must stay, as the stamps of a redeemed card must.
            takings.allSatisfy({ $0.card.stamps - $0.stamps >= $0.card.stampsSpoken })
        else { throw .notReversible }
        return ended + events(takings, known)
    }

    /// Removes a waiting code from its paper. A code that is left on a paper that somebody took has lapsed, and cannot be reversed.
    private func takeBack(_ code: Code, from paper: Paper, home: ShopID?, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard paper.holder == nil, paper.waiting.contains(where: { $0.code == code.id }), code.isFresh(at: now)
        else { throw .notReversible }
        return [
            .paperStampReversed(
                PaperStampReversed(
                    paper: paper.name, code: code.id, campaign: code.campaign, shop: code.shop, home: home, stamps: code.stamps,
                    reason: reason))
        ]
    }

    /// Stamps to take off one card.
    private struct Taking {
        let card: Card
        let stamps: Int
    }

    /// How many stamps each card loses; nil if the cards do not have enough.
    private func takings(in situation: ReverseStampSituation) -> [Taking]? {
        var takings: [Taking] = []
        // `left`: stamps still to take off collecting and full cards. `missing`: stamps of the code that a discarded or expired card had
        // already lost because an earlier reversal spared a full card. Other cards lose as many stamps now.
        var (left, missing) = (0, 0)
        // A discarded or expired card loses the stamps that the code gave to it, as far as it still has them.
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
        // `kept`: stamps on the keepers that may be the code's. All their other stamps belong to other codes.
        let kept = keepers.reduce(0) { $0 + min($1.stamps, situation.kept[$1.id] ?? 0) }
        // The code's own cards may have kept stamps too, in place of a card that was discarded or has expired since.
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

    private func events(_ takings: [Taking], _ known: Code) -> [LoyaltyEvent] {
        // The last collecting or full card that loses stamps becomes the collecting card. The cards before it are empty by then, so they
        // are discarded.
        let last = takings.last { $0.card.isHeld }?.card.id
        return takings.flatMap { taking -> [LoyaltyEvent] in
            let card = taking.card
            let isReplaced = card.isHeld && card.id != last
            let discarded = CardDiscarded(card: card.id, campaign: card.campaign, shop: card.shop, holder: card.holder)
            let reversed = StampReversed(
                card: card.id, code: known.id, campaign: card.campaign, shop: known.shop, home: card.home(besides: known.shop),
                holder: card.holder, stamps: taking.stamps, reason: reason)
            return (taking.stamps > 0 ? [.stampReversed(reversed)] : []) + (isReplaced ? [.cardDiscarded(discarded)] : [])
        }
    }
}
