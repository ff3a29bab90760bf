internal import LMDB
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

extension ReplayedNotices {
    /// What `Notices` must hold: its tables in their order.
    var tables: [CanonicalTable] {
        [noticeTable, audienceTable, memberTable, pairTable("holders", holders), pairTable("reads", reads)]
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
        let members = members.entries.sorted { $0.key < $1.key }
        return CanonicalTable("members", count: members.count) { (index, row) in
            let (account, since) = members[index]
            row.key = RowKey(account)
            NoticeMember(since: since, reads: UInt64(counts[account] ?? 0)).encode(into: &row.value)
        }
    }

    private func pairTable(_ name: String, _ positions: KeyMap<PairKey, UInt64>) -> CanonicalTable {
        let entries = positions.entries.sorted { $0.key < $1.key }
        return CanonicalTable(name, count: entries.count) { (index, row) in
            let (pair, position) = entries[index]
            row.set(RowKey(pair.first, and: pair.second), number: position)
        }
    }
}
