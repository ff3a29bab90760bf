/// The persistent part of a tag index, for look-ups while another process may write it.
///
/// Entries that the writer holds only in memory are not included: the caller scans the log behind ``covered``. The content does not change
/// after opening. The index only proposes positions, so the caller MUST compare each record with its query.
package final class StoredIndex: Sendable {
    /// Fetched at once.
    private static let pagePositions = 4_096

    /// Every event up to this position is in the index.
    package let covered: Position
    private let store: RunStore

    private init(_ store: RunStore, covered: Position) { (self.store, self.covered) = (store, covered) }

    /// Opens a log's index; nil, so that the caller scans the log, if it is unreadable, damaged, or of another log.
    package static func open(directory: String, log: EventLog) -> StoredIndex? {
        guard let store = RunStore.look(directory), store.list.damaged == 0 else { return nil }
        let coverage = store.list.manifest.coverage
        let wanted = IndexCoverage(position: log.head.rawValue, created: log.created, kinds: IndexedKinds(log.schema).bytes)
        guard (try? TagIndex.covers(coverage, log.storage, wanted)) == true else { return nil }
        return StoredIndex(store, covered: Position(coverage.position))
    }

    /// The positions up to ``covered``, ascending, of the events with a tag and one of the types.
    ///
    /// - Parameters:
    ///   - types: empty means all.
    ///   - after: exclusive.
    /// - Throws: ``EventLogError`` `.storage` if a run cannot be read; the log then still has all events.
    package func positions(of tag: Tag, types: [EventType], after: Position, through: Position) throws(EventLogError) -> [UInt64] {
        let last = min(through, covered).rawValue
        var first = after.rawValue + 1
        var found: [UInt64] = []
        while first <= last {
            let range = PositionRange(first: first, last: last, backwards: false, limit: Self.pagePositions)
            let page = try store.page(tag, types: types, in: range)
            found += page
            guard let end = page.last, page.count == Self.pagePositions else { break }
            first = end + 1
        }
        return found
    }
}
