internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// The expected content of `Searches`, folded from the log in memory. It makes all entries only at the end.
struct ReplayedSearches: ReplayedModel {
    static var model: any Projection.Type { Searches.self }

    private var searches: [SearchID: SearchRow] = [:]

    mutating func apply(_ batch: borrowing ReplayBatch) throws(AuditError) {
        for event in batch.events where event.kind == .decoded { try apply(batch.facts[event.place]) }
    }

    private mutating func apply(_ fact: Fact) throws(AuditError) {
        switch fact.event {
        case .searchSaved(let event):
            guard searches.updateValue(SearchRow(event, position: fact.position, at: fact.time), forKey: event.search) == nil else {
                throw .refused("search \(event.search.text) is saved a second time.", at: fact.position)
            }
        case .searchEdited(let event): try change(event.search, fact) { $0.edit(event, position: fact.position, at: fact.time) }
        case .searchSeen(let event): try change(event.search, fact) { ($0.seen, $0.seenAt) = (fact.position, fact.time) }
        case .searchAlerted(let event):
            try change(event.search, fact) { ($0.through, $0.alertedAt) = (event.through.position, fact.time) }
        case .searchRemoved(let event):
            guard searches.removeValue(forKey: event.search) != nil else {
                throw .refused("search \(event.search.text) is not there to be removed.", at: fact.position)
            }
        case .accountErased(let event): searches = searches.filter { $0.value.account != event.account.value }
        default: break
        }
    }

    private mutating func change(_ id: SearchID, _ fact: Fact, _ body: (inout SearchRow) -> Void) throws(AuditError) {
        guard var row = searches[id] else { throw .refused("search \(id.text) is not there to be changed.", at: fact.position) }
        body(&row)
        searches[id] = row
    }

    func tables(_ cards: CardOrders) -> [CanonicalTable] {
        let own = searches.map { (account: $0.value.account, position: $0.value.position, id: $0.key) }
            .sorted { ($0.account, $0.position) < ($1.account, $1.position) }
        let waiting = searches.filter(\.value.alerts).map { (at: $0.value.alertedAt, row: $0.value, id: $0.key) }
            .sorted { ($0.at, $0.id) < ($1.at, $1.id) }
        return [
            CanonicalTable("searches", searches.sorted { $0.key < $1.key }) { search, row in
                row.key = RowKey(search.key.value)
                search.value.encode(into: &row.value)
            },
            CanonicalTable("accounts", own) { entry, row in row.set(RowKey(entry.account, position: entry.position), id: entry.id.value) },
            CanonicalTable("due", waiting) { entry, row in
                let day: Int64 = 86_400_000_000
                let due = UInt128(UInt64(max(0, entry.at.microseconds + day)))
                row.set(RowKey(due, and: entry.id.value), id: entry.row.account)
            },
        ]
    }
}
