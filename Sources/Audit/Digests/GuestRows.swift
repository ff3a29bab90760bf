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
    func joined(with rows: [CanonicalRow], _ join: @escaping (_ own: [UInt8], _ guest: [UInt8]) -> [UInt8]) -> CanonicalTable {
        guard !rows.isEmpty else { return self }
        let guests = rows.map { ([UInt8](copying: $0.key.bytes), $0) }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
        var (order, next, row) = ([(own: Int, guest: Int)](), 0, CanonicalRow())
        for own in 0..<count {
            self.row(own, into: &row)
            let key = [UInt8](copying: row.key.bytes)
            while next < guests.count, guests[next].0.lexicographicallyPrecedes(key) {
                order.append((-1, next))
                next += 1
            }
            let isShared = next < guests.count && guests[next].0 == key
            order.append((own, isShared ? next : -1))
            if isShared { next += 1 }
        }
        order += (next..<guests.count).map { (-1, $0) }
        return CanonicalTable(name, order) { place, row in
            guard place.own >= 0 else { return row = guests[place.guest].1 }
            self.row(place.own, into: &row)
            if place.guest >= 0 { row.value = join(row.value, guests[place.guest].1.value) }
        }
    }

    func without(_ isLeftOut: (CanonicalRow) -> Bool) -> CanonicalTable {
        var (kept, row) = ([Int](), CanonicalRow())
        for index in 0..<count {
            self.row(index, into: &row)
            if !isLeftOut(row) { kept.append(index) }
        }
        return CanonicalTable(name, kept) { index, row in self.row(index, into: &row) }
    }
}

extension ReplayedStatistics {
    func guestCards(_ numbers: ReplayedNumbers) -> [CanonicalRow] {
        var rows: [GuestCount.Key: QuarterCount] = [:]
        for (guest, count) in guests {
            // One row has the counts of the waiting person and of the account that took the card over in that quarter of an hour.
            var key = guest
            if guest.isTaken, guests[GuestCount.Key(shop: guest.shop, card: guest.card, quarter: guest.quarter)] != nil {
                key.isTaken = false
            }
            rows[key, default: QuarterCount(quarter: count.quarter, number: count.number)].add(count)
        }
        return rows.map { (guest, count) in
            let card = numbers.cards[Int(guest.card)]
            var row = CanonicalRow()
            row.key = RowKey(numbers.shops.ids[Int(guest.shop)], position: guest.quarter, and: card.id)
            count.activity(of: GuestCount.Visitor(guest, numbers).holder).encode(into: &row.value)
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
