public import LMDB
internal import Loyalty

@available(*, noasync)
extension Statistics {
    /// Adds what has changed to the rows, in the order of the keys, so that neighbours are written while their page is at hand.
    public func flush(_ pending: inout StatisticsChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        try flushCards(pending.cards, in: &transaction)
        try flushStaff(pending.staff, in: &transaction)
        try flushFirsts(pending.firsts, in: &transaction)
        try flushRest(pending, in: &transaction)
        pending.removeAll()
    }

    private func flushCards(
        _ changes: borrowing KeyMap<StatisticsChanges.Place, CardActivity>, in transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        var row: [UInt8] = []
        for (place, change) in changes.entries.sorted(by: { $0.key < $1.key }) {
            let key = RowKey(place.shop, position: place.quarter, and: place.thing)
            let known = try store.value(cards, key, in: transaction) { (row) throws(ReadModelError) in try card(row) }
            var sum = known ?? CardActivity(of: change.holder)
            sum.add(change)
            sum.encode(into: &row)
            try store.put(cards, key, row.span, in: &transaction)
        }
    }

    private func flushStaff(
        _ changes: borrowing KeyMap<StatisticsChanges.Place, StaffActivity>, in transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        var row: [UInt8] = []
        for (place, change) in changes.entries.sorted(by: { $0.key < $1.key }) {
            let key = RowKey(place.shop, position: place.quarter, and: place.thing)
            let known = try store.value(staff, key, in: transaction) { (row) throws(ReadModelError) in try member(row) }
            var sum = known ?? StaffActivity()
            sum.add(change)
            sum.encode(into: &row)
            try store.put(staff, key, row.span, in: &transaction)
        }
    }

    private func flushFirsts(
        _ changes: borrowing KeyMap<PairKey, UInt64>, in transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        for (pair, quarter) in changes.entries.sorted(by: { $0.key < $1.key }) {
            let key = RowKey(pair.first, and: pair.second)
            let known = try store.value(firsts, key, in: transaction) { $0.littleEndian64(at: 0) }
            if let known, known <= quarter { continue }
            var row: [UInt8] = []
            row.append(littleEndian: quarter)
            try store.put(firsts, key, row.span, in: &transaction)
        }
    }

    private func flushRest(_ pending: borrowing StatisticsChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        var row: [UInt8] = []
        for (id, code) in pending.codes.entries.sorted(by: { $0.key < $1.key }) {
            guard let code = code.open else {
                try store.delete(codes, RowKey(id), in: &transaction)
                continue
            }
            code.encode(into: &row)
            try store.put(codes, RowKey(id), row.span, in: &transaction)
        }
        for (id, left) in pending.room.entries.sorted(by: { $0.key < $1.key }) {
            guard let left else {
                try store.delete(room, RowKey(id), in: &transaction)
                continue
            }
            row.removeAll(keepingCapacity: true)
            row.append(littleEndian: UInt32(clamping: left))
            try store.put(room, RowKey(id), row.span, in: &transaction)
        }
    }

    func card(_ row: Span<UInt8>) throws(ReadModelError) -> CardActivity {
        guard let activity = CardActivity(row) else { throw store.damaged("a card's row does not decode") }
        return activity
    }

    func member(_ row: Span<UInt8>) throws(ReadModelError) -> StaffActivity {
        guard let activity = StaffActivity(row) else { throw store.damaged("a member's row does not decode") }
        return activity
    }
}
