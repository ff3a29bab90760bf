internal import LMDB
package import Loyalty
internal import LoyaltyCodec
internal import Projections

/// A card with an end, and what is due for it next.
///
/// A card has one entry, not one for each reminder: the event of the first reminder brings the next entry. So ten million cards are ten
/// million entries.
package struct CardDeadline: Hashable, Sendable {
    package let expiresAt: Instant
    /// The moment from which the full card is redeemed no more: no reminder is due from then on.
    package let redeemUntil: Instant?
    package let openedAt: Instant
    package let holder: UInt128
    /// The position at which the card was opened.
    package let opened: UInt64
    /// The position of the event that set the entry.
    package var position: UInt64
    /// The days of the last recorded reminder; 0 before the first.
    package var reminded = 0
    /// Whether the card is collecting or full. A redeemed card has no entry until its redemption is reversed.
    package var isHeld = true

    package init(expiresAt: Instant, redeemUntil: Instant?, openedAt: Instant, holder: UInt128, opened: UInt64) {
        (self.expiresAt, self.redeemUntil, self.openedAt, self.holder) = (expiresAt, redeemUntil, openedAt, holder)
        (self.opened, position) = (opened, opened)
    }

    /// The next moment: of the first reminder after the recorded one, or of the end.
    package var dueAt: Instant {
        let terms = CardTerms(expiresAt: expiresAt, redeemUntil: redeemUntil)
        return terms.reminders(openedAt: openedAt).first { reminded == 0 || $0.daysLeft < reminded }?.dueAt ?? expiresAt
    }

    private static let rowBytes = 58

    /// Ends, opened at i64, µs; holder u128; opened, entry set u64; days of the last reminder u8; held u8;
    /// redeemed no more from, i64, µs, the least number for never; little-endian.
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
    }

    /// Reads a row; nil if the bytes are not one.
    package init?(_ row: Span<UInt8>) {
        guard row.count == Self.rowBytes, row[49] <= 1 else { return nil }
        func time(_ place: Int) -> Instant { Instant(microseconds: Int64(bitPattern: row.littleEndian64(at: place))) }
        self.init(
            expiresAt: time(0), redeemUntil: time(50).microseconds == .min ? nil : time(50), openedAt: time(8),
            holder: row.littleEndian128(at: 16), opened: row.littleEndian64(at: 32))
        (position, reminded, isHeld) = (row.littleEndian64(at: 40), Int(row[48]), row[49] == 1)
    }

    /// A row in one line for people.
    static func text(_ row: Span<UInt8>) -> String? {
        guard let card = CardDeadline(row) else { return nil }
        let next = card.isHeld ? ", next due at \(card.dueAt.rfc3339), set at position \(card.position)" : ", spent"
        return "ends at \(card.expiresAt.rfc3339), opened at position \(card.opened)\(next)"
    }
}

@available(*, noasync)
extension Deadlines {
    /// Updates the entry of the card that an event is about.
    ///
    /// - Returns: the number of rows written.
    func age(_ fact: Fact, in transaction: inout WriteTransaction) throws(ReadModelError) -> Int {
        guard let id = fact.event.card else { return 0 }
        if case .cardOpened(let event) = fact.event { return try begin(event, fact, in: &transaction) }
        guard var card = try deadline(of: id, in: transaction) else { return 0 }
        if card.isHeld { try store.delete(due, DueEntry(dueAt: card.dueAt, .card(id)).key, in: &transaction) }
        let wasHeld = card.isHeld
        switch fact.event {
        case .cardReminded(let event): card.reminded = event.daysLeft
        case .cardRedeemed: card.isHeld = false
        case .redemptionReversed: card.isHeld = true
        // A redeemed card that is discarded comes back if its redemption is reversed.
        case .cardDiscarded where !wasHeld: return 0
        default: return try forget(id, card, in: &transaction)
        }
        card.position = fact.position
        try put(card, of: id, in: &transaction)
        return 2
    }

    private func begin(_ event: CardOpened, _ fact: Fact, in transaction: inout WriteTransaction) throws(ReadModelError) -> Int {
        guard let expiresAt = event.terms.expiresAt else { return 0 }
        let card = CardDeadline(
            expiresAt: expiresAt, redeemUntil: event.terms.redeemUntil, openedAt: fact.time, holder: event.holder.value,
            opened: fact.position)
        try put(card, of: event.card, in: &transaction)
        try store.put(
            holders, RowKey(event.holder.value, position: fact.position), RowKey(event.card.value).bytes, in: &transaction)
        return 3
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
        return 3
    }

    /// Removes all entries of an erased account's cards, because nobody holds them any more.
    ///
    /// - Returns: the number of rows removed.
    func forgetCards(of account: AccountID, in transaction: inout WriteTransaction) throws(ReadModelError) -> Int {
        var removed = 0
        while true {
            let newest = try store.newest(holders, before: RowKey(account.value, position: .max), in: transaction) {
                (_, row) throws(ReadModelError) -> CardID in
                guard row.count == 16 else { throw store.damaged("a card with an end has \(row.count) bytes") }
                return CardID(row.bigEndian128(at: 0))
            }
            guard let id = newest else { return removed }
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
