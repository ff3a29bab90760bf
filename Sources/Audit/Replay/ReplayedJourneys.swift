internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// The expected content of `Journeys`, folded from the log in memory. Visits are a list in the order of events, sorted and added at the
/// end.
struct ReplayedJourneys: ReplayedModel {
    static var model: any Projection.Type { Journeys.self }

    private(set) var cards: [WalkedCard] = []
    private(set) var visits: [WalkedVisit] = []
    private(set) var campaigns: [UInt128: WalkedCampaign] = [:]
    private var taken: Set<UInt32> = []
    /// Stamps at other shops than the cards' own, which count as visits there.
    private(set) var guests: [GuestCount.Key: UInt32] = [:]
    /// Stored so that the compiler keeps the reads that fill the cache.
    private var seen: UInt64 = 0

    /// - Parameter capacity: the expected number of visits. Unused reserved memory costs nothing.
    init(capacity: Int) { visits.reserveCapacity(capacity) }

    mutating func apply(_ batch: borrowing ReplayBatch) throws(AuditError) {
        glance(at: batch)
        for event in batch.events {
            switch event.kind {
            case .stamped: stamp(event, 1)
            case .opened: cards.append(WalkedCard(goal: event.amount))
            case .discarded: cards[Int(event.card)].discarded = event.time
            case .decoded: try apply(batch.facts[event.place], event)
            case .issued, .registered: break
            }
        }
    }

    /// Brings each card into the cache. A card may lie in two cache lines.
    private mutating func glance(at batch: borrowing ReplayBatch) {
        var sum: UInt64 = 0
        for event in batch.events where event.card < cards.count {
            let card = Int(event.card)
            sum &+= cards[card].quarter &+ UInt64(cards[card].newest)
        }
        seen &+= sum
    }

    private mutating func apply(_ fact: borrowing Fact, _ event: ReplayedEvent) throws(AuditError) {
        switch fact.event {
        case .campaignPublished(let published):
            campaigns[published.campaign.value] = WalkedCampaign(
                shop: published.shop.value, starts: published.terms.startsAt, ends: published.terms.endsAt, ended: nil,
                version: fact.position)
        case .campaignEdited(let edited):
            try change(edited.campaign, at: edited.shop, event) { ($0.starts, $0.ends) = (edited.terms.startsAt, edited.terms.endsAt) }
        case .campaignEnded(let ended):
            try change(ended.campaign, at: ended.shop, event) { $0.ended = Instant(microseconds: event.time) }
        case .campaignReopened(let reopened): try change(reopened.campaign, at: reopened.shop, event) { $0.ended = nil }
        case .cardOpened: open(event)
        case .cardStamped(let stamped): stamp(event, Int32(clamping: stamped.stamps))
        case .cardAdjusted(let adjusted): adjust(event, by: Int32(clamping: adjusted.stamps))
        case .stampReversed(let reversed): adjust(event, by: Int32(clamping: -reversed.stamps))
        case .waitingCardTaken(let taken): takeOver(taken, event)
        case .cardRedeemed: cards[Int(event.card)].redeemed = event.time
        case .redemptionReversed:
            cards[Int(event.card)].redeemed = WalkedCard.never
            cards[Int(event.card)].discarded = WalkedCard.never
        case .cardDiscarded, .cardExpired: cards[Int(event.card)].discarded = event.time
        default: break
        }
    }

    private mutating func open(_ event: ReplayedEvent) {
        var card = WalkedCard(goal: event.amount)
        if event.amount == 0 { card.filled = event.time }
        cards.append(card)
    }

    @inline(__always)
    private mutating func stamp(_ event: ReplayedEvent, _ stamps: Int32) {
        let (place, time, quarter) = (Int(event.card), event.time, event.quarter)
        var card = cards[place]
        card.stamps += stamps
        card.first = card.first == WalkedCard.never ? time : min(card.first, time)
        card.last = max(card.last, time)
        if card.filled == WalkedCard.never, card.stamps >= card.goal { card.filled = time }
        if event.guest != ReplayedEvent.none {
            let guest = GuestCount.Key(shop: event.guest, card: event.card, quarter: quarter, isTaken: isTaken(event.card))
            guests[guest, default: 0] += UInt32(clamping: stamps)
        } else if card.quarter == quarter {
            visits[Int(card.newest)].stamps &+= UInt32(clamping: stamps)
        } else {
            (card.quarter, card.newest) = (quarter, UInt32(visits.count))
            visits.append(WalkedVisit(quarter: quarter, card: event.card, isTaken: isTaken(event.card), stamps: UInt32(clamping: stamps)))
        }
        cards[place] = card
    }

    private func isTaken(_ card: UInt32) -> Bool { !taken.isEmpty && taken.contains(card) }

    /// Later visits are the account's, even in the same quarter of an hour.
    private mutating func takeOver(_ event: WaitingCardTaken, _ replayed: ReplayedEvent) {
        let card = Int(replayed.card)
        if event.from != nil {
            taken.insert(replayed.card)
            cards[card].quarter = .max
        }
        adjust(replayed, by: Int32(clamping: event.stamps) - cards[card].stamps)
        if event.stamps == 0 { cards[card].discarded = replayed.time }
    }

    private mutating func adjust(_ event: ReplayedEvent, by change: Int32) {
        let card = Int(event.card)
        cards[card].stamps += change
        if cards[card].stamps < cards[card].goal {
            cards[card].filled = WalkedCard.never
        } else if cards[card].filled == WalkedCard.never {
            cards[card].filled = event.time
        }
    }

    private mutating func change(
        _ id: CampaignID, at shop: ShopID, _ event: ReplayedEvent, _ body: (inout WalkedCampaign) -> Void
    ) throws(AuditError) {
        guard var campaign = campaigns[id.value], campaign.shop == shop.value else {
            throw .refused("campaign \(id.text) was never published at this shop.", at: event.position)
        }
        body(&campaign)
        campaign.version = event.position
        campaigns[id.value] = campaign
    }
}

/// A card's journey in 64 bytes, with times in microseconds since 1970.
struct WalkedCard: Sendable {
    /// The time of an event that has not happened.
    static let never = Int64.min

    /// The newest visit's quarter at the card's own shop, as in a row's key; `.max` before the first visit.
    var quarter: UInt64 = .max
    var first = Self.never
    var last = Self.never
    var filled = Self.never
    var redeemed = Self.never
    var discarded = Self.never
    /// Valid only if ``quarter`` is not `.max`.
    var newest: UInt32 = 0
    var stamps: Int32 = 0
    let goal: Int32

    func journey(_ card: NumberedCard, of holder: UInt128, in campaign: UInt128) -> CardJourney {
        func time(_ microseconds: Int64) -> Instant? { microseconds == Self.never ? nil : Instant(microseconds: microseconds) }
        var journey = CardJourney(
            campaign: CampaignID(campaign), holder: AccountID(holder), goal: Int(goal), openedAt: Instant(microseconds: card.opened))
        journey.set(
            stamps: Int(stamps), first: time(first), last: time(last), filled: time(filled), redeemed: time(redeemed),
            discarded: time(discarded))
        return journey
    }
}

/// A card's stamps at its own shop in a quarter of an hour. Counts of the same row are added at the end.
struct WalkedVisit: Sendable {
    let quarter: UInt64
    /// After sorting, the index of the holder among all customers.
    var card: UInt32
    /// Whether an account had taken the card over before.
    var isTaken = false
    var stamps: UInt32
}

struct WalkedCampaign: Sendable {
    let shop: UInt128
    var starts: Instant
    var ends: Instant
    var ended: Instant?
    var version: UInt64
}
