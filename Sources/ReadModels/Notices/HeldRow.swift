internal import LMDB
internal import Loyalty
internal import LoyaltyCodec
internal import Projections

/// The ranges of log positions in which an account held a collecting or full card of a campaign.
///
/// A notice to holders is one row, and its receivers follow from these ranges. An ended range is kept only if it has a notice, so the row
/// grows with the campaign's notices.
package struct HeldCards: Hashable, Sendable {
    package let shop: UInt128
    /// Cards that are collecting or full now.
    package private(set) var live: Int
    /// The oldest first; the last one ends at `UInt64.max` while a card is held.
    package private(set) var stretches: [LogStretch]

    package init(shop: UInt128, live: Int = 0, stretches: [LogStretch] = []) {
        (self.shop, self.live, self.stretches) = (shop, live, stretches)
    }

    package var isEmpty: Bool { live == 0 && stretches.isEmpty }

    /// Counts one more held card. The first one begins a range.
    package mutating func begin(at position: UInt64) {
        live += 1
        if live == 1 { stretches.append(LogStretch(after: position, before: .max)) }
    }

    /// Counts one held card less.
    ///
    /// - Parameter newestNotice: the position of the campaign's newest notice; nil if there is none.
    package mutating func end(at position: UInt64, newestNotice: UInt64?) {
        guard live > 0 else { return }
        live -= 1
        guard live == 0, let last = stretches.popLast() else { return }
        if let newestNotice, newestNotice > last.after { stretches.append(LogStretch(after: last.after, before: position)) }
    }
}

/// A range of the log between two positions, both exclusive.
package struct LogStretch: Hashable, Sendable {
    package let after: UInt64
    package let before: UInt64

    package init(after: UInt64, before: UInt64) { (self.after, self.before) = (after, before) }

    /// The parts of this range outside `others`, which MUST be sorted and MUST NOT overlap.
    func without(_ others: [MutedStretches.Stretch]) -> [LogStretch] {
        var (left, start): ([LogStretch], UInt64) = ([], after)
        for other in others where other.before > start && other.after < before {
            if other.after > start { left.append(LogStretch(after: start, before: other.after)) }
            start = other.before
        }
        if start < before { left.append(LogStretch(after: start, before: before)) }
        return left
    }
}

extension HeldCards: StoredRow {
    static let noun = "the row of a campaign's holder"

    /// The shop as u128, the number of held cards as u64, and the two positions of each range as u64.
    package func encode(into row: inout [UInt8]) {
        row.removeAll(keepingCapacity: true)
        row.append(littleEndian: shop)
        row.append(littleEndian: UInt64(live))
        for stretch in stretches {
            row.append(littleEndian: stretch.after)
            row.append(littleEndian: stretch.before)
        }
    }

    package init?(_ row: Span<UInt8>) {
        guard row.count >= 24, row.count % 16 == 8, let live = Int(exactly: row.littleEndian64(at: 16)) else { return nil }
        var stretches: [LogStretch] = []
        for start in stride(from: 24, to: row.count, by: 16) {
            stretches.append(LogStretch(after: row.littleEndian64(at: start), before: row.littleEndian64(at: start + 8)))
        }
        guard (stretches.last?.before == .max) == (live > 0) else { return nil }
        self.init(shop: row.littleEndian128(at: 0), live: live, stretches: stretches)
    }

    static func text(_ row: Span<UInt8>) -> String? {
        guard let held = HeldCards(row) else { return nil }
        let parts = held.stretches.map { "\($0.after) to \($0.before == .max ? "now" : String($0.before))" }
        return "\(held.live) held; held from position " + parts.joined(separator: ", ")
    }
}

@available(*, noasync)
extension Notices {
    func hold(_ fact: Fact, in transaction: inout WriteTransaction) throws(ReadModelError) -> Int {
        switch fact.event {
        case .cardOpened(let event):
            try change(event.holder.value, event.campaign.value, event.campaignShop.value, in: &transaction) { $0.begin(at: fact.position) }
            return 1
        case .cardRedeemed(let event):
            try release(event.holder.value, event.campaign.value, event.campaignShop.value, at: fact.position, in: &transaction)
            try store.put(spent, RowKey(event.card.value), [1].span, in: &transaction)
            return 2
        case .cardExpired(let event):
            try release(event.holder.value, event.campaign.value, event.shop.value, at: fact.position, in: &transaction)
            try store.put(spent, RowKey(event.card.value), [1].span, in: &transaction)
            return 2
        case .redemptionReversed(let event):
            try store.delete(spent, RowKey(event.card.value), in: &transaction)
            try change(event.holder.value, event.campaign.value, event.campaignShop.value, in: &transaction) { $0.begin(at: fact.position) }
            return 2
        case .waitingCardTaken(let event):
            guard let from = event.from else { return 0 }
            try release(from.value, event.campaign.value, event.shop.value, at: fact.position, in: &transaction)
            guard event.stamps > 0 else { return 1 }
            try change(event.holder.value, event.campaign.value, event.shop.value, in: &transaction) { $0.begin(at: fact.position) }
            return 2
        case .cardDiscarded(let event):
            let key = RowKey(event.card.value)
            if try store.has(spent, key, in: transaction) {
                try store.delete(spent, key, in: &transaction)
            } else {
                try release(event.holder.value, event.campaign.value, event.shop.value, at: fact.position, in: &transaction)
            }
            return 1
        default: return 0
        }
    }

    private func release(
        _ holder: UInt128, _ campaign: UInt128, _ shop: UInt128, at position: UInt64, in transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        let bound = RowKey(campaign, position: .max)
        let newest = try store.newest(audiences, before: bound, in: transaction) { (position, _) throws(ReadModelError) in position }
        try change(holder, campaign, shop, in: &transaction) { $0.end(at: position, newestNotice: newest) }
    }

    private func change(
        _ holder: UInt128, _ campaign: UInt128, _ shop: UInt128, in transaction: inout WriteTransaction, _ body: (inout HeldCards) -> Void
    ) throws(ReadModelError) {
        let key = RowKey(holder, and: campaign)
        var cards = try store.row(held, key, in: transaction) ?? HeldCards(shop: shop)
        body(&cards)
        if cards.isEmpty { return try store.delete(held, key, in: &transaction) }
        try store.put(held, key, cards, in: &transaction)
    }
}
