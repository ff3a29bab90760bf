internal import LMDB

extension LogFile {
    /// Copies the log into a new folder: its description, and every record and hash through the last position of the commit that this
    /// object shows.
    ///
    /// It copies by position, and moves to the newest commit after every ``LogLimits/snapshotRecordsMax`` positions, so that a running
    /// server can reuse freed pages. The copy has the same records and the same tree, but its file has another layout. Pages are read with
    /// plain reads, and each is checked. The copy is durable on return.
    ///
    /// - Parameters:
    ///   - end: the last position to copy; nil to copy all.
    ///   - renewing: called for each commit from which records are copied, with the `LogFile` that shows this commit.
    /// - Throws: ``EventLogError/Code-swift.struct/damaged``, ``EventLogError/Code-swift.struct/storage``.
    package func copy(
        to directory: String, through end: Position? = nil, renewing: (LogFile) -> Void = { _ in }
    ) throws(EventLogError) {
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
        // The copy is flushed once at the end, because nothing uses it before.
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

    /// Copies the log's description and the names of types and kinds, which its records need.
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
            // A log from before the introduction of trees may lack hashes, and its copy then lacks them too.
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

    /// Removes the lock files of a copy. This process needed them while it had the copy open; a closed copy does not need them.
    private static func removeLocks(in directory: String) {
        for name in ["/lock.mdb", "/writer.lock"] { DurableNames.remove(directory + name) }
    }
}

extension SnapshotHold {
    /// Opens a log's folder, and protects the pages of the newest commit from reuse; nil if the folder cannot be opened.
    ///
    /// Opening the environment reads only the head pages, and nothing is read through its memory map. So damage elsewhere in the file can
    /// do no harm.
    static func folder(_ directory: String) -> SnapshotHold? {
        guard let environment = try? Environment(directory: directory, access: .readOnly) else { return nil }
        return try? SnapshotHold(environment)
    }
}
