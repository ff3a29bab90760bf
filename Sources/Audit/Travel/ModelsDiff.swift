public import EventLog
internal import LMDB
internal import ReadModels

/// What changed in the read models between two moments, from the log alone: each table's rows then beside its rows later.
///
/// The state of both moments is held in memory while it is made.
public struct ModelsDiff: Sendable {
    /// Every table of every model, changed or not.
    public let tables: [TableDiff]

    /// - Parameters:
    ///   - from, to: in any order.
    ///   - limit: rows kept of each table; 0 for all.
    ///   - progress: called now and then with the position of the replay, on this thread.
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/event``.
    public init(
        of log: EventLog, from: Position, to: Position, limit: Int, progress: (Position) -> Void = { _ in }
    ) throws(AuditError) {
        let earlier = try Replay(of: log, until: .position(min(from, to)), progress: progress)
        var later = earlier
        try later.advance(until: .position(max(from, to)), progress: progress)
        var tables: [TableDiff] = []
        for model in ReadModels.models {
            let (before, after) = (earlier.tables(of: model.name), later.tables(of: model.name))
            for (described, pair) in zip(model.tables, zip(before, after)) {
                var diff = TableDiff(model.name, described)
                let walk = from <= to ? TableWalk(before: pair.0, after: pair.1) : TableWalk(before: pair.1, after: pair.0)
                walk.forEach { diff.add($0, limit: limit) }
                tables.append(diff)
            }
        }
        self.tables = tables
    }
}

extension TableDiff {
    fileprivate mutating func add(_ change: RowChange, limit: Int) {
        if change.before == nil { added += 1 } else if change.after == nil { removed += 1 } else { changed += 1 }
        if limit == 0 || changes.count < limit { changes.append(change) }
    }
}
