public import EventLog
public import LMDB
public import Loyalty
internal import LoyaltyCodec

@available(*, noasync)
extension Journeys {
    /// Nothing changed yet.
    public func makePending(cachedMax: Int) -> JourneyChanges { JourneyChanges() }

    /// How many rows will be written, at most.
    public func changes(in pending: borrowing JourneyChanges) -> Int { pending.count }

    /// Notes what happened. A new kind of event needs one case here, and one in `ReplayedJourneys`.
    public func apply(
        _ fact: Fact, to pending: inout JourneyChanges, in transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        switch fact.event {
        case .campaignPublished, .campaignEdited, .campaignEnded: try applyToCampaign(fact, &pending, transaction)
        case .cardOpened(let event): try open(event, fact, &pending, transaction)
        case .cardStamped(let event):
            let place = try place(of: event.card.value, at: event.shop.value, &pending, transaction)
            pending.stamp(place, event.stamps, at: fact.time)
        case .cardAdjusted(let event):
            let place = try place(of: event.card.value, at: event.shop.value, &pending, transaction)
            pending.cards[place].journey.adjust(by: event.stamps, at: fact.time)
        case .cardRedeemed(let event):
            let place = try place(of: event.card.value, at: event.shop.value, &pending, transaction)
            pending.cards[place].journey.redeemedAt = fact.time
        case .redemptionReversed(let event):
            let place = try place(of: event.card.value, at: event.shop.value, &pending, transaction)
            pending.cards[place].journey.redeemedAt = nil
        case .cardDiscarded(let event):
            let place = try place(of: event.card.value, at: event.shop.value, &pending, transaction)
            pending.cards[place].journey.discardedAt = fact.time
        default: break
        }
    }

    /// The hot path: a stamp of one needs no decoding, it is all tags. False for every other event.
    public func applyUndecoded(
        _ record: borrowing Record, at position: Position, to pending: inout JourneyChanges, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool {
        guard let stamp = SingleStamp(record) else { return false }
        let place = try place(of: stamp.card, at: stamp.shop, &pending, transaction)
        pending.stamp(place, 1, at: Instant(microseconds: record.time.microseconds))
        return true
    }

    private func open(
        _ event: CardOpened, _ fact: Fact, _ pending: inout JourneyChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) {
        let id = event.card.value
        // In the rows too, not only in the batch.
        var isKnown = pending.index.place(of: id) != nil
        if !isKnown { isKnown = try store.has(cards, RowKey(event.shop.value, and: id), in: transaction) }
        if isKnown { throw refused("card \(event.card.text) is opened a second time") }
        let journey = CardJourney(campaign: event.campaign, holder: event.holder, goal: event.goal, openedAt: fact.time)
        _ = pending.insert(journey, id, at: event.shop.value)
    }

    /// Where the batch holds a card, from now on.
    private func place(
        of card: UInt128, at shop: UInt128, _ pending: inout JourneyChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) -> Int {
        if let place = pending.index.place(of: card), pending.cards[place].shop == shop { return place }
        let journey = try store.value(cards, RowKey(shop, and: card), in: transaction) { (row) throws(ReadModelError) in
            try self.journey(row)
        }
        guard let journey else { throw refused("card \(CardID(card).text) was never opened at this shop") }
        return pending.insert(journey, card, at: shop)
    }

    private func applyToCampaign(
        _ fact: Fact, _ pending: inout JourneyChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) {
        switch fact.event {
        case .campaignPublished(let event):
            pending.campaigns[JourneyChanges.Place(shop: event.shop.value, campaign: event.campaign.value)] =
                CampaignTimes(startsAt: event.startsAt, endsAt: event.endsAt, endedAt: nil, version: fact.position)
        case .campaignEdited(let event):
            let known = try times(of: event.campaign, at: event.shop, pending, transaction)
            pending.campaigns[JourneyChanges.Place(shop: event.shop.value, campaign: event.campaign.value)] =
                CampaignTimes(startsAt: event.startsAt, endsAt: event.endsAt, endedAt: known.endedAt, version: fact.position)
        case .campaignEnded(let event):
            let known = try times(of: event.campaign, at: event.shop, pending, transaction)
            pending.campaigns[JourneyChanges.Place(shop: event.shop.value, campaign: event.campaign.value)] =
                CampaignTimes(startsAt: known.startsAt, endsAt: known.endsAt, endedAt: fact.time, version: fact.position)
        default: break
        }
    }

    private func times(
        of campaign: CampaignID, at shop: ShopID, _ pending: borrowing JourneyChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) -> CampaignTimes {
        let place = JourneyChanges.Place(shop: shop.value, campaign: campaign.value)
        if let known = pending.campaigns[place] { return known }
        let key = RowKey(shop.value, and: campaign.value)
        let known = try store.value(campaigns, key, in: transaction) { (row) throws(ReadModelError) in try self.times(row) }
        guard let known else { throw refused("campaign \(campaign.text) was never published at this shop") }
        return known
    }

    private func refused(_ detail: String) -> ReadModelError {
        ReadModelError(.eventRefused, model: Self.name, detail)
    }
}
