internal import LMDB
package import Loyalty
internal import LoyaltyCodec
internal import Projections

/// Changes the ranges in which an account has muted a shop. An ended range is kept only if the shop posted in it.
@available(*, noasync)
extension Notices {
    func note(_ fact: Fact, in transaction: inout WriteTransaction) throws(ReadModelError) -> Int {
        switch fact.event {
        case .shopMuted(let event):
            var stretches = try stretches(of: event.account, event.shop, in: transaction)
            stretches.mute(at: fact.position)
            try put(stretches, of: event.account, event.shop, in: &transaction)
            return 1
        case .shopUnmuted(let event):
            var stretches = try stretches(of: event.account, event.shop, in: transaction)
            guard let began = stretches.stretches.last?.after, stretches.isMuted else { return 0 }
            stretches.unmute(at: fact.position)
            let posted = try store.value(self.posted, RowKey(event.shop.value), in: transaction) { (row) throws(ReadModelError) in
                try store.number(row)
            }
            if posted.map({ $0 < began }) ?? true { stretches.dropLast() }
            try put(stretches, of: event.account, event.shop, in: &transaction)
            return 1
        default: return 0
        }
    }

    func isMuted(_ shop: ShopID, by account: AccountID, in transaction: borrowing WriteTransaction) throws(ReadModelError) -> Bool {
        try stretches(of: account, shop, in: transaction).isMuted
    }

    private func stretches(
        of account: AccountID, _ shop: ShopID, in transaction: borrowing WriteTransaction
    ) throws(ReadModelError) -> MutedStretches {
        let key = RowKey(account.value, and: shop.value)
        return try store.row(mutes, key, in: transaction) ?? MutedStretches()
    }

    private func put(
        _ stretches: MutedStretches, of account: AccountID, _ shop: ShopID, in transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        let key = RowKey(account.value, and: shop.value)
        if stretches.stretches.isEmpty { return try store.delete(mutes, key, in: &transaction) }
        try store.put(mutes, key, stretches, in: &transaction)
    }
}

extension Notices {
    func mutes(of account: AccountID, _ shop: UInt128, in snapshot: borrowing Snapshot) throws(ReadModelError) -> MutedStretches {
        guard shop != 0 else { return MutedStretches() }
        return try store.row(mutes, RowKey(account.value, and: shop), in: snapshot) ?? MutedStretches()
    }
}

/// The ranges in which an account had muted a shop: begin and end as u64, little-endian, the oldest first. A lasting one ends at
/// `UInt64.max`.
///
/// The account never receives a notice in such a range. Notices of an audience are numbered without gaps, so unread ones are counted by the
/// numbers at the ends of the ranges.
extension MutedStretches: StoredRow {
    static let noun = "the row of a mute"

    package func encode(into row: inout [UInt8]) {
        row.removeAll(keepingCapacity: true)
        for stretch in stretches {
            row.append(littleEndian: stretch.after)
            row.append(littleEndian: stretch.before)
        }
    }

    package init?(_ row: Span<UInt8>) {
        guard row.count > 0, row.count % 16 == 0 else { return nil }
        var stretches: [Stretch] = []
        for start in stride(from: 0, to: row.count, by: 16) {
            let stretch = Stretch(after: row.littleEndian64(at: start), before: row.littleEndian64(at: start + 8))
            guard stretch.after < stretch.before, stretches.last.map({ $0.before < stretch.after }) ?? true else { return nil }
            stretches.append(stretch)
        }
        self.init(stretches)
    }

    static func text(_ row: Span<UInt8>) -> String? {
        guard let muted = MutedStretches(row) else { return nil }
        let parts = muted.stretches.map { "\($0.after) to \($0.before == .max ? "now" : String($0.before))" }
        return "muted from position " + parts.joined(separator: ", ")
    }
}
