public import LMDB
internal import Loyalty
public import Projections

/// The changes of a batch. Events append entries, and each card and member has the index of its newest. Entries of one row are added up
/// when it is written (``RowOrder``).
public struct StatisticsChanges {
    struct Card {
        let id: UInt128
        /// Into ``StatisticsChanges/activities``; -1 for none.
        var newest: Int32 = -1
        /// Stamps until the card is full, 0 if it no longer collects; -1 until looked up.
        var room: Int32 = -1
        var isRoomChanged = false
    }

    struct Activity {
        let card: UInt128
        let quarter: UInt64
        let shop: UInt32
        var sum: CardActivity
    }

    struct Member {
        let account: UInt128
        let shop: UInt32
        /// Into ``StatisticsChanges/work``; -1 for none.
        var newest: Int32 = -1
    }

    struct Work {
        let member: UInt32
        let quarter: UInt64
        var sum: StaffActivity
    }

    struct Code {
        var open: OpenCode?
        /// Whether the code may have a row. One that is issued and used up between two flushes needs none.
        let isStored: Bool
    }

    private(set) var shops = NumberedIDs(capacity: 16)
    private(set) var cards: [Card] = []
    private var cardIndex = RowIndex(capacity: 16)
    private(set) var members: [Member] = []
    private var memberNumbers = KeyMap<PairKey, UInt32>()
    /// The last member by shop, because mostly one member issues all codes of a day.
    private var newestMembers: [UInt32] = []
    private(set) var activities: [Activity] = []
    private(set) var work: [Work] = []
    private(set) var codes = KeyMap<UInt128, Code>()

    var count: Int { cards.count + activities.count + work.count + codes.count }

    @inline(__always)
    mutating func place(of card: UInt128) -> Int {
        if let place = cardIndex.place(of: card) { return place }
        cards.append(Card(id: card))
        return cardIndex.insert(card)
    }

    func room(at place: Int) -> Int? { cards[place].room < 0 ? nil : Int(cards[place].room) }

    mutating func setKnown(room: Int, at place: Int) { cards[place].room = Int32(clamping: room) }

    mutating func change(room: Int, at place: Int) {
        cards[place].room = Int32(clamping: max(0, room))
        cards[place].isRoomChanged = true
    }

    mutating func add(_ activity: CardActivity, to place: Int, at shop: UInt128, in quarter: UInt64) {
        let newest = Int(cards[place].newest)
        if newest >= 0, activities[newest].quarter == quarter, shops.ids[Int(activities[newest].shop)] == shop,
            activities[newest].sum.holder == activity.holder
        {
            return activities[newest].sum.add(activity)
        }
        cards[place].newest = Int32(activities.count)
        let number = UInt32(self.number(of: shop))
        activities.append(Activity(card: cards[place].id, quarter: quarter, shop: number, sum: activity))
    }

    mutating func add(_ activity: StaffActivity, by account: UInt128, at shop: UInt128, in quarter: UInt64) {
        let member = member(account, at: number(of: shop))
        let newest = Int(members[member].newest)
        if newest >= 0, work[newest].quarter == quarter { return work[newest].sum.add(activity) }
        members[member].newest = Int32(work.count)
        work.append(Work(member: UInt32(member), quarter: quarter, sum: activity))
    }

    private mutating func number(of shop: UInt128) -> Int {
        let number = shops.number(shop)
        if number == newestMembers.count { newestMembers.append(.max) }
        return number
    }

    private mutating func member(_ account: UInt128, at shop: Int) -> Int {
        let newest = newestMembers[shop]
        if newest != .max, members[Int(newest)].account == account { return Int(newest) }
        let key = PairKey(UInt128(shop), account)
        let known = memberNumbers[key]
        let number = known ?? UInt32(members.count)
        if known == nil {
            memberNumbers[key] = number
            members.append(Member(account: account, shop: UInt32(shop)))
        }
        newestMembers[shop] = number
        return Int(number)
    }

    mutating func issue(_ id: UInt128, _ code: OpenCode) { codes[id] = Code(open: code, isStored: false) }

    mutating func leave(_ left: OpenCode?, of id: UInt128) {
        let isStored = codes[id]?.isStored ?? true
        codes[id] = left == nil && !isStored ? nil : Code(open: left, isStored: isStored)
    }
}

@available(*, noasync)
extension Statistics {
    /// Writes in key order, so that rows on the same page are written together.
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

    private func flushCards(_ pending: borrowing StatisticsChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        let activities = pending.activities
        let order = RowOrder.places(activities.count, by: pending.shops, shop: { activities[$0].shop }) {
            let (left, right) = (activities[$0], activities[$1])
            // The first entry decides the holder, even if an account took the card over meanwhile.
            return (left.quarter, left.card, $0) < (right.quarter, right.card, $1)
        }
        var rows = try store.writer(cards, in: &transaction)
        var row: [UInt8] = []
        var next = 0
        while next < order.count {
            let first = activities[Int(order[next])]
            let key = RowKey(pending.shops.ids[Int(first.shop)], position: first.quarter, and: first.card)
            let known: CardActivity? = try rows.value(key) { (row) throws(ReadModelError) in try store.decoded(row) }
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

    private func flushStaff(_ pending: borrowing StatisticsChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
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
            var sum: StaffActivity = try rows.value(key) { (row) throws(ReadModelError) in try store.decoded(row) } ?? StaffActivity()
            while next < order.count, work[Int(order[next])].member == first.member, work[Int(order[next])].quarter == first.quarter {
                sum.add(work[Int(order[next])].sum)
                next += 1
            }
            sum.encode(into: &row)
            try rows.put(key, row.span)
        }
    }

    private func flushFirsts(_ pending: borrowing StatisticsChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
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
            // Sorted by time; only the first entry of a holder at a shop is used.
            if let last, last == (entry.shop, holder) { continue }
            last = (entry.shop, holder)
            let key = RowKey(pending.shops.ids[Int(entry.shop)], and: holder)
            let known = try rows.value(key) { (row) throws(ReadModelError) in try store.number(row) }
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
}
