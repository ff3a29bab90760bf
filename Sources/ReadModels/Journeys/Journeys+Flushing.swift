public import LMDB
internal import Loyalty

@available(*, noasync)
extension Journeys {
    /// Writes what has changed, in key order, so that neighbouring rows are written to a page while it is at hand.
    public func flush(_ pending: inout JourneyChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        var row: [UInt8] = []
        pending.cards.sort { ($0.shop, $0.id) < ($1.shop, $1.id) }
        for card in pending.cards {
            card.journey.encode(into: &row)
            try store.put(cards, RowKey(card.shop, and: card.id), row.span, in: &transaction)
        }
        try flushVisits(&pending.visits, in: &transaction)
        for (place, times) in pending.campaigns {
            times.encode(into: &row)
            try store.put(campaigns, RowKey(place.shop, and: place.campaign), row.span, in: &transaction)
        }
        pending = JourneyChanges()
    }

    private func flushVisits(
        _ visits: inout [JourneyChanges.ChangedVisit], in transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        visits.sort { ($0.shop, $0.account, $0.quarter) < ($1.shop, $1.account, $1.quarter) }
        var row: [UInt8] = []
        var place = 0
        while place < visits.count {
            let visit = visits[place]
            var stamps = 0
            while place < visits.count, visits[place].shop == visit.shop, visits[place].account == visit.account,
                visits[place].quarter == visit.quarter
            {
                stamps += visits[place].stamps
                place += 1
            }
            let key = RowKey(visit.shop, and: visit.account, position: visit.quarter)
            stamps += try store.value(self.visits, key, in: transaction) { Int($0.littleEndian32(at: 0)) } ?? 0
            row.removeAll(keepingCapacity: true)
            row.append(littleEndian: UInt32(clamping: stamps))
            try store.put(self.visits, key, row.span, in: &transaction)
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
