public import EventLog
internal import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Projections

/// The read model of everything that time alone will cause, ordered by due time. The writer decides by the log alone, so a stale entry only
/// leads to a decision without events.
public final class Deadlines: ReadModel {
    public static let name = "deadlines"
    public static let schemaVersion = 5
    public static let eventTypes: Set<EventType> = [
        .noticeScheduled, .noticePosted, .noticeWithdrawn, .noticeLapsed, .cardOpened, .cardReminded, .cardExpired, .cardDiscarded,
        .cardRedeemed, .redemptionReversed, .accountErased, .shopClosed, .transferOffered, .transferLapsed, .shopTransferred,
        .invitationEnded, .waitingCardTaken,
    ]
    public static let tables = [dueTable, noticeTable, scheduledTable, cardTable, holderTable, shopTable, closingTable, transferTable]
    public static let bytesPerChange = 128
    public static let restSeconds = 0.25

    /// Due time, kind and id → the position of the event that set the entry, u64.
    static let dueTable = ModelTable("due", key: [.due, .dueKind, .dueID], number: { "set at position \($0)" })
    /// Notices that have neither appeared nor lapsed nor been withdrawn: notice → ``NoticeDeadline``.
    static let noticeTable = ModelTable("notices", key: [.notice]) { row in
        NoticeDeadline(row).map { "due at \($0.dueAt.rfc3339), scheduled at position \($0.position)" }
    }
    /// Author and position of scheduling → notice, 16 bytes.
    static let scheduledTable = ModelTable("scheduled", key: [.account, .position], id: { NoticeID($0).text })

    /// Cards with an end: card → ``CardDeadline``.
    static let cardTable = ModelTable("cards", key: [.card]) { CardDeadline.text($0) }
    /// Account and position of opening → card, 16 bytes.
    static let holderTable = ModelTable("holders", key: [.account, .position], id: { CardID($0).text })

    /// Shop and position of opening → card, 16 bytes.
    static let shopTable = ModelTable("shops", key: [.shop, .position], id: { CardID($0).text })
    /// Closed shop → the moment from which it hands out no rewards, i64, µs.
    static let closingTable = ModelTable("closings", key: [.shop], number: { Instant(microseconds: Int64(bitPattern: $0)).rfc3339 })

    /// Shop → ``TransferDeadline``. An offer stays until an event ends it, also after its time.
    static let transferTable = ModelTable("transfers", key: [.shop]) { TransferDeadline.text($0) }

    public let store: ModelStore
    let due, notices, scheduled, cards, holders, shops, closings, transfers: Table

    public init(_ store: ModelStore) throws(ReadModelError) {
        self.store = store
        (due, notices, scheduled) = try (store.table(Self.dueTable), store.table(Self.noticeTable), store.table(Self.scheduledTable))
        (cards, holders, shops) = try (store.table(Self.cardTable), store.table(Self.holderTable), store.table(Self.shopTable))
        (closings, transfers) = try (store.table(Self.closingTable), store.table(Self.transferTable))
    }
}

extension Deadlines {
    /// The next due entries, ordered by due time, kind and id.
    public func due(through now: Instant, after: DueEntry? = nil, limit: Int) throws(ReadModelError) -> [DueEntry] {
        try store.reading { (snapshot) throws(ReadModelError) in
            var found: [DueEntry] = []
            do {
                var cursor = try snapshot.cursor(due)
                let start = after?.key ?? RowKey(0, and: 0)
                var goesOn = try cursor.seek(start.bytes)
                while goesOn, found.count < limit {
                    guard let entry = DueEntry(cursor.key) else { throw store.damaged("the key of something due does not decode") }
                    if entry.dueAt > now { break }
                    if entry != after { found.append(entry) }
                    goesOn = try cursor.next()
                }
            } catch {
                throw store.wrapped(error)
            }
            return found
        }
    }

    /// An author's notices that have neither appeared nor lapsed nor been withdrawn, the last scheduled first.
    public func scheduledNotices(of author: AccountID, before: Position? = nil, limit: Int = 20) throws(ReadModelError) -> ScheduledPage {
        let limit = min(max(limit, 1), ReadModelLimits.pageItems)
        return try store.reading { (snapshot) throws(ReadModelError) in
            var found: [(position: UInt64, notice: NoticeID)] = []
            try store.descend(scheduled, of: author.value, before: before?.rawValue, in: snapshot) {
                (position, row) throws(ReadModelError) in
                found.append((position, NoticeID(try store.id(row, "a scheduled notice"))))
                return found.count <= limit
            }
            let next = found.count > limit ? Position(found[limit - 1].position) : nil
            return ScheduledPage(notices: found.prefix(limit).map(\.notice), next: next)
        }
    }
}

/// A page of scheduled notices, the last scheduled first.
public struct ScheduledPage: Hashable, Sendable {
    public let notices: [NoticeID]
    /// Nil on the last page.
    public let next: Position?
}
