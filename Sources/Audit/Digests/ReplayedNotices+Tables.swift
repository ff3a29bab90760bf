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
        CanonicalTable("notices", notices.sorted { $0.id < $1.id }) { notice, row in
            row.key = RowKey(notice.id.value)
            NoticeRow.encode(notice, into: &row.value)
        }
    }

    private var audienceTable: CanonicalTable {
        var entries: [(audience: UInt128, notice: PostedNotice, number: UInt64)] = []
        for (audience, notices) in Dictionary(grouping: notices, by: \.key) {
            for (index, notice) in notices.enumerated() { entries.append((audience, notice, UInt64(index) + 1)) }
        }
        entries.sort { ($0.audience, $0.notice.position) < ($1.audience, $1.notice.position) }
        return CanonicalTable("audiences", entries) { entry, row in
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
        return CanonicalTable("members", members) { member, row in
            row.key = RowKey(member.account)
            NoticeMember(since: member.position, reads: UInt64(counts[member.account] ?? 0)).encode(into: &row.value)
        }
    }

    private func holderTable(_ cards: CardOrders) -> CanonicalTable {
        let (customers, shops) = (cards.customers, cards.numbers.shops.ids)
        return CanonicalTable("holders", customers.places(byAccount: cards.byHolder)) { place, row in
            let customer = customers.customers[Int(place)]
            row.set(RowKey(customer.account, and: shops[Int(customer.shop)]), number: customer.position)
        }
    }

    /// The stretches of alternate begins and ends in `turns` that have not ended, or in which a notice was posted.
    private static func kept(_ turns: [UInt64], _ posted: [UInt64]) -> [LogStretch] {
        stride(from: 0, to: turns.count, by: 2).compactMap { start in
            let (from, to) = (turns[start], start + 1 < turns.count ? turns[start + 1] : UInt64.max)
            return to == .max || posted.contains { from < $0 && $0 < to } ? LogStretch(after: from, before: to) : nil
        }
    }

    /// An ended mute is in the table only if the shop posted a notice during it; reminders do not count.
    private var muteTable: CanonicalTable {
        let posted = Dictionary(grouping: notices.filter { !$0.isWordless }, by: \.audience.tagValue).mapValues { $0.map(\.position) }
        let entries = mutings.entries.map { (pair: $0, stretches: Self.kept($1, posted[$0.second] ?? [])) }
            .filter { !$0.stretches.isEmpty }.sorted { $0.pair < $1.pair }
        return CanonicalTable("mutes", entries) { mute, row in
            row.key = RowKey(mute.pair.first, and: mute.pair.second)
            row.value.removeAll(keepingCapacity: true)
            for stretch in mute.stretches {
                row.value.append(littleEndian: stretch.after)
                row.value.append(littleEndian: stretch.before)
            }
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
        let rows = holders.entries.map { pair, held in
            (pair: pair, held: HeldCards(shop: held.shop, live: held.count, stretches: Self.kept(held.turns, posted[pair.second] ?? [])))
        }
        return CanonicalTable("held", rows.filter { !$0.held.stretches.isEmpty }.sorted { $0.pair < $1.pair }) { entry, row in
            row.key = RowKey(entry.pair.first, and: entry.pair.second)
            entry.held.encode(into: &row.value)
        }
    }

    private func spentTable(_ cards: CardOrders) -> CanonicalTable {
        CanonicalTable("spent", spent.map { cards.numbers.cards[Int($0)].id }.sorted()) { card, row in
            (row.key, row.value) = (RowKey(card), [1])
        }
    }

    private var postedTable: CanonicalTable {
        var newest: [UInt128: UInt64] = [:]
        for notice in notices where !notice.isWordless {
            if let shop = notice.audience.shop { newest[shop.value] = notice.position }
        }
        return CanonicalTable("posted", newest.sorted { $0.key < $1.key }) { shop, row in row.set(RowKey(shop.key), number: shop.value) }
    }

    private var readTable: CanonicalTable {
        CanonicalTable("reads", reads.entries.sorted { $0.key < $1.key }) { read, row in
            row.set(RowKey(read.key.first, and: read.key.second), number: read.value)
        }
    }
}
