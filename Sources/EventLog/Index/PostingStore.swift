internal import LMDB

/// The persistent part of the tag index: from tag and type to ascending positions.
///
/// It is derived data: the position it has reached is stored in the same transaction as the postings, together with what tells
/// that the log still is the one they were made from.
final class PostingStore: Sendable {
    let derived: DerivedEnvironment
    /// ``IndexKey`` → positions.
    let postings: Table
    /// What the postings cover: see ``IndexMeta``.
    let meta: Table

    var environment: Environment { derived.environment }

    init(_ derived: DerivedEnvironment) throws(EventLogError) {
        self.derived = derived
        do throws(LMDBError) {
            postings = try derived.environment.table("postings", .postings)
            meta = try derived.environment.table("meta", .bytes)
        } catch { throw EventLogError(error) }
    }

    /// How far the postings go; nil when there is no (readable) word about it.
    func coverage() throws(EventLogError) -> IndexMeta? {
        do throws(LMDBError) {
            let environment = environment
            let snapshot = try environment.snapshot()
            let key = IndexMeta.key
            guard let bytes = try snapshot.get(meta, key.span) else { return nil }
            return IndexMeta(bytes)
        } catch { throw EventLogError(error) }
    }

    /// Adds all postings of a part, in the order of keys, and moves the coverage to its end: one transaction.
    func store(_ part: MemoryPart, _ coverage: IndexMeta) throws(EventLogError) {
        do throws(LMDBError) {
            let environment = environment
            var transaction = try environment.write()
            try part.forEachSorted { (tag, type, positions) throws(LMDBError) in
                let key = IndexKey(tag, type)
                for position in positions {
                    try transaction.addPosting(postings, key.bytes.span, position, appending: true)
                }
            }
            let (key, value) = (IndexMeta.key, coverage.bytes)
            try transaction.put(meta, key.span, value.span)
            // A crash of the process before this leaves the index at its earlier position, and the next opening replays the log
            // from there. A crash of the machine, at any time, costs the index: see DerivedEnvironment.
            try transaction.commit()
        } catch { throw EventLogError(error) }
    }
}
