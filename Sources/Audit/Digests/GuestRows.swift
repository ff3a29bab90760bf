internal import LMDB
internal import Loyalty
internal import Projections
internal import ReadModels

/// Keys for counts at another shop than the card's own. They are rare, so they are kept apart and their rows are inserted at the end.
enum GuestCount {
    struct Key: Hashable, Sendable {
        let shop: UInt32
        let card: UInt32
        let quarter: UInt64
        /// Whether an account had taken the card over before.
        var isTaken = false
    }

    struct Visitor: Hashable {
        let shop, holder: UInt128

        init(_ key: Key, _ numbers: ReplayedNumbers) {
            shop = numbers.shops.ids[Int(key.shop)]
            holder = key.isTaken ? numbers.holder(of: Int(key.card)) : numbers.cards[Int(key.card)].holder
        }
    }
}

extension CanonicalTable {
    /// Inserts further rows in key order; `join` merges rows with the same key.
    ///
    /// - Parameter rows: the further rows, in any order, each key once.
    func joined(
        with rows: [CanonicalRow], _ join: @escaping (_ own: [UInt8], _ guest: [UInt8]) -> [UInt8]
    ) -> CanonicalTable {
        guard !rows.isEmpty else { return self }
        let guests = rows.map { (Self.bytes($0.key), $0) }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
        var (order, next, row) = ([(own: Int, guest: Int)](), 0, CanonicalRow())
        for own in 0..<count {
            self.row(own, into: &row)
            let key = Self.bytes(row.key)
            while next < guests.count, guests[next].0.lexicographicallyPrecedes(key) {
                order.append((-1, next))
                next += 1
            }
            let isShared = next < guests.count && guests[next].0 == key
            order.append((own, isShared ? next : -1))
            if isShared { next += 1 }
        }
        order += (next..<guests.count).map { (-1, $0) }
        return CanonicalTable(name, count: order.count) { [order] (index, row) in
            let (own, guest) = order[index]
            guard own >= 0 else { return row = guests[guest].1 }
            self.row(own, into: &row)
            if guest >= 0 { row.value = join(row.value, guests[guest].1.value) }
        }
    }

    private static func bytes(_ key: RowKey) -> [UInt8] { key.bytes.indices.map { key.bytes[$0] } }

    func without(_ isLeftOut: (CanonicalRow) -> Bool) -> CanonicalTable {
        var (kept, row) = ([Int](), CanonicalRow())
        for index in 0..<count {
            self.row(index, into: &row)
            if !isLeftOut(row) { kept.append(index) }
        }
        return CanonicalTable(name, count: kept.count) { [kept] (index, row) in self.row(kept[index], into: &row) }
    }
}

extension ReplayedStatistics {
    func guestCards(_ numbers: ReplayedNumbers) -> [CanonicalRow] {
        var rows: [GuestCount.Key: CardCount] = [:]
        for (guest, count) in guests {
            // One row has the counts of the waiting person and of the account that took the card over in that quarter of an hour.
            var key = guest
            if guest.isTaken, guests[GuestCount.Key(shop: guest.shop, card: guest.card, quarter: guest.quarter)] != nil {
                key.isTaken = false
            }
            rows[key, default: CardCount(quarter: count.quarter, card: count.card)].add(count)
        }
        return rows.map { (guest, count) in
            let card = numbers.cards[Int(guest.card)]
            var row = CanonicalRow()
            row.key = RowKey(numbers.shops.ids[Int(guest.shop)], position: guest.quarter, and: card.id)
            let activity = CardActivity(
                of: AccountID(GuestCount.Visitor(guest, numbers).holder), stamps: Int(count.stamps), opened: Int(count.opened),
                filled: Int(count.filled),
                redeemed: Int(count.redeemed), reversed: Int(count.reversed),
                milestones: MilestoneActivity(redeemed: Int(count.milestones), reversed: Int(count.milestonesReversed)))
            activity.encode(into: &row.value)
            return row
        }
    }

    func guestFirsts(_ numbers: ReplayedNumbers) -> [CanonicalRow] {
        var firsts: [GuestCount.Visitor: UInt64] = [:]
        for (guest, count) in guests where count.isVisit {
            let key = GuestCount.Visitor(guest, numbers)
            firsts[key] = min(firsts[key] ?? .max, guest.quarter)
        }
        return firsts.map { (key, quarter) in
            var row = CanonicalRow()
            row.set(RowKey(key.shop, and: key.holder), number: quarter)
            return row
        }
    }
}

extension ReplayedJourneys {
    func guestVisits(_ numbers: ReplayedNumbers) -> [CanonicalRow] {
        struct Visit: Hashable {
            let visitor: GuestCount.Visitor
            let quarter: UInt64
        }
        var stamps: [Visit: UInt32] = [:]
        for (guest, count) in guests {
            stamps[Visit(visitor: GuestCount.Visitor(guest, numbers), quarter: guest.quarter), default: 0] += count
        }
        return stamps.map { (visit, stamps) in
            var row = CanonicalRow()
            row.set(RowKey(visit.visitor.shop, and: visit.visitor.holder, position: visit.quarter), number: stamps)
            return row
        }
    }
}
