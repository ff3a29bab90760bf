internal import LMDB
package import Loyalty
internal import LoyaltyCodec
internal import Projections

/// A card with an end (the moment at which it expires), and the next thing that is due for it: a reminder, or its expiry.
///
/// A card has only one entry in the table of due things at a time: the event that records the first reminder sets the entry for the second
/// one. So ten million cards need ten million entries, not more.
///
/// A redeemed card has no such entry, so it costs the scheduler nothing. Its rows stay until the holder's account is erased: a reversal of
/// the redemption needs them for a day, and no event marks the end of that day.
package struct CardDeadline: Hashable, Sendable {
    package let expiresAt: Instant
    /// The moment from which the full card can no longer be redeemed, by its terms or because its shop has closed. From then on no reminder
    /// is due.
    package private(set) var redeemUntil: Instant?
    package let openedAt: Instant
    package var holder: UInt128
    package let shop: UInt128
    /// The position at which the card was opened.
    package let opened: UInt64
    /// The position of the event that set the card's entry in the table of due things.
    package var position: UInt64
    /// The number of days before the card's end for which the last recorded reminder was due; 0 if no reminder is recorded.
    package var reminded = 0
    /// Whether the card is collecting or full. A redeemed card has no entry until its redemption is reversed.
    package var isHeld = true

    package init(expiresAt: Instant, redeemUntil: Instant?, openedAt: Instant, holder: UInt128, shop: UInt128, opened: UInt64) {
        (self.expiresAt, self.redeemUntil, self.openedAt, self.holder) = (expiresAt, redeemUntil, openedAt, holder)
        (self.shop, self.opened, position) = (shop, opened, opened)
    }

    /// Lowers ``redeemUntil`` to the moment from which the card's shop hands out no more rewards. An earlier moment stays.
    package mutating func close(_ until: Instant) { redeemUntil = min(until, redeemUntil ?? until) }

    /// The time at which the next reminder is due, or at which the card ends, whichever is earlier.
    package var dueAt: Instant {
        let terms = CardTerms(expiresAt: expiresAt, redeemUntil: redeemUntil)
        return terms.reminders(openedAt: openedAt).first { reminded == 0 || $0.daysLeft < reminded }?.dueAt ?? expiresAt
    }

    private static let rowBytes = 74

    /// Replaces `row` by the row of the card. All numbers are little-endian.
    ///
    /// ```
    ///  0 i64 expires at, µs     8 i64 opened at, µs     16 u128 holder   32 u64 position of the opening
    /// 40 u64 position of the event that set the entry   48 u8 days of the last reminder, else 0   49 u8 1 if held
    /// 50 i64 redeem until, µs, else the least i64       58 u128 shop
    /// ```
    package func encode(into row: inout [UInt8]) {
        row.removeAll(keepingCapacity: true)
        row.append(littleEndian: expiresAt.microseconds)
        row.append(littleEndian: openedAt.microseconds)
        row.append(littleEndian: holder)
        row.append(littleEndian: opened)
        row.append(littleEndian: position)
        row.append(UInt8(clamping: reminded))
        row.append(isHeld ? 1 : 0)
        row.append(littleEndian: redeemUntil?.microseconds ?? .min)
        row.append(littleEndian: shop)
    }

    /// Reads a row; nil if the bytes are not a row.
    package init?(_ row: Span<UInt8>) {
        guard row.count == Self.rowBytes, row[49] <= 1 else { return nil }
        func time(_ place: Int) -> Instant { Instant(microseconds: Int64(bitPattern: row.littleEndian64(at: place))) }
        self.init(
            expiresAt: time(0), redeemUntil: time(50).microseconds == .min ? nil : time(50), openedAt: time(8),
            holder: row.littleEndian128(at: 16), shop: row.littleEndian128(at: 58), opened: row.littleEndian64(at: 32))
        (position, reminded, isHeld) = (row.littleEndian64(at: 40), Int(row[48]), row[49] == 1)
    }

    /// A row as one line of text, which tools show to people.
    static func text(_ row: Span<UInt8>) -> String? {
        guard let card = CardDeadline(row) else { return nil }
        let next = card.isHeld ? ", next due at \(card.dueAt.rfc3339), set at position \(card.position)" : ", spent"
        return "ends at \(card.expiresAt.rfc3339), opened at position \(card.opened)\(next)"
    }
}

@available(*, noasync)
extension Deadlines {
    /// Updates or removes the rows of the card that an event is about. Does nothing for a card without an end.
    ///
    /// - Returns: the approximate number of rows written or removed.
    func age(_ fact: Fact, in transaction: inout WriteTransaction) throws(ReadModelError) -> Int {
        guard let id = fact.event.card else { return 0 }
        if case .cardOpened(let event) = fact.event { return try begin(event, fact, in: &transaction) }
        // An account's own card that got stamps of a waiting card ends when it would have ended.
        if case .waitingCardTaken(let event) = fact.event, event.from == nil { return 0 }
        guard var card = try deadline(of: id, in: transaction) else { return 0 }
        if card.isHeld { try store.delete(due, DueEntry(dueAt: card.dueAt, .card(id)).key, in: &transaction) }
        let wasHeld = card.isHeld
        switch fact.event {
        case .cardReminded(let event): card.reminded = event.daysLeft
        case .cardRedeemed: card.isHeld = false
        case .redemptionReversed: card.isHeld = true
        case .waitingCardTaken(let event) where event.stamps > 0:
            try store.delete(holders, RowKey(card.holder, position: card.opened), in: &transaction)
            card.holder = event.holder.value
            try store.put(holders, RowKey(card.holder, position: card.opened), RowKey(id.value).bytes, in: &transaction)
        // A redeemed card that is discarded keeps its row, because it exists again if its redemption is reversed.
        case .cardDiscarded where !wasHeld: return 0
        default: return try forget(id, card, in: &transaction)
        }
        card.position = fact.position
        try put(card, of: id, in: &transaction)
        return 2
    }

    private func begin(_ event: CardOpened, _ fact: Fact, in transaction: inout WriteTransaction) throws(ReadModelError) -> Int {
        guard let expiresAt = event.terms.expiresAt else { return 0 }
        var card = CardDeadline(
            expiresAt: expiresAt, redeemUntil: event.terms.redeemUntil, openedAt: fact.time, holder: event.holder.value,
            shop: event.campaignShop.value, opened: fact.position)
        // A closed shop can still get new cards: as long as it hands out rewards, customers can add its stamped paper cards to their
        // accounts, which opens cards.
        if let until = try closing(of: event.campaignShop, in: transaction) { card.close(until) }
        try put(card, of: event.card, in: &transaction)
        for (table, id) in [(holders, card.holder), (shops, card.shop)] {
            try store.put(table, RowKey(id, position: fact.position), RowKey(event.card.value).bytes, in: &transaction)
        }
        return 4
    }

    /// Records the closing of a shop. Once the shop hands out no more rewards, no reminder is due. So if a card's next reminder would be
    /// due at that moment or later, the card's entry moves to the card's end.
    ///
    /// - Returns: the approximate number of rows written or removed.
    func close(_ event: ShopClosed, _ fact: Fact, in transaction: inout WriteTransaction) throws(ReadModelError) -> Int {
        var row: [UInt8] = []
        row.append(littleEndian: event.redeemUntil.microseconds)
        try store.put(closings, RowKey(event.shop.value), row.span, in: &transaction)
        var (written, before) = (1, UInt64.max)
        while let (position, id) = try newestCard(shops, of: event.shop.value, before: before, in: transaction) {
            before = position
            guard var card = try deadline(of: id, in: transaction) else { throw store.damaged("the row of card \(id.text) is missing") }
            if card.isHeld { try store.delete(due, DueEntry(dueAt: card.dueAt, .card(id)).key, in: &transaction) }
            card.close(event.redeemUntil)
            card.position = fact.position
            try put(card, of: id, in: &transaction)
            written += 2
        }
        return written
    }

    private func closing(of shop: ShopID, in transaction: borrowing WriteTransaction) throws(ReadModelError) -> Instant? {
        try store.value(closings, RowKey(shop.value), in: transaction) { (row) throws(ReadModelError) in
            guard row.count == 8 else { throw store.damaged("the closing of a shop has \(row.count) bytes") }
            return Instant(microseconds: Int64(bitPattern: row.littleEndian64(at: 0)))
        }
    }

    /// The newest card with an end, of one holder or of one shop, that was opened before a position. The table decides whether `id` is a
    /// holder or a shop.
    private func newestCard(
        _ table: Table, of id: UInt128, before: UInt64, in transaction: borrowing WriteTransaction
    ) throws(ReadModelError) -> (position: UInt64, card: CardID)? {
        try store.newest(table, before: RowKey(id, position: before), in: transaction) { (position, row) throws(ReadModelError) in
            guard row.count == 16 else { throw store.damaged("a card with an end has \(row.count) bytes") }
            return (position, CardID(row.bigEndian128(at: 0)))
        }
    }

    private func put(_ card: CardDeadline, of id: CardID, in transaction: inout WriteTransaction) throws(ReadModelError) {
        var row: [UInt8] = []
        card.encode(into: &row)
        try store.put(cards, RowKey(id.value), row.span, in: &transaction)
        if card.isHeld { try put(DueEntry(dueAt: card.dueAt, .card(id)), at: card.position, in: &transaction) }
    }

    private func forget(_ id: CardID, _ card: CardDeadline, in transaction: inout WriteTransaction) throws(ReadModelError) -> Int {
        try store.delete(cards, RowKey(id.value), in: &transaction)
        try store.delete(holders, RowKey(card.holder, position: card.opened), in: &transaction)
        try store.delete(shops, RowKey(card.shop, position: card.opened), in: &transaction)
        return 4
    }

    /// Removes all rows and due entries of an erased account's cards that have an end.
    ///
    /// - Returns: the approximate number of rows removed.
    func forgetCards(of account: AccountID, in transaction: inout WriteTransaction) throws(ReadModelError) -> Int {
        var removed = 0
        while true {
            guard let (_, id) = try newestCard(holders, of: account.value, before: .max, in: transaction) else { return removed }
            guard let card = try deadline(of: id, in: transaction) else {
                throw store.damaged("the row of card \(id.text) is missing")
            }
            if card.isHeld { try store.delete(due, DueEntry(dueAt: card.dueAt, .card(id)).key, in: &transaction) }
            removed += try forget(id, card, in: &transaction)
        }
    }

    private func deadline(of id: CardID, in transaction: borrowing WriteTransaction) throws(ReadModelError) -> CardDeadline? {
        try store.value(cards, RowKey(id.value), in: transaction) { (row) throws(ReadModelError) in
            guard let card = CardDeadline(row) else { throw store.damaged("the row of card \(id.text) does not decode") }
            return card
        }
    }
}
