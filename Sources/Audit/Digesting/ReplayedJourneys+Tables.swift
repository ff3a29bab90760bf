internal import LMDB
internal import Loyalty
internal import ReadModels

extension ReplayedJourneys {
    func tables(_ cards: CardOrders) -> [CanonicalTable] { [cardTable(cards), visitTable(cards), campaignTable] }

    private func cardTable(_ cards: CardOrders) -> CanonicalTable {
        let (order, numbers) = (cards.byShop, cards.numbers)
        return CanonicalTable("cards", count: order.cards.count) { [cards = self.cards] (index, row) in
            let card = order.cards[index]
            row.key = RowKey(numbers.shops.ids[Int(card.shop)], and: card.id)
            let journey = cards[Int(order.numbers[index])].journey(card, in: numbers.campaigns.ids[Int(card.campaign)])
            journey.encode(into: &row.value)
        }
    }

    /// Visits are dealt out to customers, in whose order rows are; each one's are few, and nearly in the order of time.
    private func visitTable(_ cards: CardOrders) -> CanonicalTable {
        let (order, shops) = (cards.customers, cards.numbers.shops.ids)
        var visits = visits
        var dealt = DealtOut(visits.count, among: order.customers.count) { Int(order.places[Int(visits[$0].card)]) }
        for var visit in self.visits {
            visit.card = order.places[Int(visit.card)]
            visits[dealt.place(for: Int(visit.card))] = visit
        }
        for part in dealt.shared { visits[part].sort { $0.quarter < $1.quarter } }
        visits.merge(where: { $0.card == $1.card && $0.quarter == $1.quarter }, by: { $0.stamps &+= $1.stamps })
        return CanonicalTable("visits", count: visits.count) { [visits] (index, row) in
            let visit = visits[index]
            let customer = order.customers[Int(visit.card)]
            row.set(RowKey(shops[Int(customer.shop)], and: customer.account, position: visit.quarter), number: visit.stamps)
        }
    }

    private var campaignTable: CanonicalTable {
        let rows = campaigns.sorted { ($0.value.shop, $0.key) < ($1.value.shop, $1.key) }
        return CanonicalTable("campaigns", count: rows.count) { (index, row) in
            let (id, campaign) = rows[index]
            row.key = RowKey(campaign.shop, and: id)
            let times = CampaignTimes(
                startsAt: campaign.starts, endsAt: campaign.ends, endedAt: campaign.ended, version: campaign.version)
            times.encode(into: &row.value)
        }
    }
}
