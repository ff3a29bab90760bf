internal import LMDB
internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

extension ReplayedNotices {
    func tables(_ cards: CardOrders) -> [CanonicalTable] {
        [noticeTable, audienceTable, memberTable, holderTable(cards), readTable, muteTable]
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
        for (audience, notices) in Dictionary(grouping: notices, by: \.audience.tagValue) {
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
        // Ids carry the time, so this is nearly sorted, and cheap.
        var members = members.sorted { ($0.account, $0.position) < ($1.account, $1.position) }
        // The last registration counts, as in the model; the rules know one only.
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

    /// A stretch that has ended is kept where the shop posted something in it.
    private var muteTable: CanonicalTable {
        let posted = Dictionary(grouping: notices, by: \.audience.tagValue).mapValues { $0.map(\.position) }
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

    private var readTable: CanonicalTable {
        let entries = reads.entries.sorted { $0.key < $1.key }
        return CanonicalTable("reads", count: entries.count) { (index, row) in
            let (pair, position) = entries[index]
            row.set(RowKey(pair.first, and: pair.second), number: position)
        }
    }
}

extension ReplayedRatings {
    func tables(_ cards: CardOrders) -> [CanonicalTable] {
        [
            ratingTable, givenTable, reviewTable,
            entryTable("shops", reviews.filter { $0.parent == nil }.map { ($0.shop.value, $0.position, $0.id) }),
            entryTable("replies", reviews.filter { $0.parent != nil }.map { ($0.thread.value, $0.position, $0.id) }),
            holderTable(cards),
        ]
    }

    private var ratingTable: CanonicalTable {
        let ratings = ratings.sorted { $0.key < $1.key }
        return CanonicalTable("ratings", count: ratings.count) { (index, row) in
            row.key = RowKey(ratings[index].key)
            RatingRow.encode(ratings[index].value, into: &row.value)
        }
    }

    private var givenTable: CanonicalTable {
        let rated = reviews.filter { $0.rating != nil }
            .sorted { ($0.shop, $0.author, $0.position) < ($1.shop, $1.author, $1.position) }
        return CanonicalTable("given", count: rated.count) { (index, row) in
            let review = rated[index]
            row.key = RowKey(review.shop.value, and: review.author.value, position: review.position)
            row.value = [UInt8(review.rating ?? 0)]
        }
    }

    private var reviewTable: CanonicalTable {
        let reviews = reviews.sorted { $0.id < $1.id }
        return CanonicalTable("reviews", count: reviews.count) { (index, row) in
            row.key = RowKey(reviews[index].id.value)
            ReviewRow.encode(reviews[index], into: &row.value)
        }
    }

    private func holderTable(_ cards: CardOrders) -> CanonicalTable {
        let (customers, shops) = (cards.customers.customers, cards.numbers.shops.ids)
        return CanonicalTable("holders", count: customers.count) { (index, row) in
            let customer = customers[index]
            row.set(RowKey(shops[Int(customer.shop)], and: customer.account), number: customer.position)
        }
    }

    /// Something's reviews in the order of the log.
    private func entryTable(_ name: String, _ unsorted: [(of: UInt128, position: UInt64, review: ReviewID)]) -> CanonicalTable {
        let entries = unsorted.sorted { ($0.of, $0.position) < ($1.of, $1.position) }
        return CanonicalTable(name, count: entries.count) { (index, row) in
            let entry = entries[index]
            row.set(RowKey(entry.of, position: entry.position), id: entry.review.value)
        }
    }
}
