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
        case .cardOpened(let event):
            let journey = CardJourney(campaign: event.campaign, holder: event.holder, goal: event.goal, openedAt: fact.time)
            try open(event.card, at: event.shop.value, journey, &pending, transaction)
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
            // A card that was thrown away after its redemption is its holder's again.
            pending.cards[place].journey.discardedAt = nil
        case .cardDiscarded(let event):
            let place = try place(of: event.card.value, at: event.shop.value, &pending, transaction)
            pending.cards[place].journey.discardedAt = fact.time
        default: break
        }
    }

    /// Stamps of one and new cards need no decoding.
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
        let journey = CardJourney(
            campaign: CampaignID(card.campaign), holder: AccountID(card.holder), goal: card.goal, openedAt: time)
        try open(CardID(card.card), at: card.shop, journey, &pending, transaction)
        return true
    }

    private func open(
        _ id: CardID, at shop: UInt128, _ journey: CardJourney, _ pending: inout JourneyChanges, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) {
        // In the rows too, not only in the batch.
        var isKnown = pending.index.place(of: id.value) != nil
        if !isKnown { isKnown = try store.has(cards, RowKey(shop, and: id.value), in: transaction) }
        if isKnown { throw refused("card \(id.text) is opened a second time") }
        _ = pending.insert(journey, id.value, at: shop)
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
