public import LMDB
internal import Loyalty
public import Projections

@available(*, noasync)
extension Customers {
    /// Writes the rows of each table in key order, so that rows on the same page are written together.
    public func flush(_ pending: inout CustomerChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        try write(&pending, in: &transaction)
        pending.written = 0
    }

    /// Brings the tables up to date in the middle of a batch, whose rows stay counted.
    func write(_ pending: inout CustomerChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        if pending.unwritten == 0 { return }
        pending.written = pending.count
        try flushCards(pending, in: &transaction)
        try flushVisits(pending, in: &transaction)
        try flushCustomers(pending, in: &transaction)
        pending.cards.removeAll()
        pending.visits.removeAll(keepingCapacity: true)
        pending.customers.removeAll()
    }

    private func flushCards(_ pending: borrowing CustomerChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        for (id, change) in pending.cards.entries.sorted(by: { $0.key < $1.key }) {
            try replace(change.old, by: change.card, id, in: &transaction)
        }
    }

    private func replace(
        _ old: CustomerCard?, by card: CustomerCard?, _ id: UInt128, in transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        if old == card { return }
        if let card {
            try store.put(cards, RowKey(id), card, in: &transaction)
        } else {
            try store.delete(cards, RowKey(id), in: &transaction)
        }
        let isSame = old?.place == card?.place && old?.holder == card?.holder
        if let old {
            let left = isSame ? card?.shops ?? [] : []
            for shop in old.shops where !left.contains(shop) {
                try store.delete(held, RowKey(shop, and: old.holder, position: old.place), in: &transaction)
            }
        }
        guard let card, !isSame || old?.guests != card.guests else { return }
        for shop in card.shops {
            try store.put(held, RowKey(shop, and: card.holder, position: card.place), RowKey(id).bytes, in: &transaction)
        }
    }

    private func flushVisits(_ pending: borrowing CustomerChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        let changed = pending.visits.sorted { ($0.key.shop, $0.key.account, $0.key.day) < ($1.key.shop, $1.key.account, $1.key.day) }
        var rows = try store.writer(visits, in: &transaction)
        var row: [UInt8] = []
        for (day, acts) in changed {
            acts.encode(into: &row)
            try rows.put(day.key, row.span)
        }
    }

    /// A row of ``Customers/orderTable``; nil for one to remove.
    private struct Order {
        let shop: UInt128
        let place: UInt64
        let account: UInt128
        let row: CustomerRow?
    }

    private func flushCustomers(_ pending: borrowing CustomerChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        var orders: [Order] = []
        var counts: [UInt128: [UInt64: Int]] = [:]
        for (key, change) in pending.customers.entries.sorted(by: { $0.key < $1.key }) {
            let row = change.row.visits == 0 && change.row.cards == 0 ? nil : change.row
            guard row != change.old else { continue }
            try put(row, instead: change.old, key, in: &transaction)
            let (before, now) = (change.old.map(CustomerKey.places) ?? [], row.map(CustomerKey.places) ?? [])
            for place in before where !now.contains(place) {
                orders.append(Order(shop: key.first, place: place, account: key.second, row: nil))
            }
            for place in now { orders.append(Order(shop: key.first, place: place, account: key.second, row: row)) }
            for (row, sign) in [(change.old, -1), (row, 1)] {
                for count in row.map(CustomerKey.counts) ?? [] { counts[key.first, default: [:]][count, default: 0] += sign }
            }
        }
        try flush(orders, in: &transaction)
        for (shop, changes) in counts {
            for (count, change) in changes where change != 0 { try add(change, to: RowKey(shop, position: count), in: &transaction) }
        }
    }

    private func put(
        _ row: CustomerRow?, instead old: CustomerRow?, _ key: PairKey, in transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        let (own, reverse) = (RowKey(key.first, and: key.second), RowKey(key.second, and: key.first))
        guard let row else {
            try store.delete(customers, own, in: &transaction)
            return try store.delete(shops, reverse, in: &transaction)
        }
        try store.put(customers, own, row, in: &transaction)
        if old == nil { try store.put(shops, reverse, Span(), in: &transaction) }
    }

    private func flush(_ orders: [Order], in transaction: inout WriteTransaction) throws(ReadModelError) {
        var rows = try store.writer(order, in: &transaction)
        var bytes: [UInt8] = []
        for order in orders.sorted(by: { ($0.shop, $0.place, $0.account) < ($1.shop, $1.place, $1.account) }) {
            let key = RowKey(order.shop, position: order.place, and: order.account)
            guard let row = order.row else {
                try rows.delete(key)
                continue
            }
            row.encode(into: &bytes)
            try rows.put(key, bytes.span)
        }
    }

    private func add(_ change: Int, to key: RowKey, in transaction: inout WriteTransaction) throws(ReadModelError) {
        let known = try store.value(counts, key, in: transaction) { (row) throws(ReadModelError) in try store.shortNumber(row) } ?? 0
        guard known + change > 0 else { return try store.delete(counts, key, in: &transaction) }
        try store.put(counts, key, number: UInt32(clamping: known + change), in: &transaction)
    }
}
