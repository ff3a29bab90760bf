/// The persistent part of a tag index, for look-ups while another process may write it.
///
/// Entries that the writing process holds only in memory are not included: ``covered`` is the last position included, and the caller scans
/// the rest of the log. The content does not change after opening: the files of runs that are merged later stay open until this object is
/// released. The index only proposes positions, so the caller MUST compare the record at each returned position with its query.
package final class StoredIndex: Sendable {
    /// The maximum number of positions that are fetched at once.
    private static let pagePositions = 4_096

    /// Every event up to this position is in the index.
    package let covered: Position
    private let store: RunStore

    private init(_ store: RunStore, covered: Position) {
        (self.store, self.covered) = (store, covered)
    }

    /// Opens the index of a log for reading.
    ///
    /// - Returns: nil if there is no readable manifest, if a run is damaged, or if the index does not fit the log. The caller then scans
    ///   the log.
    package static func open(directory: String, log: EventLog) -> StoredIndex? {
        guard let store = RunStore.look(directory), store.list.damaged == 0 else { return nil }
        let coverage = store.list.manifest.coverage
        let wanted = IndexCoverage(position: log.head.rawValue, created: log.created, kinds: IndexedKinds(log.schema).bytes)
        guard (try? TagIndex.covers(coverage, log.storage, wanted)) == true else { return nil }
        return StoredIndex(store, covered: Position(coverage.position))
    }

    /// The positions, ascending, of the events up to ``covered`` with a tag and one of the types.
    ///
    /// - Parameters:
    ///   - tag: must be of an indexed kind.
    ///   - types: empty means all.
    ///   - after: the exclusive lower bound.
    ///   - through: the inclusive upper bound.
    /// - Throws: ``EventLogError/Code-swift.struct/storage`` if a run cannot be read; the log then still has all events.
    package func positions(
        of tag: Tag, types: [EventType], after: Position, through: Position
    ) throws(EventLogError) -> [UInt64] {
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
