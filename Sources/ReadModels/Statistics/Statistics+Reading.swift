internal import LMDB
public import Loyalty
internal import LoyaltyCodec

extension Statistics {
    /// What happened at a shop, as of the model's position. It reads every row of the period: some for each visit.
    ///
    /// - Throws: ``ReadModelError/Code/damaged``, ``ReadModelError/Code/storage``.
    public func report(of shop: ShopID, _ period: ReportPeriod) throws(ReadModelError) -> ShopReport {
        try store.reading { (snapshot) throws(ReadModelError) in
            var making = ReportMaking(period)
            try walk(cards, of: shop, period.quarters, in: snapshot) { (quarter, card, row) throws(ReadModelError) in
                making.add(try self.card(row), of: CardID(card), in: quarter)
            }
            try walk(staff, of: shop, period.quarters, in: snapshot) { (quarter, account, row) throws(ReadModelError) in
                making.add(try member(row), by: AccountID(account), in: quarter)
            }
            var firsts: [AccountID: Quarter] = [:]
            for account in making.customers {
                let key = RowKey(shop.value, and: account.value)
                firsts[account] = try store.value(self.firsts, key, in: snapshot) { Quarter(key: $0.littleEndian64(at: 0)) }
            }
            return making.report(firsts: firsts)
        }
    }

    private func walk(
        _ table: Table, of shop: ShopID, _ quarters: ClosedRange<Quarter>, in snapshot: borrowing Snapshot,
        _ body: (_ quarter: Quarter, _ thing: UInt128, _ row: Span<UInt8>) throws(ReadModelError) -> Void
    ) throws(ReadModelError) {
        do {
            var cursor = try snapshot.cursor(table)
            let start = RowKey(shop.value, position: quarters.lowerBound.key)
            var goesOn = try cursor.seek(start.bytes)
            while goesOn, cursor.key.count == 40, cursor.key.bigEndian128(at: 0) == shop.value {
                let quarter = Quarter(key: UInt64(truncatingIfNeeded: cursor.key.extracting(droppingFirst: 8).bigEndian128(at: 0)))
                guard quarter <= quarters.upperBound else { return }
                try body(quarter, cursor.key.bigEndian128(at: 24), cursor.value)
                goesOn = try cursor.next()
            }
        } catch {
            throw ReadModelError(any: error, model: Self.name)
        }
    }
}
