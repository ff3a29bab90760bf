/// Take over a card that waits for a phone number. The caller MUST know that the actor has verified the number reserved for its holder.
///
/// A limit of cards and a welcome count the cards of both persons, and stamps beyond them lapse. Caps take nothing back.
public struct TakeWaitingCard: Hashable, Sendable {
    public let card: CardID

    public init(card: CardID) { self.card = card }
}

/// The facts that taking over a waiting card needs.
public struct TakeWaitingCardSituation: Hashable, Sendable {
    public let card: Card?
    /// A holder who is or was registered keeps the card.
    public var isHolderKnown = false
    public var campaign: Campaign?
    public var shops: CampaignShops?
    public var collecting: Card?
    public var given = GivenStamps()
    public var (own, waiting) = (CardTally(), CardTally())

    public init(card: Card?) { self.card = card }
}

extension TakeWaitingCard: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> TakeWaitingCardSituation {
        guard let known = try past.card(card), let campaign = try past.campaign(known.campaign) else {
            return TakeWaitingCardSituation(card: nil)
        }
        var situation = TakeWaitingCardSituation(card: known)
        guard known.holder != actor else { return situation }
        let holder = try past.account(known.holder)
        let wasErased = try past.wasErased(known.holder)
        situation.isHolderKnown = holder != nil || wasErased
        situation.campaign = campaign
        situation.shops = try .load(of: campaign, in: &past)
        situation.collecting = try past.collectingCard(of: actor, in: campaign.id)
        situation.given = try past.given(on: card)
        guard campaign.options.needsTally else { return situation }
        situation.own = try past.tally(of: actor, in: campaign.id)
        situation.waiting = try past.tally(of: known.holder, in: campaign.id)
        return situation
    }

    /// A card that the actor may not hold stays where nobody reaches it. Repeats change nothing.
    public func decide(_ situation: TakeWaitingCardSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.card else { throw .notFound }
        guard known.holder != actor else { return [] }
        guard let campaign = situation.campaign, !situation.isHolderKnown else { throw .notFound }
        guard known.isHeld, known.expiry(at: now) == nil, situation.shops?.employs(actor) != true else { return [] }
        let ended = situation.collecting?.expiry(at: now)
        let own = ended == nil ? situation.collecting : nil
        let lapsed = situation.welcome(of: campaign)
        let filled = situation.own.filled + situation.waiting.expired + ((own?.room ?? 0) > 0 ? 1 : 0)
        let free = campaign.options.repeats.map { $0 - filled } ?? .max
        let moved = known.status == .full && lapsed == 0 && free > 0 ? 0 : min(own?.room ?? 0, known.stamps - lapsed)
        let kept = free > 0 ? known.stamps - lapsed - moved : 0
        guard moved + kept > 0 else { return [] }
        func taken(_ card: Card, from: AccountID?, stamps: Int, onto: CardID? = nil, codes: Int = 0, worth: Int = 0) -> LoyaltyEvent {
            .waitingCardTaken(
                WaitingCardTaken(
                    card: card.id, campaign: campaign.id, shop: card.shop, holder: actor, from: from, goal: card.goal, stamps: stamps,
                    moved: moved, onto: onto, codes: codes, worth: worth))
        }
        let poured = own.map { moved > 0 ? [taken($0, from: nil, stamps: $0.stamps + moved)] : [] } ?? []
        let codes = situation.given.parts.count
        let worth = min(moved + kept, situation.given.worth(within: campaign.caps.countedSeconds, of: now))
        return (ended.map { [.cardExpired($0)] } ?? []) + poured
            + [taken(known, from: known.holder, stamps: kept, onto: moved > 0 ? own?.id : nil, codes: codes, worth: worth)]
    }
}

extension TakeWaitingCardSituation {
    /// An account gets a welcome once. At least one stamp of the first code stays.
    fileprivate func welcome(of campaign: Campaign) -> Int {
        guard own.codes > 0, let card, waiting.first == card.id, let part = given.parts.first else { return 0 }
        return min(campaign.options.welcomeStamps ?? 0, max(0, part.stamps - part.worth), max(0, card.stamps - 1))
    }
}
