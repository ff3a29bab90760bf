internal import LMDB
internal import Merkle

extension TagIndex {
    /// Opens the index of a log and brings it to the log's head: from where it stands if it is this log's, else from the beginning.
    static func open(
        _ directory: String, log: LogStorage, schema: Schema, head: HeadSignal, options: EventLog.Options
    ) throws(EventLogError) -> TagIndex {
        let (kinds, created) = (IndexedKinds(schema), try log.created())
        let wanted = IndexCoverage(position: head.head.rawValue, created: created, kinds: kinds.bytes)
        let store = try RunStore.keep(directory, log: log) { (coverage) throws(EventLogError) in try covers(coverage, log, wanted) }
        let index = TagIndex(store: store, log: log, head: head, created: created, kinds: kinds, options: options)
        index.startFlusher()
        do throws(EventLogError) {
            try index.replay(through: head.head)
        } catch {
            index.stopFlusher()
            throw error
        }
        return index
    }

    /// Whether postings were made from this very log, by the same rules, and are not ahead of it.
    ///
    /// A log restored from an older copy may be shorter than its index, or by now longer, with other events.
    static func covers(
        _ coverage: IndexCoverage, _ log: LogStorage, _ wanted: IndexCoverage
    ) throws(EventLogError) -> Bool {
        guard coverage.kinds == wanted.kinds, coverage.created == wanted.created, coverage.position <= wanted.position else {
            return false
        }
        if coverage.position == 0 { return true }
        return try log.indexedRoot(at: coverage.position) == coverage.root
    }
}

extension LogStorage {
    /// The root of the log's tree at a position, by which an index knows the log that it was made of; empty in a log without a tree.
    func indexedRoot(at position: UInt64) throws(EventLogError) -> [UInt8] {
        if tree == nil { return [] }
        return try LogTree(storage: self).edge(at: position).root.bytes
    }
}
