internal import LMDB
internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// Everything that will happen by itself in memory, folded from the log: what `Deadlines` must hold.
///
/// Only what is still to come is kept, and rows are made and sorted at the end.
struct ReplayedDeadlines: ReplayedModel {
    static var model: any Projection.Type { Deadlines.self }

    private var notices: [UInt128: NoticeDeadline] = [:]

    mutating func apply(_ batch: borrowing ReplayBatch) throws(AuditError) {
        for event in batch.events where event.kind == .decoded { try apply(batch.facts[event.place]) }
    }

    private mutating func apply(_ fact: Fact) throws(AuditError) {
        switch fact.event {
        case .noticeScheduled(let event):
            notices[event.notice.value] = NoticeDeadline(
                dueAt: event.publishAt, author: event.author.value, position: fact.position)
        case .noticePosted(let event) where event.dueAt != nil: try end(event.notice, at: fact.position)
        case .noticeWithdrawn(let event): try end(event.notice, at: fact.position)
        case .noticeLapsed(let event): try end(event.notice, at: fact.position)
        default: break
        }
    }

    private mutating func end(_ notice: NoticeID, at position: UInt64) throws(AuditError) {
        guard notices.removeValue(forKey: notice.value) != nil else {
            throw .refused("notice \(notice.text) was not scheduled, or has ended before.", at: position)
        }
    }
}

extension ReplayedDeadlines {
    func tables(_ cards: CardOrders) -> [CanonicalTable] { [dueTable, noticeTable, scheduledTable] }

    /// Sorted by the numbers of the keys, which is the order of their bytes.
    private var dueTable: CanonicalTable {
        let entries = notices.map { (entry: DueEntry(dueAt: $1.dueAt, .notice(NoticeID($0))), id: $0, position: $1.position) }
            .sorted { ($0.entry.dueAt, $0.id) < ($1.entry.dueAt, $1.id) }
        return CanonicalTable("due", count: entries.count) { (index, row) in
            row.set(entries[index].entry.key, number: entries[index].position)
        }
    }

    private var noticeTable: CanonicalTable {
        let entries = notices.sorted { $0.key < $1.key }
        return CanonicalTable("notices", count: entries.count) { (index, row) in
            row.key = RowKey(entries[index].key)
            entries[index].value.encode(into: &row.value)
        }
    }

    private var scheduledTable: CanonicalTable {
        let entries = notices.sorted { ($0.value.author, $0.value.position) < ($1.value.author, $1.value.position) }
        return CanonicalTable("scheduled", count: entries.count) { (index, row) in
            row.set(RowKey(entries[index].value.author, position: entries[index].value.position), id: entries[index].key)
        }
    }
}
