internal import LMDB
internal import Loyalty
internal import ReadModels

extension ReplayedStatistics {
    /// What `Statistics` must hold: its tables in their order.
    var tables: [CanonicalTable] { [cardTable, staffTable, firstTable, codeTable, roomTable] }

    /// Entries are taken shop by shop: within one they came nearly in the order of time, which makes sorting them cheap.
    private var cardTable: CanonicalTable {
        var rows: [CardEntry] = []
        rows.reserveCapacity(cardEntries.count)
        for var entries in byShop(cardEntries, { Int(cards[Int($0.card)].shop) }) {
            entries.sort { left, right in
                if left.quarter != right.quarter { return left.quarter < right.quarter }
                return cards[Int(left.card)].id < cards[Int(right.card)].id
            }
            for entry in entries {
                if let last = rows.last, last.card == entry.card, last.quarter == entry.quarter {
                    rows[rows.count - 1].add(entry)
                } else {
                    rows.append(entry)
                }
            }
        }
        return CanonicalTable("cards", count: rows.count) { [cards, shops] (index, row) in
            let entry = rows[index]
            let card = cards[Int(entry.card)]
            row.key = RowKey(shops.ids[Int(card.shop)], position: entry.quarter, and: card.id)
            let activity = CardActivity(
                of: AccountID(card.holder), stamps: Int(entry.stamps), opened: Int(entry.opened), filled: Int(entry.filled),
                redeemed: Int(entry.redeemed), reversed: Int(entry.reversed))
            activity.encode(into: &row.value)
        }
    }

    private var staffTable: CanonicalTable {
        var rows: [MemberEntry] = []
        for var entries in byShop(memberEntries, { Int(members[Int($0.member)].shop) }) {
            entries.sort { left, right in
                if left.quarter != right.quarter { return left.quarter < right.quarter }
                return members[Int(left.member)].account < members[Int(right.member)].account
            }
            for entry in entries {
                if let last = rows.last, last.member == entry.member, last.quarter == entry.quarter {
                    rows[rows.count - 1].add(entry)
                } else {
                    rows.append(entry)
                }
            }
        }
        return CanonicalTable("staff", count: rows.count) { [members, shops] (index, row) in
            let entry = rows[index]
            let member = members[Int(entry.member)]
            row.key = RowKey(shops.ids[Int(member.shop)], position: entry.quarter, and: member.account)
            let activity = StaffActivity(
                codes: Int(entry.codes), stamps: Int(entry.stamps), redeemed: Int(entry.redeemed), reversed: Int(entry.reversed))
            activity.encode(into: &row.value)
        }
    }

    /// The earliest of what each customer did, found at the end.
    private var firstTable: CanonicalTable {
        var rows: [(shop: UInt128, account: UInt128, quarter: UInt64)] = []
        for (shop, cards) in zip(shops.ids.sorted(), byShop(cards, { Int($0.shop) })) {
            for card in cards.sorted(by: { ($0.holder, $0.first) < ($1.holder, $1.first) }) {
                if let last = rows.last, last.shop == shop, last.account == card.holder { continue }
                rows.append((shop, card.holder, card.first))
            }
        }
        return CanonicalTable("firsts", count: rows.count) { (index, row) in
            row.set(RowKey(rows[index].shop, and: rows[index].account), number: rows[index].quarter)
        }
    }

    private var codeTable: CanonicalTable {
        let codes = codes.entries.sorted { $0.key < $1.key }
        return CanonicalTable("codes", count: codes.count) { [members] (index, row) in
            let (id, code) = codes[index]
            row.key = RowKey(id)
            let issuer = AccountID(members[Int(code.member)].account)
            OpenCode(issuer: issuer, stamps: Int(code.stamps)).encode(into: &row.value)
        }
    }

    private var roomTable: CanonicalTable {
        // Ids carry the time, so this is nearly sorted, and cheap.
        let open = cards.filter { $0.room > 0 }.sorted { $0.id < $1.id }
        return CanonicalTable("room", count: open.count) { (index, row) in
            row.key = RowKey(open[index].id)
            row.value.removeAll(keepingCapacity: true)
            row.value.append(littleEndian: UInt32(open[index].room))
        }
    }

    /// Things shop by shop, in the order of shops' ids, each shop's in the order in which they stand.
    private func byShop<Thing>(_ things: [Thing], _ shop: (Thing) -> Int) -> [[Thing]] {
        let ranks = shops.ranks
        var counts = [Int](repeating: 0, count: ranks.count)
        for thing in things { counts[ranks[shop(thing)]] += 1 }
        var parts = counts.map { count in
            var part: [Thing] = []
            part.reserveCapacity(count)
            return part
        }
        for thing in things { parts[ranks[shop(thing)]].append(thing) }
        return parts
    }
}
