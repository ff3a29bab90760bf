public import EventLog
public import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Projections

/// The changes of a batch. A card is written once per batch, even if many events change it.
public struct JourneyChanges {
    struct ChangedCard {
        let shop: UInt128
        let id: UInt128
        let shopNumber: UInt32
        var journey: CardJourney
        /// The card's newest entry in ``JourneyChanges/visits``; -1 for none.
        var newest: Int32 = -1
    }

    /// Stamps of one card in one quarter of an hour. Entries of one row are added up when it is written.
    struct ChangedVisit {
        let card: UInt32
        var stamps: Int32
        let quarter: UInt64
    }

    /// A visit at a shop that takes part in another shop's campaign.
    struct Guest: Hashable {
        let shop, holder: UInt128
        let quarter: UInt64
    }

    struct Place: Hashable {
        let shop: UInt128
        let campaign: UInt128
    }

    var cards: [ChangedCard] = []
    var index = RowIndex(capacity: 16)
    private(set) var shops = NumberedIDs(capacity: 16)
    var visits: [ChangedVisit] = []
    /// Stamps given elsewhere than at the campaign's shop, which are visits there.
    var guests: [Guest: Int] = [:]
    var campaigns: [Place: CampaignTimes] = [:]

    var count: Int { cards.count + visits.count + guests.count + campaigns.count }

    mutating func stamp(_ place: Int, _ stamps: Int, at time: Instant, elsewhere: ShopID? = nil) {
        cards[place].journey.stamp(stamps, at: time)
        if let elsewhere {
            let guest = Guest(shop: elsewhere.value, holder: cards[place].journey.holder.value, quarter: Quarter(of: time).key)
            guests[guest, default: 0] += stamps
            return
        }
        let (quarter, newest) = (Quarter(of: time).key, Int(cards[place].newest))
        if newest >= 0, visits[newest].quarter == quarter {
            visits[newest].stamps += Int32(stamps)
        } else {
            cards[place].newest = Int32(visits.count)
            visits.append(ChangedVisit(card: UInt32(place), stamps: Int32(stamps), quarter: quarter))
        }
    }

    /// Adds a changed card and returns its index. The card MUST NOT be there yet.
    mutating func insert(_ journey: CardJourney, _ id: UInt128, at shop: UInt128) -> Int {
        cards.append(ChangedCard(shop: shop, id: id, shopNumber: UInt32(shops.number(shop)), journey: journey))
        return index.insert(id)
    }
}

@available(*, noasync)
extension Journeys {
    /// Creates an empty set of changes.
    public func makePending(cachedMax: Int) -> JourneyChanges { JourneyChanges() }

    /// The maximum number of rows that will be written.
    public func changes(in pending: borrowing JourneyChanges) -> Int { pending.count }

    /// Applies an event. A new type needs a case here and one in `ReplayedJourneys`.
    public func apply(_ fact: Fact, to pending: inout JourneyChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        let time = fact.time
        switch fact.event {
        case .campaignPublished(let event):
            let place = JourneyChanges.Place(shop: event.shop.value, campaign: event.campaign.value)
            let (starts, ends) = (event.terms.startsAt, event.terms.endsAt)
            pending.campaigns[place] = CampaignTimes(startsAt: starts, endsAt: ends, endedAt: nil, version: fact.position)
        case .campaignEdited(let event):
            try change(event.campaign, at: event.shop, fact, &pending, transaction) {
                ($0.startsAt, $0.endsAt) = (event.terms.startsAt, event.terms.endsAt)
            }
        case .campaignEnded(let event): try change(event.campaign, at: event.shop, fact, &pending, transaction) { $0.endedAt = time }
        case .campaignReopened(let event): try change(event.campaign, at: event.shop, fact, &pending, transaction) { $0.endedAt = nil }
        case .cardOpened(let event):
            let journey = CardJourney(campaign: event.campaign, holder: event.holder, goal: event.goal, openedAt: time)
            try open(event.card, at: event.campaignShop.value, journey, &pending, transaction)
        case .cardStamped(let event):
            let place = try place(of: event.card.value, at: event.campaignShop.value, &pending, transaction)
            pending.stamp(place, event.stamps, at: time, elsewhere: event.home == nil ? nil : event.shop)
        case .cardAdjusted(let event):
            try change(event.card, at: event.shop, &pending, transaction) { $0.adjust(by: event.stamps, at: time) }
        case .stampReversed(let event):
            try change(event.card, at: event.campaignShop, &pending, transaction) { $0.adjust(by: -event.stamps, at: time) }
        case .cardRedeemed(let event): try change(event.card, at: event.campaignShop, &pending, transaction) { $0.redeemedAt = time }
        case .redemptionReversed(let event):
            // A reversal of the redemption also takes back a later discarding.
            try change(event.card, at: event.campaignShop, &pending, transaction) { ($0.redeemedAt, $0.discardedAt) = (nil, nil) }
        case .cardDiscarded(let event): try change(event.card, at: event.shop, &pending, transaction) { $0.discardedAt = time }
        case .cardExpired(let event): try change(event.card, at: event.shop, &pending, transaction) { $0.discardedAt = time }
        case .waitingCardTaken(let event):
            // Earlier visits stay the waiting person's, so they are written before the holder changes.
            if event.from != nil { try flush(&pending, in: &transaction) }
            try change(event.card, at: event.shop, &pending, transaction) { $0.take(event, at: time) }
        default: break
        }
    }

    /// Applies single stamps and new cards without decoding.
    public func applyUndecoded(
        _ record: borrowing Record, at position: Position, to pending: inout JourneyChanges, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool {
        let time = Instant(microseconds: record.time.microseconds)
        if let stamp = SingleStamp(record) {
            let place = try place(of: stamp.card, at: stamp.shop, &pending, transaction)
            pending.stamp(place, 1, at: time)
            return true
        }
        guard let card = OpenedCard(record) else { return false }
        let journey = CardJourney(campaign: CampaignID(card.campaign), holder: AccountID(card.holder), goal: card.goal, openedAt: time)
        try open(CardID(card.card), at: card.shop, journey, &pending, transaction)
        return true
    }

    private func open(
        _ id: CardID, at shop: UInt128, _ journey: CardJourney, _ pending: inout JourneyChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) {
        var isKnown = pending.index.place(of: id.value) != nil
        if !isKnown { isKnown = try store.has(cards, RowKey(shop, and: id.value), in: transaction) }
        if isKnown { throw refused("card \(id.text) is opened a second time") }
        _ = pending.insert(journey, id.value, at: shop)
    }

    private func place(
        of card: UInt128, at shop: UInt128, _ pending: inout JourneyChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) -> Int {
        if let place = pending.index.place(of: card), pending.cards[place].shop == shop { return place }
        let journey: CardJourney? = try store.row(cards, RowKey(shop, and: card), in: transaction)
        guard let journey else { throw refused("card \(CardID(card).text) was never opened at this shop") }
        return pending.insert(journey, card, at: shop)
    }

    private func change(
        _ card: CardID, at shop: ShopID, _ pending: inout JourneyChanges, _ transaction: borrowing WriteTransaction,
        _ body: (inout CardJourney) -> Void
    ) throws(ReadModelError) {
        let place = try place(of: card.value, at: shop.value, &pending, transaction)
        body(&pending.cards[place].journey)
    }

    private func change(
        _ campaign: CampaignID, at shop: ShopID, _ fact: Fact, _ pending: inout JourneyChanges,
        _ transaction: borrowing WriteTransaction, _ body: (inout CampaignTimes) -> Void
    ) throws(ReadModelError) {
        let place = JourneyChanges.Place(shop: shop.value, campaign: campaign.value)
        var known = pending.campaigns[place]
        if known == nil { known = try store.row(campaigns, RowKey(shop.value, and: campaign.value), in: transaction) }
        guard var times = known else { throw refused("campaign \(campaign.text) was never published at this shop") }
        body(&times)
        times.version = fact.position
        pending.campaigns[place] = times
    }

    private func refused(_ detail: String) -> ReadModelError { ReadModelError(.eventRefused, model: Self.name, detail) }
}

@available(*, noasync)
extension Journeys {
    /// Writes cards and visits in key order, so that rows on the same page are written together.
    public func flush(_ pending: inout JourneyChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        if !pending.cards.isEmpty { try flushCards(pending, in: &transaction) }
        if !pending.visits.isEmpty { try flushVisits(pending, in: &transaction) }
        if !pending.guests.isEmpty { try flushGuests(pending, in: &transaction) }
        for (place, times) in pending.campaigns {
            try store.put(campaigns, RowKey(place.shop, and: place.campaign), times, in: &transaction)
        }
        pending = JourneyChanges()
    }

    private func flushCards(_ pending: borrowing JourneyChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        let changed = pending.cards
        let order = RowOrder.places(changed.count, by: pending.shops, shop: { changed[$0].shopNumber }) {
            changed[$0].id < changed[$1].id
        }
        var rows = try store.writer(cards, in: &transaction)
        var row: [UInt8] = []
        for place in order {
            changed[Int(place)].journey.encode(into: &row)
            try rows.put(RowKey(changed[Int(place)].shop, and: changed[Int(place)].id), row.span)
        }
    }

    private func flushVisits(_ pending: borrowing JourneyChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        let (cards, visits) = (pending.cards, pending.visits)
        let order = RowOrder.places(visits.count, by: pending.shops, shop: { cards[Int(visits[$0].card)].shopNumber }) {
            let (left, right) = (cards[Int(visits[$0].card)].journey.holder, cards[Int(visits[$1].card)].journey.holder)
            return left == right ? visits[$0].quarter < visits[$1].quarter : left < right
        }
        var rows = try store.writer(self.visits, in: &transaction)
        var row: [UInt8] = []
        var next = 0
        while next < order.count {
            let visit = visits[Int(order[next])]
            let (shop, holder) = (cards[Int(visit.card)].shop, cards[Int(visit.card)].journey.holder)
            let key = RowKey(shop, and: holder.value, position: visit.quarter)
            var stamps = try rows.value(key) { (row) throws(ReadModelError) in try store.shortNumber(row) } ?? 0
            // A customer with two cards may have two entries for one quarter, which are added up.
            while next < order.count {
                let other = visits[Int(order[next])]
                guard other.quarter == visit.quarter, cards[Int(other.card)].journey.holder == holder,
                    cards[Int(other.card)].shop == shop
                else { break }
                stamps += Int(other.stamps)
                next += 1
            }
            row.removeAll(keepingCapacity: true)
            row.append(littleEndian: UInt32(clamping: stamps))
            try rows.put(key, row.span)
        }
    }

    private func flushGuests(_ pending: borrowing JourneyChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        for (guest, stamps) in pending.guests {
            let key = RowKey(guest.shop, and: guest.holder, position: guest.quarter)
            let known = try store.value(visits, key, in: transaction) { (row) throws(ReadModelError) in try store.shortNumber(row) } ?? 0
            try store.put(visits, key, number: UInt32(clamping: known + stamps), in: &transaction)
        }
    }
}
