internal import Loyalty
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
        return CanonicalTable("cards", count: order.count) { [progress, rewards, history, lines, newest] (index, row) in
            let number = Int(order[index])
            let (card, state) = (numbers.cards[number], progress[number])
            let head = CardRow.Head(
                status: state.status, goal: UInt32(clamping: state.goal), stamps: UInt32(clamping: state.stamps), opened: card.opened,
                campaign: numbers.campaigns.ids[Int(card.campaign)], shop: numbers.shops.ids[Int(card.shop)], holder: card.holder,
                redemption: newest[UInt32(number)])
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
        let (order, numbers) = (cards.byHolder, cards.numbers)
        return CanonicalTable("accounts", count: order.count) { (index, row) in
            let card = numbers.cards[Int(order[index])]
            row.set(RowKey(card.holder, position: card.position), id: card.id)
        }
    }
}
