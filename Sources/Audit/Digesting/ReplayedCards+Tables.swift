internal import Loyalty
internal import ReadModels

extension ReplayedCards {
    /// What `CardProgress` must hold: its tables in their order.
    var tables: [CanonicalTable] { [cardTable, accountTable] }

    private var cardTable: CanonicalTable {
        // Ids carry the time, so this is nearly sorted, and cheap.
        let order = cards.indices.sorted { cards[$0].id < cards[$1].id }
        return CanonicalTable("cards", count: order.count) { [cards] (index, row) in
            let card = cards[order[index]]
            row.key = RowKey(card.id.value)
            CardRow.encode(card, into: &row.value)
        }
    }

    private var accountTable: CanonicalTable {
        let entries = cards.map { (holder: $0.holder, position: $0.history[0].position, card: $0.id) }
            .sorted { ($0.holder, $0.position) < ($1.holder, $1.position) }
        return CanonicalTable("accounts", count: entries.count) { (index, row) in
            let entry = entries[index]
            row.set(RowKey(entry.holder.value, position: entry.position), id: entry.card.value)
        }
    }
}
