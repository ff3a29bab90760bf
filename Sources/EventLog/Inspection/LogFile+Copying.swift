internal import LMDB

extension LogFile {
    /// Copies the log into a new folder: its description, and every record and hash of this object's commit. The copy is durable on return.
    ///
    /// It moves to the newest commit after every ``LogLimits/snapshotRecordsMax`` positions, so that a running server can reuse freed
    /// pages. The copy has the same records and tree in another layout. Pages are read with plain reads and checked.
    ///
    /// - Parameters:
    ///   - end: the last position to copy; nil for all.
    ///   - renewing: called with the `LogFile` of each commit from which records are copied.
    /// - Throws: ``EventLogError`` `.damaged`, `.storage`.
    package func copy(to directory: String, through end: Position? = nil, renewing: (LogFile) -> Void = { _ in }) throws(EventLogError) {
        do throws(LMDBError) {
            try copyAll(to: directory, through: min(head, end ?? head), renewing)
            try DurableNames.flush(directory + "/data.mdb")
            LogFile.removeLocks(in: directory)
            try DurableNames.flush(directory)
        } catch { throw EventLogError(opening: error) }
    }

    private func copyAll(to directory: String, through head: Position, _ renewing: (LogFile) -> Void) throws(LMDBError) {
        if let damage { throw damage }
        var options = EventLog.Options().environment
        // Flushed once at the end, because nothing uses the copy before.
        options.durability = .none
        options.mapSizeDefault = max(options.mapSizeDefault, reservedBytes ?? 0)
        let copy = try Environment(directory: directory, access: .readWrite, options: options)
        let storage = try LogStorage(environment: copy, withTree: tree != nil)
        try copyNames(to: storage)
        letCommitGo()
        var next: UInt64 = 1
        while next <= head.rawValue {
            let last = min(head.rawValue, next + LogLimits.snapshotRecordsMax - 1)
            let source = try latest()
            renewing(source)
            try source.copy(from: next, through: last, to: storage)
            next = last + 1
        }
        try copy.sync()
    }

    private func latest() throws(LMDBError) -> LogFile {
        do throws(EventLogError) { return try renewed() } catch {
            throw error.storage ?? .damagedContent(error.detail, in: file.path)
        }
    }

    private func copyNames(to storage: LogStorage) throws(LMDBError) {
        let tables = try file.tables(of: commit)
        let environment = storage.environment
        var transaction = try environment.write()
        for (name, table) in [("meta", storage.meta), ("names", storage.names)] {
            guard let tree = tables[name] else { throw .damagedContent("there is no table \(name)", in: file.path) }
            for (key, value) in try entries(of: tree) { try transaction.put(table, key.span, value.span) }
        }
        try transaction.commit()
    }

    private func copy(from first: UInt64, through last: UInt64, to storage: LogStorage) throws(LMDBError) {
        if let damage { throw damage }
        let environment = storage.environment
        var transaction = try environment.write()
        for (source, table) in [(events, storage.events), (tree, storage.tree)] {
            guard let source, let table else { continue }
            var cursor = FileCursor(source, in: file)
            var value: [UInt8] = []
            var isThere = try cursor.seek(first)
            // A log from before trees may lack hashes, and so does its copy.
            if !isThere, table == storage.tree { continue }
            for position in first...last {
                guard isThere, cursor.key == position else {
                    if table == storage.tree { break }
                    throw .damagedContent("there is no event \(position)", in: file.path)
                }
                try cursor.value(into: &value)
                try transaction.append(table, position, value.span)
                if position < last { isThere = try cursor.next() }
            }
        }
        try transaction.commit()
    }

    /// A closed copy does not need its lock files.
    private static func removeLocks(in directory: String) {
        for name in ["/lock.mdb", "/writer.lock"] { DurableNames.remove(directory + name) }
    }
}

extension SnapshotHold {
    /// Protects the newest commit's pages from reuse. Opening reads only the head pages, so damage elsewhere does no harm.
    static func folder(_ directory: String) -> SnapshotHold? {
        guard let environment = try? Environment(directory: directory, access: .readOnly) else { return nil }
        return try? SnapshotHold(environment)
    }
}
