internal import LMDB

extension LogStorage {
    /// Opens the log in a folder; with ``EventLog/Access/readWrite`` makes it when there is nothing.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/missing``, ``EventLogError/Code-swift.struct/notALog``,
    ///   ``EventLogError/Code-swift.struct/formatTooNew``, ``EventLogError/Code-swift.struct/damaged``,
    ///   ``EventLogError/Code-swift.struct/storage``.
    static func open(
        _ directory: String, access: EventLog.Access, created: Timestamp, options: EventLog.Options
    ) throws(EventLogError) -> LogStorage {
        switch (try LogProbe.look(at: directory, options), access) {
        case (.log, .readOnly): return try openExisting(directory, .readOnly, options)
        case (.log, .readWrite): return try openExisting(directory, .readWrite, options)
        case (.nothing, .readWrite): return try create(directory, created, options)
        case (.nothing, .readOnly): throw EventLogError(.missing, "there is no log in \(directory).")
        }
    }

    private static func openExisting(
        _ directory: String, _ access: Environment.Access, _ options: EventLog.Options
    ) throws(EventLogError) -> LogStorage {
        let storage: LogStorage
        do throws(LMDBError) {
            let environment = try Environment(directory: directory, access: access, options: options.environment)
            storage = try LogStorage(environment: environment)
        } catch { throw EventLogError(opening: error) }
        try storage.checkDensity()
        return storage
    }

    private static func create(
        _ directory: String, _ created: Timestamp, _ options: EventLog.Options
    ) throws(EventLogError) -> LogStorage {
        do throws(LMDBError) {
            // Whole or not at all: a file that power was lost on before its first flush could not be told from a damaged log.
            try Environment.make(in: directory, options: options.environment) { (environment) throws(LMDBError) in
                try fill(environment, created)
            }
            let environment = try Environment(directory: directory, access: .readWrite, options: options.environment)
            let storage = try LogStorage(environment: environment)
            // Our own older creations made the file first and told it what it is later.
            if try storage.isUnnamed { try fill(environment, created) }
            return storage
        } catch { throw EventLogError(opening: error) }
    }

    private static func fill(_ environment: Environment, _ created: Timestamp) throws(LMDBError) {
        let storage = try LogStorage(environment: environment)
        var transaction = try environment.write()
        for (key, value) in LogMeta.entries(created: created) { try transaction.put(storage.meta, key.span, value.span) }
        // A crash before this leaves empty tables, which the next opening takes for a creation cut short; after it, a log.
        try transaction.commit()
    }

    private var isUnnamed: Bool {
        get throws(LMDBError) {
            let environment = environment
            let snapshot = try environment.snapshot()
            return try snapshot.count(meta) == 0
        }
    }
}
