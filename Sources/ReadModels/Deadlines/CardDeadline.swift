internal import LMDB
package import Loyalty
internal import LoyaltyCodec
internal import Projections

/// A card with an end, and the next thing that is due for it: a reminder, or its expiry.
///
/// A card has one entry at a time. A redeemed card has none, but keeps its rows, because a reversal of the redemption needs them.
package struct CardDeadline: StoredRow, Hashable, Sendable {
    static let noun = "the row of a card with an end"

    package let expiresAt: Instant
    /// The moment from which the card cannot be redeemed, by its terms or because its shop has closed. No reminder is due then.
    package private(set) var redeemUntil: Instant?
    package let openedAt: Instant
    package var holder: UInt128
    package let shop: UInt128
    package let opened: UInt64
    package var position: UInt64
    /// The days before the end of the last recorded reminder; 0 if there is none.
    package var reminded = 0
    package var isHeld = true

    package init(expiresAt: Instant, redeemUntil: Instant?, openedAt: Instant, holder: UInt128, shop: UInt128, opened: UInt64) {
        (self.expiresAt, self.redeemUntil, self.openedAt, self.holder) = (expiresAt, redeemUntil, openedAt, holder)
        (self.shop, self.opened, position) = (shop, opened, opened)
    }

    /// Lowers ``redeemUntil`` to the moment from which the shop hands out no rewards.
    package mutating func close(_ until: Instant) { redeemUntil = min(until, redeemUntil ?? until) }

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

    package init?(_ row: Span<UInt8>) {
        guard row.count == Self.rowBytes, row[49] <= 1 else { return nil }
        self.init(
            expiresAt: row.time(at: 0), redeemUntil: row.timeIfAny(at: 50), openedAt: row.time(at: 8),
            holder: row.littleEndian128(at: 16), shop: row.littleEndian128(at: 58), opened: row.littleEndian64(at: 32))
        (position, reminded, isHeld) = (row.littleEndian64(at: 40), Int(row[48]), row[49] == 1)
    }

    static func text(_ row: Span<UInt8>) -> String? {
        guard let card = CardDeadline(row) else { return nil }
        let next = card.isHeld ? ", next due at \(card.dueAt.rfc3339), set at position \(card.position)" : ", spent"
        return "ends at \(card.expiresAt.rfc3339), opened at position \(card.opened)\(next)"
    }
}

@available(*, noasync)
extension Deadlines {
    /// Updates or removes the rows of a card with an end. Returns about how many.
    func age(_ fact: Fact, in transaction: inout WriteTransaction) throws(ReadModelError) -> Int {
        guard let id = fact.event.card else { return 0 }
        if case .cardOpened(let event) = fact.event { return try begin(event, fact, in: &transaction) }
        // An account's own card that got a waiting card's stamps keeps its end.
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
        // A redeemed card that is discarded exists again if its redemption is reversed.
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
        // While a closed shop hands out rewards, customers can add stamped paper cards, which opens cards.
        if let until = try closing(of: event.campaignShop, in: transaction) { card.close(until) }
        try put(card, of: event.card, in: &transaction)
        for (table, id) in [(holders, card.holder), (shops, card.shop)] {
            try store.put(table, RowKey(id, position: fact.position), RowKey(event.card.value).bytes, in: &transaction)
        }
        return 4
    }

    /// Records the closing of a shop. A card whose next reminder would be due after the last rewards gets its end as entry.
    func close(_ event: ShopClosed, _ fact: Fact, in transaction: inout WriteTransaction) throws(ReadModelError) -> Int {
        try store.put(closings, RowKey(event.shop.value), number: event.redeemUntil.microseconds, in: &transaction)
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
            return row.time(at: 0)
        }
    }

    private func newestCard(
        _ table: Table, of id: UInt128, before: UInt64, in transaction: borrowing WriteTransaction
    ) throws(ReadModelError) -> (position: UInt64, card: CardID)? {
        try store.newest(table, before: RowKey(id, position: before), in: transaction) { (position, row) throws(ReadModelError) in
            (position, CardID(try store.id(row, "a card with an end")))
        }
    }

    private func put(_ card: CardDeadline, of id: CardID, in transaction: inout WriteTransaction) throws(ReadModelError) {
        try store.put(cards, RowKey(id.value), card, in: &transaction)
        if card.isHeld { try put(DueEntry(dueAt: card.dueAt, .card(id)), at: card.position, in: &transaction) }
    }

    private func forget(_ id: CardID, _ card: CardDeadline, in transaction: inout WriteTransaction) throws(ReadModelError) -> Int {
        try store.delete(cards, RowKey(id.value), in: &transaction)
        try store.delete(holders, RowKey(card.holder, position: card.opened), in: &transaction)
        try store.delete(shops, RowKey(card.shop, position: card.opened), in: &transaction)
        return 4
    }

    func forgetCards(of account: AccountID, in transaction: inout WriteTransaction) throws(ReadModelError) -> Int {
        var removed = 0
        while let (_, id) = try newestCard(holders, of: account.value, before: .max, in: transaction) {
            guard let card = try deadline(of: id, in: transaction) else { throw store.damaged("the row of card \(id.text) is missing") }
            if card.isHeld { try store.delete(due, DueEntry(dueAt: card.dueAt, .card(id)).key, in: &transaction) }
            removed += try forget(id, card, in: &transaction)
        }
        return removed
    }

    private func deadline(of id: CardID, in transaction: borrowing WriteTransaction) throws(ReadModelError) -> CardDeadline? {
        try store.row(cards, RowKey(id.value), in: transaction)
    }
}
