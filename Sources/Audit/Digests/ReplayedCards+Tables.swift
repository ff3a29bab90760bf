internal import LMDB
internal import Loyalty
internal import Projections
internal import ReadModels

extension ReplayedCards {
    func tables(_ cards: CardOrders) -> [CanonicalTable] { [cardTable(cards), accountTable(cards)] }

    private func cardTable(_ cards: CardOrders) -> CanonicalTable {
        var dealt = DealtOut(history.count, among: progress.count) { Int(history[$0].card) }
        var lines = [UInt32](repeating: 0, count: history.count)
        for (line, entry) in history.enumerated() { lines[dealt.place(for: Int(entry.card))] = UInt32(line) }
        var newest: [UInt32: UInt128] = [:]
        for redemption in redemptions { newest[redemption.card] = redemption.id }
        let (starts, order, numbers) = (dealt.starts, cards.byID, cards.numbers)
        return CanonicalTable("cards", order) { [progress, rewards, terms, history, lines, newest] number, row in
            let number = Int(number)
            let (card, state) = (numbers.cards[number], progress[number])
            let head = CardRow.Head(
                status: state.status, goal: UInt32(clamping: state.goal), stamps: UInt32(clamping: state.stamps), opened: card.opened,
                campaign: numbers.campaigns.ids[Int(card.campaign)], shop: numbers.shops.ids[Int(card.shop)],
                holder: numbers.holder(of: number), redemption: newest[UInt32(number)], terms: terms[UInt32(number)] ?? .none)
            row.key = RowKey(card.id)
            let start = starts[number]
            CardRow.layOut(head, entries: starts[number + 1] - start, rewards[number], into: &row.value)
            var value = row.value.mutableSpan
            for place in start..<starts[number + 1] {
                CardRow.write(history[Int(lines[place])].entry, at: place - start, into: &value)
            }
        }
    }

    private func accountTable(_ cards: CardOrders) -> CanonicalTable {
        let numbers = cards.numbers
        return CanonicalTable("accounts", cards.byPresentHolder) { number, row in
            let card = numbers.cards[Int(number)]
            row.set(RowKey(numbers.holder(of: Int(number)), position: card.position), id: card.id)
        }
    }
}

extension ReplayedJourneys {
    func tables(_ cards: CardOrders) -> [CanonicalTable] { [cardTable(cards), visitTable(cards), campaignTable] }

    private func cardTable(_ cards: CardOrders) -> CanonicalTable {
        let (order, numbers) = (cards.byShop, cards.numbers)
        return CanonicalTable("cards", count: order.cards.count) { [cards = self.cards] (index, row) in
            let card = order.cards[index]
            row.key = RowKey(numbers.shops.ids[Int(card.shop)], and: card.id)
            let number = Int(order.numbers[index])
            let journey = cards[number].journey(card, of: numbers.holder(of: number), in: numbers.campaigns.ids[Int(card.campaign)])
            journey.encode(into: &row.value)
        }
    }

    /// Groups the visits by customer first. Each customer has few, nearly in the order of time.
    private func visitTable(_ cards: CardOrders) -> CanonicalTable {
        let (order, shops) = (cards.customers, cards.numbers.shops.ids)
        var visits = visits
        var dealt = DealtOut(visits.count, among: order.customers.count) { order.place(of: visits[$0].card, visits[$0].isTaken) }
        for var visit in self.visits {
            visit.card = UInt32(order.place(of: visit.card, visit.isTaken))
            visits[dealt.place(for: Int(visit.card))] = visit
        }
        for part in dealt.shared { visits[part].sort { $0.quarter < $1.quarter } }
        visits.merge(where: { $0.card == $1.card && $0.quarter == $1.quarter }, by: { $0.stamps &+= $1.stamps })
        return CanonicalTable("visits", visits) { visit, row in
            let customer = order.customers[Int(visit.card)]
            row.set(RowKey(shops[Int(customer.shop)], and: customer.account, position: visit.quarter), number: visit.stamps)
        }.joined(with: guestVisits(cards.numbers)) { own, guest in
            var sum: [UInt8] = []
            sum.append(littleEndian: own.span.littleEndian32(at: 0) &+ guest.span.littleEndian32(at: 0))
            return sum
        }
    }

    private var campaignTable: CanonicalTable {
        let rows = campaigns.sorted { ($0.value.shop, $0.key) < ($1.value.shop, $1.key) }
        return CanonicalTable("campaigns", rows) { entry, row in
            let campaign = entry.value
            row.key = RowKey(campaign.shop, and: entry.key)
            let times = CampaignTimes(startsAt: campaign.starts, endsAt: campaign.ends, endedAt: campaign.ended, version: campaign.version)
            times.encode(into: &row.value)
        }
    }
}
