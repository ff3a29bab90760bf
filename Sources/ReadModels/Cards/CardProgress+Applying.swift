public import EventLog
public import LMDB
public import Loyalty
internal import LoyaltyCodec

@available(*, noasync)
extension CardProgress {
    /// Nothing changed yet.
    public func makePending(cachedMax: Int) -> CardCache { CardCache(cachedMax: cachedMax) }

    /// How much waits to be written.
    public func changes(in cache: borrowing CardCache) -> Int { cache.count }

    /// Evolves the card that the event is about.
    public func apply(_ fact: Fact, to cache: inout CardCache, in transaction: inout WriteTransaction) throws(ReadModelError) {
        guard let id = fact.event.card else { return }
        if case .cardOpened = fact.event { return try open(fact, id, &cache, transaction) }
        let place = try place(of: id, &cache, transaction)
        var row: [UInt8] = []
        var card = try card(id, at: place, cache, transaction, &row)
        card.evolve(fact)
        cache.set(card, at: place, &row)
    }

    /// The hot path: a stamp of one is all tags, a new card little more.
    public func applyUndecoded(
        _ record: borrowing Record, at position: Position, to cache: inout CardCache, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool {
        if let stamp = SingleStamp(record) {
            let place = try place(of: CardID(stamp.card), &cache, transaction)
            cache.stamp(place, at: Instant(microseconds: record.time.microseconds), position: position.rawValue)
            return true
        }
        guard let card = OpenedCard(record) else { return false }
        try open(card.fact(of: record, at: position), CardID(card.card), &cache, transaction)
        return true
    }

    /// Writes what has changed, in key order, so that neighbouring rows are written to a page while it is at hand.
    public func flush(_ cache: inout CardCache, in transaction: inout WriteTransaction) throws(ReadModelError) {
        if !cache.changed.isEmpty { try flushCards(cache, in: &transaction) }
        if !cache.opened.isEmpty {
            cache.opened.sort { ($0.holder, $0.position) < ($1.holder, $1.position) }
            var rows = try store.writer(accounts, in: &transaction)
            for entry in cache.opened {
                try rows.put(RowKey(entry.holder.value, position: entry.position), RowKey(entry.card.value).bytes)
            }
        }
        cache.flushed()
    }

    private func flushCards(_ cache: borrowing CardCache, in transaction: inout WriteTransaction) throws(ReadModelError) {
        let known = cache.cards
        var rows = try store.writer(cards, in: &transaction)
        var row: [UInt8] = []
        for place in RowOrder.places(cache.changed, by: { known[$0].id }) {
            let key = RowKey(known[Int(place)].id)
            var isRow: Bool?
            if known[Int(place)].row >= 0 {
                isRow = cache.row(at: Int(place), stored: Span(), into: &row)
            } else {
                isRow = try rows.value(key) { cache.row(at: Int(place), stored: $0, into: &row) }
            }
            guard isRow == true else { throw damaged(known[Int(place)].id) }
            try rows.put(key, row.span)
        }
    }

    private func open(
        _ fact: Fact, _ id: CardID, _ cache: inout CardCache, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) {
        guard let card = Card(opening: fact) else { return }
        // Looked up in the rows too: what is refused must not depend on what happens to be cached.
        var isKnown = cache.index.place(of: id.value) != nil
        if !isKnown { isKnown = try store.has(cards, RowKey(id.value), in: transaction) }
        if isKnown { throw refused("card \(id.text) is opened a second time") }
        var row: [UInt8] = []
        cache.set(card, at: cache.insert(id.value), &row)
        cache.opened.append((card.holder, fact.position, id))
    }

    /// Where the cache holds a card, from now on.
    private func place(
        of id: CardID, _ cache: inout CardCache, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) -> Int {
        if let place = cache.index.place(of: id.value) { return place }
        guard try store.has(cards, RowKey(id.value), in: transaction) else { throw refused("card \(id.text) was never opened") }
        return cache.insert(id.value)
    }

    /// A card as it is now, with what waits to be written.
    private func card(
        _ id: CardID, at place: Int, _ cache: borrowing CardCache, _ transaction: borrowing WriteTransaction, _ row: inout [UInt8]
    ) throws(ReadModelError) -> Card {
        var isRow: Bool?
        if cache.cards[place].row >= 0 {
            isRow = cache.row(at: place, stored: Span(), into: &row)
        } else {
            isRow = try store.value(cards, RowKey(id.value), in: transaction) { cache.row(at: place, stored: $0, into: &row) }
        }
        guard isRow == true else { throw damaged(id.value) }
        return try decode(row.span, id)
    }

    private func damaged(_ id: UInt128) -> ReadModelError {
        store.damaged("the row of card \(CardID(id).text) is missing or does not decode")
    }

    private func refused(_ detail: String) -> ReadModelError {
        ReadModelError(.eventRefused, model: Self.name, detail)
    }
}
