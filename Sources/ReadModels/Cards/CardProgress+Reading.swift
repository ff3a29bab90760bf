public import EventLog
internal import LMDB
public import Loyalty
internal import LoyaltyCodec

extension CardProgress {
    /// One card as of the model's position; nil where there is none.
    ///
    /// - Throws: ``ReadModelError/Code/damaged``, ``ReadModelError/Code/storage``.
    public func card(_ id: CardID) throws(ReadModelError) -> Card? {
        try store.reading { (snapshot) throws(ReadModelError) in try card(id, in: snapshot) }
    }

    /// An account's cards, the newest opened first.
    ///
    /// The cursor is a place in the log, so that going on with it shows each card once however many are opened meanwhile.
    ///
    /// - Parameters:
    ///   - statuses: the others are passed over.
    ///   - before: ``CardPage/next`` of the page before; nil begins with the newest.
    ///   - limit: items, 1 to ``ReadModelLimits/pageItems``; what lies outside is moved to the nearest.
    /// - Throws: ``ReadModelError/Code/damaged``, ``ReadModelError/Code/storage``.
    public func cards(
        of account: AccountID,
        statuses: Set<CardStatus> = Set(CardStatus.allCases),
        before: Position? = nil,
        limit: Int = 20
    ) throws(ReadModelError) -> CardPage {
        let limit = min(max(limit, 1), ReadModelLimits.pageItems)
        return try store.reading { (snapshot) throws(ReadModelError) in
            var found: [Card] = []
            // One more than asked for tells whether there is a next page.
            try store.descend(accounts, of: account.value, before: before?.rawValue, in: snapshot) {
                (_, value) throws(ReadModelError) in
                guard value.count == 16 else { throw store.damaged("an entry of account \(account.text) has \(value.count) bytes") }
                let card = try card(CardID(value.bigEndian128(at: 0)), statuses, in: snapshot)
                if let card { found.append(card) }
                return found.count <= limit
            }
            return CardPage(found, limit: limit)
        }
    }

    private func card(_ id: CardID, in snapshot: borrowing Snapshot) throws(ReadModelError) -> Card? {
        try store.value(cards, RowKey(id.value), in: snapshot) { (row) throws(ReadModelError) in try decode(row, id) }
    }

    /// A card that an index names: it must be there.
    private func card(
        _ id: CardID, _ statuses: Set<CardStatus>, in snapshot: borrowing Snapshot
    ) throws(ReadModelError) -> Card? {
        let card: Card?? = try store.value(cards, RowKey(id.value), in: snapshot) { (row) throws(ReadModelError) in
            guard let status = CardRow.status(of: row) else { return try decode(row, id) }
            return statuses.contains(status) ? try decode(row, id) : nil
        }
        guard let card else { throw store.damaged("the row of card \(id.text) is missing") }
        return card
    }

    func decode(_ row: Span<UInt8>, _ id: CardID) throws(ReadModelError) -> Card {
        guard let card = CardRow.decode(row, id: id) else { throw store.damaged("the row of card \(id.text) does not decode") }
        return card
    }
}
