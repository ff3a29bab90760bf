public import EventLog
public import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Projections

/// The saved searches of each account, and those with alerts by the moment from which the next one is due. Terms stay sealed.
///
/// The log decides whether an alert is due. A stale entry only leads to a decision without events.
public final class Searches: ReadModel {
    public static let name = "searches"
    public static let schemaVersion = 1
    public static let eventTypes: Set<EventType> = [
        .searchSaved, .searchEdited, .searchRemoved, .searchSeen, .searchAlerted, .accountErased,
    ]
    public static let tables = [searchTable, accountTable, dueTable]
    public static let bytesPerChange = 256

    /// Search → ``SearchRow``.
    static let searchTable = ModelTable("searches", key: [.search]) { SearchRow.text($0) }
    /// Account and position of saving → search, 16 bytes.
    static let accountTable = ModelTable("accounts", key: [.account, .position], id: { SearchID($0).text })
    /// Due time and search → the search's account, 16 bytes.
    static let dueTable = ModelTable("due", key: [.alertDue, .search], id: { AccountID($0).text })

    public let store: ModelStore
    let searches, accounts, due: Table

    public init(_ store: ModelStore) throws(ReadModelError) {
        self.store = store
        (searches, accounts) = try (store.table(Self.searchTable), store.table(Self.accountTable))
        due = try store.table(Self.dueTable)
    }
}

/// Counts the changes of a batch, which are rare and made in the transaction at once.
public struct SearchChanges {
    var written = 0
}

@available(*, noasync)
extension Searches {
    /// Creates an empty set of changes.
    public func makePending(cachedMax: Int) -> SearchChanges { SearchChanges() }

    /// Their pages stay in memory until the commit.
    public func changes(in pending: borrowing SearchChanges) -> Int { pending.written }

    /// Applies what an account does with its searches, alerts and erasures.
    public func apply(_ fact: Fact, to pending: inout SearchChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        switch fact.event {
        case .searchSaved(let event): try save(event, fact, in: &transaction)
        case .searchEdited(let event):
            try change(event.search, in: &transaction) { $0.edit(event, position: fact.position, at: fact.time) }
        case .searchSeen(let event): try change(event.search, in: &transaction) { ($0.seen, $0.seenAt) = (fact.position, fact.time) }
        case .searchAlerted(let event):
            try change(event.search, in: &transaction) { ($0.through, $0.alertedAt) = (event.through.position, fact.time) }
        case .searchRemoved(let event): try remove(event.search, in: &transaction)
        case .accountErased(let event): try forget(event.account, in: &transaction)
        default: return
        }
        pending.written += 3
    }

    /// Only resets the count, because every change is in the transaction already.
    public func flush(_ pending: inout SearchChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        pending.written = 0
    }

    private func save(_ event: SearchSaved, _ fact: Fact, in transaction: inout WriteTransaction) throws(ReadModelError) {
        let key = RowKey(event.search.value)
        guard try !store.has(searches, key, in: transaction) else { throw refused("search \(event.search.text) is saved a second time") }
        let row = SearchRow(event, position: fact.position, at: fact.time)
        try store.put(searches, key, row, in: &transaction)
        try store.put(accounts, RowKey(row.account, position: row.position), key.bytes, in: &transaction)
        try enter(row, event.search, in: &transaction)
    }

    private func change(
        _ id: SearchID, in transaction: inout WriteTransaction, _ body: (inout SearchRow) -> Void
    ) throws(ReadModelError) {
        var row = try known(id, in: transaction)
        if let key = row.due(id.value) { try store.delete(due, key, in: &transaction) }
        body(&row)
        try store.put(searches, RowKey(id.value), row, in: &transaction)
        try enter(row, id, in: &transaction)
    }

    private func enter(_ row: SearchRow, _ id: SearchID, in transaction: inout WriteTransaction) throws(ReadModelError) {
        if let key = row.due(id.value) { try store.put(due, key, RowKey(row.account).bytes, in: &transaction) }
    }

    private func remove(_ id: SearchID, in transaction: inout WriteTransaction) throws(ReadModelError) {
        let row = try known(id, in: transaction)
        if let key = row.due(id.value) { try store.delete(due, key, in: &transaction) }
        try store.delete(accounts, RowKey(row.account, position: row.position), in: &transaction)
        try store.delete(searches, RowKey(id.value), in: &transaction)
    }

    private func forget(_ account: AccountID, in transaction: inout WriteTransaction) throws(ReadModelError) {
        let bound = RowKey(account.value, position: .max)
        while true {
            let found = try store.newest(accounts, before: bound, in: transaction) { (_, row) throws(ReadModelError) in
                SearchID(try store.id(row, "a saved search"))
            }
            guard let found else { return }
            try remove(found, in: &transaction)
        }
    }

    private func known(_ id: SearchID, in transaction: borrowing WriteTransaction) throws(ReadModelError) -> SearchRow {
        guard let row: SearchRow = try store.row(searches, RowKey(id.value), in: transaction) else {
            throw refused("search \(id.text) is not there")
        }
        return row
    }

    private func refused(_ detail: String) -> ReadModelError { ReadModelError(.eventRefused, model: Self.name, detail) }
}

extension Searches {
    /// An account's saved searches, the newest first. The rules limit their number.
    public func searches(of account: AccountID) throws(ReadModelError) -> [SavedSearch] {
        try store.reading { (snapshot) throws(ReadModelError) in
            var found: [SavedSearch] = []
            try store.descend(accounts, of: account.value, before: nil, in: snapshot) { (_, value) throws(ReadModelError) in
                let id = SearchID(try store.id(value, "a saved search"))
                guard let row: SearchRow = try store.row(searches, RowKey(id.value), in: snapshot) else {
                    throw store.damaged("the row of search \(id.text) is missing")
                }
                found.append(row.search(id))
                return found.count < Loyalty.Limits.savedSearches
            }
            return found
        }
    }

    /// Searches whose next alert is due, in the order of their due times.
    ///
    /// - Parameter after: the last of the previous page.
    public func due(through now: Instant, after: SavedSearch? = nil, limit: Int) throws(ReadModelError) -> [SavedSearch] {
        try store.reading { (snapshot) throws(ReadModelError) in
            var found: [SavedSearch] = []
            do {
                var cursor = try snapshot.cursor(due)
                let start = after.map { SearchRow.key($0.dueAt, $0.id.value) } ?? RowKey(0, and: 0)
                let end = UInt128(UInt64(max(0, now.microseconds)))
                var goesOn = try cursor.seek(start.bytes)
                while goesOn, found.count < limit, cursor.key.bigEndian128(at: 0) <= end {
                    let id = SearchID(cursor.key.bigEndian128(at: 16))
                    guard let row: SearchRow = try store.row(searches, RowKey(id.value), in: snapshot) else {
                        throw store.damaged("the row of search \(id.text) is missing")
                    }
                    if id != after?.id { found.append(row.search(id)) }
                    goesOn = try cursor.next()
                }
            } catch {
                throw store.wrapped(error)
            }
            return found
        }
    }
}
