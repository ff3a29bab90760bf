public import LMDB
internal import Loyalty

@available(*, noasync)
extension Statistics {
    /// Adds what has changed to the rows, in the order of the keys, so that neighbours are written while their page is at hand.
    public func flush(_ pending: inout StatisticsChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        if !pending.activities.isEmpty {
            try flushCards(pending, in: &transaction)
            try flushFirsts(pending, in: &transaction)
        }
        if !pending.work.isEmpty { try flushStaff(pending, in: &transaction) }
        if !pending.codes.isEmpty { try flushCodes(pending, in: &transaction) }
        if pending.cards.contains(where: \.isRoomChanged) { try flushRoom(pending, in: &transaction) }
        pending = StatisticsChanges()
    }

    private func flushCards(
        _ pending: borrowing StatisticsChanges, in transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        let activities = pending.activities
        let order = RowOrder.places(activities.count, by: pending.shops, shop: { activities[$0].shop }) {
            let (left, right) = (activities[$0].quarter, activities[$1].quarter)
            return left == right ? activities[$0].card < activities[$1].card : left < right
        }
        var rows = try store.writer(cards, in: &transaction)
        var row: [UInt8] = []
        var next = 0
        while next < order.count {
            let first = activities[Int(order[next])]
            let key = RowKey(pending.shops.ids[Int(first.shop)], position: first.quarter, and: first.card)
            let known = try rows.value(key) { (row) throws(ReadModelError) in try card(row) }
            var sum = known ?? CardActivity(of: first.sum.holder)
            while next < order.count, Self.isSame(activities[Int(order[next])], first) {
                sum.add(activities[Int(order[next])].sum)
                next += 1
            }
            sum.encode(into: &row)
            try rows.put(key, row.span)
        }
    }

    private static func isSame(_ left: StatisticsChanges.Activity, _ right: StatisticsChanges.Activity) -> Bool {
        left.card == right.card && left.quarter == right.quarter && left.shop == right.shop
    }

    private func flushStaff(
        _ pending: borrowing StatisticsChanges, in transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        let (work, members) = (pending.work, pending.members)
        let order = RowOrder.places(work.count, by: pending.shops, shop: { members[Int(work[$0].member)].shop }) {
            let (left, right) = (work[$0], work[$1])
            if left.quarter != right.quarter { return left.quarter < right.quarter }
            return members[Int(left.member)].account < members[Int(right.member)].account
        }
        var rows = try store.writer(staff, in: &transaction)
        var row: [UInt8] = []
        var next = 0
        while next < order.count {
            let first = work[Int(order[next])]
            let member = members[Int(first.member)]
            let key = RowKey(pending.shops.ids[Int(member.shop)], position: first.quarter, and: member.account)
            var sum = try rows.value(key) { (row) throws(ReadModelError) in try self.member(row) } ?? StaffActivity()
            while next < order.count, work[Int(order[next])].member == first.member, work[Int(order[next])].quarter == first.quarter {
                sum.add(work[Int(order[next])].sum)
                next += 1
            }
            sum.encode(into: &row)
            try rows.put(key, row.span)
        }
    }

    private func flushFirsts(
        _ pending: borrowing StatisticsChanges, in transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        let activities = pending.activities
        let order = RowOrder.places(activities.count, by: pending.shops, shop: { activities[$0].shop }) {
            let (left, right) = (activities[$0].sum.holder.value, activities[$1].sum.holder.value)
            return left == right ? activities[$0].quarter < activities[$1].quarter : left < right
        }
        var rows = try store.writer(firsts, in: &transaction)
        var last: (shop: UInt32, holder: UInt128)?
        for place in order {
            let entry = activities[Int(place)]
            guard entry.sum.isVisit else { continue }
            let holder = entry.sum.holder.value
            // Of each holder at a shop the first one counts.
            if let last, last == (entry.shop, holder) { continue }
            last = (entry.shop, holder)
            let key = RowKey(pending.shops.ids[Int(entry.shop)], and: holder)
            let known = try rows.value(key) { $0.littleEndian64(at: 0) }
            if let known, known <= entry.quarter { continue }
            var row: [UInt8] = []
            row.append(littleEndian: entry.quarter)
            try rows.put(key, row.span)
        }
    }

    private func flushCodes(_ pending: borrowing StatisticsChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        var rows = try store.writer(codes, in: &transaction)
        var row: [UInt8] = []
        for (id, code) in pending.codes.entries.sorted(by: { $0.key < $1.key }) {
            guard let code = code.open else {
                try rows.delete(RowKey(id))
                continue
            }
            code.encode(into: &row)
            try rows.put(RowKey(id), row.span)
        }
    }

    private func flushRoom(_ pending: borrowing StatisticsChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        let cards = pending.cards
        let order = RowOrder.places(cards.indices.lazy.filter { cards[$0].isRoomChanged }) { cards[$0].id }
        var rows = try store.writer(room, in: &transaction)
        for place in order {
            let card = cards[Int(place)]
            guard card.room > 0 else {
                try rows.delete(RowKey(card.id))
                continue
            }
            var row: [UInt8] = []
            row.append(littleEndian: UInt32(card.room))
            try rows.put(RowKey(card.id), row.span)
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
