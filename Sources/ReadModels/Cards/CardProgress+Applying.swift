public import EventLog
public import LMDB
public import Loyalty
internal import LoyaltyCodec

@available(*, noasync)
extension CardProgress {
    /// An empty write-back cache: a card that is touched often in a batch is written once.
    public func makePending(cachedMax: Int) -> CardCache {
        CardCache(cachedMax: cachedMax)
    }

    /// How many cards wait to be written.
    public func changes(in cache: borrowing CardCache) -> Int {
        cache.changed.count
    }

    /// Evolves the card that the event is about.
    public func apply(_ fact: Fact, to cache: inout CardCache, in transaction: inout WriteTransaction) throws(ReadModelError) {
        guard let id = fact.event.card else { return }
        if case .cardOpened = fact.event { return try open(fact, id, &cache, transaction) }
        let place = try place(of: id, &cache, transaction)
        cache.cards[place].evolve(fact)
        cache.markChanged(place)
    }

    /// The hot path: a stamp of one needs no decoding, it is all tags. False for every other event.
    public func applyUndecoded(
        _ record: borrowing Record, at position: Position, to cache: inout CardCache, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool {
        guard let stamp = SingleStamp(record) else { return false }
        let place = try place(of: CardID(stamp.card), &cache, transaction)
        let time = Instant(microseconds: record.time.microseconds)
        cache.cards[place].addStamps(1, at: time, position: position.rawValue)
        cache.markChanged(place)
        return true
    }

    /// Writes what has changed.
    public func flush(_ cache: inout CardCache, in transaction: inout WriteTransaction) throws(ReadModelError) {
        var row: [UInt8] = []
        // In key order, so that neighbouring rows are written to a page while it is at hand.
        cache.changed.sort { [cards = cache.cards] in cards[$0].id < cards[$1].id }
        for place in cache.changed {
            CardRow.encode(cache.cards[place], into: &row)
            try store.put(cards, RowKey(cache.cards[place].id.value), row.span, in: &transaction)
        }
        cache.opened.sort { ($0.holder, $0.position) < ($1.holder, $1.position) }
        for entry in cache.opened {
            try store.put(accounts, RowKey(entry.holder.value, position: entry.position), RowKey(entry.card.value).bytes, in: &transaction)
        }
        cache.flushed()
    }

    private func open(
        _ fact: Fact, _ id: CardID, _ cache: inout CardCache, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) {
        guard let card = Card(opening: fact) else { return }
        // Looked up in the rows too: what is refused must not depend on what happens to be cached.
        var isKnown = cache.index.place(of: id.value) != nil
        if !isKnown { isKnown = try store.has(cards, RowKey(id.value), in: transaction) }
        if isKnown { throw refused("card \(id.text) is opened a second time") }
        cache.markChanged(cache.insert(card))
        cache.opened.append((card.holder, fact.position, id))
    }

    /// Where the cache holds a card, from now on.
    private func place(
        of id: CardID, _ cache: inout CardCache, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) -> Int {
        if let place = cache.index.place(of: id.value) { return place }
        let card = try store.value(cards, RowKey(id.value), in: transaction) { (row) throws(ReadModelError) in
            try decode(row, id)
        }
        guard let card else { throw refused("card \(id.text) was never opened") }
        return cache.insert(card)
    }

    private func refused(_ detail: String) -> ReadModelError {
        ReadModelError(.eventRefused, model: Self.name, detail)
    }
}
