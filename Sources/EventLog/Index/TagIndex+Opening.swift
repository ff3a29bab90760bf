internal import LMDB

extension TagIndex {
    /// Opens the index of a log and brings it to the log's head: from where it stands if it is this log's, else from the beginning.
    static func open(
        _ directory: String, log: LogStorage, schema: Schema, head: HeadSignal, options: EventLog.Options
    ) throws(EventLogError) -> TagIndex {
        let (kinds, created) = (IndexedKinds(schema), try log.created())
        let wanted = IndexMeta(position: head.head.rawValue, fingerprint: 0, created: created, kinds: kinds.bytes)
        let (store, covered) = try openStore(directory, log, wanted, options.indexEnvironment)
        let index = try TagIndex(
            store: store, log: log, head: head, created: created, kinds: kinds, covered: covered, options: options)
        index.startFlusher()
        do throws(EventLogError) {
            try index.replay(through: head.head)
        } catch {
            index.stopFlusher()
            throw error
        }
        return index
    }

    /// A store, and how far it covers the log.
    private static func openStore(
        _ directory: String, _ log: LogStorage, _ wanted: IndexMeta, _ options: Environment.Options
    ) throws(EventLogError) -> (PostingStore, UInt64) {
        if let kept = try openUsable(directory, log, wanted, options) { return kept }
        // What was opened is released by now, so that the folder can be emptied.
        return (try PostingStore(.discard(directory: directory, options: options)), 0)
    }

    /// The store as it is in the folder; nil when there is no use for it.
    private static func openUsable(
        _ directory: String, _ log: LogStorage, _ wanted: IndexMeta, _ options: Environment.Options
    ) throws(EventLogError) -> (PostingStore, UInt64)? {
        do throws(EventLogError) {
            let derived = try DerivedEnvironment(directory: directory, options: options)
            let store = try PostingStore(derived)
            if case .fresh = derived.origin { return (store, 0) }
            guard let coverage = try store.coverage(), try covers(coverage, log, wanted) else { return nil }
            // Throws when the runs are not what the coverage says: made again then, like a broken page.
            _ = try store.runs()
            return (store, coverage.position)
        } catch {
            // A broken page, or tables of another kind: no index of ours. Anything else is not cured by deleting it.
            guard let code = error.storage?.code, code == .damaged || code == .misuse else { throw error }
            return nil
        }
    }

    /// Whether postings were made from this very log, by the same rules, and are not ahead of it.
    ///
    /// A log restored from an older copy may be shorter than its index, or by now longer, with other events.
    static func covers(_ coverage: IndexMeta, _ log: LogStorage, _ wanted: IndexMeta) throws(EventLogError) -> Bool {
        guard coverage.kinds == wanted.kinds, coverage.created == wanted.created, coverage.position <= wanted.position else {
            return false
        }
        let fingerprint = try log.withRecord(at: coverage.position) { record in IndexMeta.fingerprint(of: record.bytes) }
        return fingerprint == coverage.fingerprint
    }
}
