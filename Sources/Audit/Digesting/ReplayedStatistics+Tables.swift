internal import LMDB
internal import Loyalty
internal import ReadModels

extension ReplayedStatistics {
    /// What `Statistics` must hold: its tables in their order.
    var tables: [CanonicalTable] { [cardTable, staffTable, firstTable, codeTable, roomTable] }

    private var cardTable: CanonicalTable {
        let cards = cards.sorted { $0.key < $1.key }
        return CanonicalTable("cards", count: cards.count) { (index, row) in
            let (place, activity) = cards[index]
            row.key = RowKey(place.shop, position: place.quarter, and: place.thing)
            activity.encode(into: &row.value)
        }
    }

    private var staffTable: CanonicalTable {
        let staff = staff.sorted { $0.key < $1.key }
        return CanonicalTable("staff", count: staff.count) { (index, row) in
            let (place, activity) = staff[index]
            row.key = RowKey(place.shop, position: place.quarter, and: place.thing)
            activity.encode(into: &row.value)
        }
    }

    /// The earliest of what each customer did, found at the end.
    private var firstTable: CanonicalTable {
        var firsts: [ReplayedNotices.Pair: UInt64] = [:]
        for (place, activity) in cards {
            let pair = ReplayedNotices.Pair(first: place.shop, second: activity.holder.value)
            firsts[pair] = min(firsts[pair] ?? .max, place.quarter)
        }
        let entries = firsts.sorted { $0.key < $1.key }
        return CanonicalTable("firsts", count: entries.count) { (index, row) in
            let (pair, quarter) = entries[index]
            row.set(RowKey(pair.first, and: pair.second), number: quarter)
        }
    }

    private var codeTable: CanonicalTable {
        let codes = codes.sorted { $0.key < $1.key }
        return CanonicalTable("codes", count: codes.count) { (index, row) in
            row.key = RowKey(codes[index].key)
            codes[index].value.encode(into: &row.value)
        }
    }

    private var roomTable: CanonicalTable {
        let room = room.sorted { $0.key < $1.key }
        return CanonicalTable("room", count: room.count) { (index, row) in
            row.key = RowKey(room[index].key)
            row.value.removeAll(keepingCapacity: true)
            row.value.append(littleEndian: UInt32(clamping: room[index].value))
        }
    }
}
