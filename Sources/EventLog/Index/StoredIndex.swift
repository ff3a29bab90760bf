internal import Foundation
internal import LMDB

/// The persistent part of a tag index, for look-ups beside the process that keeps it.
///
/// What that process holds in memory only is not in it: ``covered`` says how far it goes, and whoever asks scans the rest of the log.
/// It is trusted as far as the server trusts it. The records that it proposes are the caller's to compare with what was asked for.
package final class StoredIndex: Sendable {
    /// Positions fetched at once.
    private static let pagePositions = 4_096

    /// Every event up to here is in it.
    package let covered: Position
    private let store: PostingStore

    private init(_ store: PostingStore, covered: Position) {
        (self.store, self.covered) = (store, covered)
    }

    /// Opens the index of a log for reading.
    ///
    /// - Returns: nil where there is none that the next opening of this log would use, or it cannot be read: then the log is scanned.
    package static func open(directory: String, log: EventLog) -> StoredIndex? {
        guard FileManager.default.fileExists(atPath: directory + "/data.mdb"), StateFile(in: directory).isTrusted else { return nil }
        let environment = try? Environment(directory: directory, access: .readOnly)
        guard let environment, let store = try? PostingStore(reading: environment), let coverage = try? store.coverage() else { return nil }
        let wanted = IndexMeta(
            position: log.head.rawValue, fingerprint: 0, created: log.created, kinds: IndexedKinds(log.schema).bytes)
        guard (try? TagIndex.covers(coverage, log.storage, wanted)) == true, (try? store.runs()) != nil else { return nil }
        return StoredIndex(store, covered: Position(coverage.position))
    }

    /// The positions of the events that have a tag and one of the types, ascending; those beyond ``covered`` are left out.
    ///
    /// - Parameters:
    ///   - tag: of an indexed kind.
    ///   - types: none means all.
    ///   - after: exclusive.
    ///   - through: inclusive.
    /// - Throws: ``EventLogError/Code-swift.struct/damaged`` and ``EventLogError/Code-swift.struct/storage``; the log has it all then.
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
