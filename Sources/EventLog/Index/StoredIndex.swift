/// The persistent part of a tag index, for look-ups beside the process that keeps it.
///
/// Entries that the process holds in memory only are not in it: ``covered`` is the last position it covers, and the caller scans the rest
/// of the log. It stays as of its opening: the files of runs that are merged later are held until this object is released. The caller MUST
/// compare the proposed records with its query.
package final class StoredIndex: Sendable {
    /// Positions fetched at once.
    private static let pagePositions = 4_096

    /// Every event up to here is in it.
    package let covered: Position
    private let store: RunStore

    private init(_ store: RunStore, covered: Position) {
        (self.store, self.covered) = (store, covered)
    }

    /// Opens the index of a log for reading.
    ///
    /// - Returns: nil if the next opening of this log would use no index, or if it cannot be read: the log is scanned then.
    package static func open(directory: String, log: EventLog) -> StoredIndex? {
        guard let store = RunStore.look(directory), store.list.damaged == 0 else { return nil }
        let coverage = store.list.manifest.coverage
        let wanted = IndexCoverage(position: log.head.rawValue, created: log.created, kinds: IndexedKinds(log.schema).bytes)
        guard (try? TagIndex.covers(coverage, log.storage, wanted)) == true else { return nil }
        return StoredIndex(store, covered: Position(coverage.position))
    }

    /// The positions of the events that have a tag and one of the types, ascending; those beyond ``covered`` are left out.
    ///
    /// - Parameters:
    ///   - tag: of an indexed kind.
    ///   - types: none means all.
    ///   - after: exclusive.
    ///   - through: inclusive.
    /// - Throws: ``EventLogError/Code-swift.struct/storage`` when a block is damaged; the log has it all then.
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
