internal import LMDB
internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

extension ReplayedNotices {
    func tables(_ cards: CardOrders) -> [CanonicalTable] {
        [
            noticeTable, audienceTable, memberTable, holderTable(cards), readTable, muteTable, heldTable(cards), spentTable(cards),
            postedTable,
        ]
    }

    private var noticeTable: CanonicalTable {
        let notices = notices.sorted { $0.id < $1.id }
        return CanonicalTable("notices", count: notices.count) { (index, row) in
            row.key = RowKey(notices[index].id.value)
            NoticeRow.encode(notices[index], into: &row.value)
        }
    }

    private var audienceTable: CanonicalTable {
        var entries: [(audience: UInt128, notice: PostedNotice, number: UInt64)] = []
        for (audience, notices) in Dictionary(grouping: notices, by: \.key) {
            for (index, notice) in notices.enumerated() { entries.append((audience, notice, UInt64(index) + 1)) }
        }
        entries.sort { ($0.audience, $0.notice.position) < ($1.audience, $1.notice.position) }
        return CanonicalTable("audiences", count: entries.count) { (index, row) in
            let entry = entries[index]
            row.set(RowKey(entry.audience, position: entry.notice.position), id: entry.notice.id.value)
            row.value.append(littleEndian: entry.number)
        }
    }

    private var memberTable: CanonicalTable {
        let counts = Dictionary(grouping: reads.entries, by: \.key.first).mapValues(\.count)
        // An account's id begins with the time of registration, so the list is nearly sorted.
        var members = members.sorted { ($0.account, $0.position) < ($1.account, $1.position) }
        // Like the model, this uses the last registration, although the rules allow only one.
        members.merge(where: { $0.account == $1.account }, by: { $0 = $1 })
        return CanonicalTable("members", count: members.count) { [members] (index, row) in
            let (account, since) = members[index]
            row.key = RowKey(account)
            NoticeMember(since: since, reads: UInt64(counts[account] ?? 0)).encode(into: &row.value)
        }
    }

    private func holderTable(_ cards: CardOrders) -> CanonicalTable {
        let (customers, shops) = (cards.customers, cards.numbers.shops.ids)
        let order = customers.places(byAccount: cards.byHolder)
        return CanonicalTable("holders", count: order.count) { (index, row) in
            let customer = customers.customers[Int(order[index])]
            row.set(RowKey(customer.account, and: shops[Int(customer.shop)]), number: customer.position)
        }
    }

    /// An ended mute is in the table only if the shop posted a notice during it; reminders do not count.
    private var muteTable: CanonicalTable {
        let posted = Dictionary(grouping: notices.filter { $0.reminder == nil }, by: \.audience.tagValue).mapValues { $0.map(\.position) }
        var entries: [(pair: PairKey, turns: [UInt64])] = []
        for (pair, turns) in mutings.entries {
            var kept: [UInt64] = []
            for start in stride(from: 0, to: turns.count, by: 2) {
                let (from, to) = (turns[start], start + 1 < turns.count ? turns[start + 1] : UInt64.max)
                let isKept = to == .max || posted[pair.second, default: []].contains { from < $0 && $0 < to }
                if isKept { kept += [from, to] }
            }
            if !kept.isEmpty { entries.append((pair, kept)) }
        }
        entries.sort { $0.pair < $1.pair }
        return CanonicalTable("mutes", count: entries.count) { [entries] (index, row) in
            row.key = RowKey(entries[index].pair.first, and: entries[index].pair.second)
            row.value.removeAll(keepingCapacity: true)
            for turn in entries[index].turns { row.value.append(littleEndian: turn) }
        }
    }

    /// An ended range is in the table only if a notice to holders of the campaign's cards was posted during it.
    private func heldTable(_ cards: CardOrders) -> CanonicalTable {
        let numbers = cards.numbers
        let posted = Dictionary(grouping: notices, by: \.key).mapValues { $0.map(\.position) }
        var holders = KeyMap<PairKey, (shop: UInt128, count: Int, turns: [UInt64])>()
        for holding in holdings {
            let card = numbers.cards[Int(holding.card)]
            let holder = holding.isTaken ? numbers.holder(of: Int(holding.card)) : card.holder
            let pair = PairKey(holder, numbers.campaigns.ids[Int(card.campaign)])
            holders.update(pair, default: (numbers.shops.ids[Int(card.shop)], 0, [])) { held in
                held.count += holding.isHeld ? 1 : -1
                // An even number of turns means that the account held no card before.
                if (held.turns.count % 2 == 0) == (held.count > 0) { held.turns.append(holding.position) }
            }
        }
        var rows: [(pair: PairKey, held: HeldCards)] = []
        for (pair, held) in holders.entries {
            var kept: [LogStretch] = []
            for start in stride(from: 0, to: held.turns.count, by: 2) {
                let (from, to) = (held.turns[start], start + 1 < held.turns.count ? held.turns[start + 1] : UInt64.max)
                let isKept = to == .max || posted[pair.second, default: []].contains { from < $0 && $0 < to }
                if isKept { kept.append(LogStretch(after: from, before: to)) }
            }
            if !kept.isEmpty { rows.append((pair, HeldCards(shop: held.shop, live: held.count, stretches: kept))) }
        }
        rows.sort { $0.pair < $1.pair }
        return CanonicalTable("held", count: rows.count) { [rows] (index, row) in
            row.key = RowKey(rows[index].pair.first, and: rows[index].pair.second)
            rows[index].held.encode(into: &row.value)
        }
    }

    private func spentTable(_ cards: CardOrders) -> CanonicalTable {
        let ids = spent.map { cards.numbers.cards[Int($0)].id }.sorted()
        return CanonicalTable("spent", count: ids.count) { (index, row) in
            row.key = RowKey(ids[index])
            row.value = [1]
        }
    }

    private var postedTable: CanonicalTable {
        var newest: [UInt128: UInt64] = [:]
        for notice in notices where notice.reminder == nil {
            if let shop = notice.audience.shop { newest[shop.value] = notice.position }
        }
        let rows = newest.sorted { $0.key < $1.key }
        return CanonicalTable("posted", count: rows.count) { (index, row) in
            row.set(RowKey(rows[index].key), number: rows[index].value)
        }
    }

    private var readTable: CanonicalTable {
        let entries = reads.entries.sorted { $0.key < $1.key }
        return CanonicalTable("reads", count: entries.count) { (index, row) in
            let (pair, position) = entries[index]
            row.set(RowKey(pair.first, and: pair.second), number: position)
        }
    }
}
