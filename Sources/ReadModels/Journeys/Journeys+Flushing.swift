public import LMDB
internal import Loyalty

@available(*, noasync)
extension Journeys {
    /// Writes what has changed, in key order, so that neighbouring rows are written to a page while it is at hand.
    public func flush(_ pending: inout JourneyChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        if !pending.cards.isEmpty { try flushCards(pending, in: &transaction) }
        if !pending.visits.isEmpty { try flushVisits(pending, in: &transaction) }
        var row: [UInt8] = []
        for (place, times) in pending.campaigns {
            times.encode(into: &row)
            try store.put(campaigns, RowKey(place.shop, and: place.campaign), row.span, in: &transaction)
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
            var stamps = try rows.value(key) { Int($0.littleEndian32(at: 0)) } ?? 0
            // Of a customer with two cards there may be two.
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

    func journey(_ row: Span<UInt8>) throws(ReadModelError) -> CardJourney {
        guard let journey = CardJourney(row) else { throw store.damaged("a card's row does not decode") }
        return journey
    }

    func times(_ row: Span<UInt8>) throws(ReadModelError) -> CampaignTimes {
        guard let times = CampaignTimes(row) else { throw store.damaged("a campaign's row does not decode") }
        return times
    }
}
