internal import LMDB

/// The log's LMDB environment: events and tree hashes by position, names by number, and the log's description.
///
/// It checks that stored bytes are a record, but does not interpret it. Any thread may read; one thread appends.
final class LogStorage: Sendable {
    let environment: Environment
    /// From position to record.
    let events: Table
    /// Keys are `t` with a type's number, or `k` with a tag kind's.
    let names: Table
    /// See ``LogMeta``.
    let meta: Table
    /// From position to hashes; see ``LogTree``. Nil if an old log was never opened for writing since.
    let tree: Table?

    /// - Parameter withTree: false for a copy of a log without a tree.
    init(environment: Environment, withTree: Bool = true) throws(LMDBError) {
        self.environment = environment
        meta = try environment.table("meta", .bytes)
        names = try environment.table("names", .bytes)
        events = try environment.table("events", .integer)
        tree = withTree ? try Self.tree(in: environment) : nil
    }

    private static func tree(in environment: Environment) throws(LMDBError) -> Table? {
        do throws(LMDBError) { return try environment.table("tree", .integer) } catch {
            if error.code == .missing { return nil }
            throw error
        }
    }

    func head() throws(EventLogError) -> Position {
        do throws(LMDBError) {
            let environment = environment
            let snapshot = try environment.snapshot()
            var cursor = try snapshot.cursor(events)
            return try cursor.last() ? Position(cursor.integerKey) : .start
        } catch { throw EventLogError(error) }
    }

    /// Stores a batch in one transaction with one flush.
    ///
    /// - Throws: ``EventLogError`` `.storage`. Unless the disk or the map is full, the outcome is unknown until the next opening.
    func commit(_ batch: EncodedBatch) throws(EventLogError) {
        do throws(LMDBError) {
            let environment = environment
            var transaction = try environment.write()
            try requireEnd(at: batch.first, in: transaction)
            for index in 0..<batch.count { try transaction.append(events, batch.first.rawValue + UInt64(index), batch.record(index)) }
            // In the same transaction, so that the tree covers every event at any time.
            try append(hashesOf: batch, in: &transaction)
            // A crash here leaves the whole batch or nothing: LMDB flushes the new pages, and then the head page. No caller has an answer
            // yet.
            try transaction.commit()
        } catch { throw EventLogError(error) }
    }

    private func append(hashesOf batch: EncodedBatch, in transaction: inout WriteTransaction) throws(LMDBError) {
        guard let tree else { return }
        for index in 0..<batch.count { try transaction.append(tree, batch.first.rawValue + UInt64(index), batch.hashes(index)) }
    }

    /// Traps unless the batch follows the head: MDB_APPEND rejects small keys, but not gaps.
    private func requireEnd(at first: Position, in transaction: borrowing WriteTransaction) throws(LMDBError) {
        var cursor = try transaction.cursor(events)
        let head = try cursor.last() ? cursor.integerKey : 0
        precondition(head + 1 == first.rawValue, "a batch that begins at \(first) does not follow the head \(head)")
    }
}

extension LogStorage {
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

    private static func create(_ directory: String, _ created: Timestamp, _ options: EventLog.Options) throws(EventLogError) -> LogStorage {
        do throws(LMDBError) {
            // Atomically: otherwise, after a power failure before the first flush, the file would look like a damaged log.
            try Environment.make(in: directory, options: options.environment) { (environment) throws(LMDBError) in
                try fill(environment, created)
            }
            let environment = try Environment(directory: directory, access: .readWrite, options: options.environment)
            let storage = try LogStorage(environment: environment)
            // Completes an interrupted creation by an older version, which stored the description after the file.
            if try storage.isUnnamed { try fill(environment, created) }
            return storage
        } catch { throw EventLogError(opening: error) }
    }

    private static func fill(_ environment: Environment, _ created: Timestamp) throws(LMDBError) {
        let storage = try LogStorage(environment: environment)
        var transaction = try environment.write()
        for (key, value) in LogMeta.entries(created: created) { try transaction.put(storage.meta, key.span, value.span) }
        // A crash here leaves empty tables, an interrupted creation to the next opening.
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

extension LogStorage {
    /// - Throws: ``EventLogError`` `.damaged` if the bytes are not a record.
    func withRecord<Result>(
        at position: UInt64, _ body: (borrowing Record) throws(EventLogError) -> Result
    ) throws(EventLogError) -> Result? {
        let environment = environment
        let snapshot = try environment.readable()
        guard let bytes = try record(at: position, in: snapshot) else { return nil }
        return try body(Self.checked(bytes, at: position))
    }

    /// Calls `body` with each record from `first` through `last` until it returns false.
    ///
    /// It opens a new snapshot after ``LogLimits/snapshotRecordsMax`` records, because a long-lived one keeps freed pages from reuse.
    /// Records never change, so the snapshots agree.
    ///
    /// - Throws: errors of `body`; ``EventLogError`` `.damaged` for a missing or unreadable record.
    func scan(from first: UInt64, through last: UInt64, _ body: (Position, borrowing Record) throws -> Bool) throws {
        let walk = WalkMemory()
        var next = first
        while next <= last {
            let end = min(last, next &+ (LogLimits.snapshotRecordsMax - 1))
            guard try scanSnapshot(from: next, through: end, walk, body) else { return }
            next = end + 1
        }
    }

    private func scanSnapshot(
        from first: UInt64, through last: UInt64, _ walk: WalkMemory, _ body: (Position, borrowing Record) throws -> Bool
    ) throws -> Bool {
        let environment = environment
        let snapshot = try environment.readable()
        var cursor = try cursor(in: snapshot, walk)
        var expected = first
        var found = try cursor.seek(first)
        while expected <= last {
            guard found, cursor.integerKey == expected else { throw Self.gap(at: expected) }
            cursor.prefetchWhatFollows()
            guard try body(Position(expected), Self.checked(cursor.value, at: expected)) else { return false }
            expected += 1
            // After the last record the cursor need not move: the next snapshot seeks.
            if expected <= last { found = try cursor.next() }
        }
        return true
    }

    func scanBackwards(
        from first: UInt64, through last: UInt64, _ body: (Position, borrowing Record) throws(EventLogError) -> Bool
    ) throws(EventLogError) {
        let walk = WalkMemory()
        var next = last
        while next >= first, next > 0 {
            let end = next - min(next - first, LogLimits.snapshotRecordsMax - 1)
            guard try scanSnapshotBackwards(from: end, through: next, walk, body) else { return }
            next = end - 1
        }
    }

    private func scanSnapshotBackwards(
        from first: UInt64, through last: UInt64, _ walk: WalkMemory, _ body: (Position, borrowing Record) throws(EventLogError) -> Bool
    ) throws(EventLogError) -> Bool {
        do {
            let environment = environment
            let snapshot = try environment.readable()
            var cursor = try cursor(in: snapshot, walk)
            var expected = last
            var found = try cursor.seek(last)
            while expected >= first {
                guard found, cursor.integerKey == expected else { throw Self.gap(at: expected) }
                guard try body(Position(expected), Self.checked(cursor.value, at: expected)) else { return false }
                expected -= 1
                found = try cursor.previous()
            }
            return true
        } catch { throw EventLogError(any: error) }
    }

    @_lifetime(borrow snapshot)
    func record(at position: UInt64, in snapshot: borrowing Snapshot) throws(EventLogError) -> Span<UInt8>? {
        do { return try snapshot.get(events, position) } catch { throw EventLogError(error) }
    }

    @_lifetime(copy bytes)
    static func checked(_ bytes: Span<UInt8>, at position: UInt64) throws(EventLogError) -> Record {
        guard let record = Record(bytes) else {
            let detail = "\(bytes.count) bytes that are no record of format \(RecordLayout.format)."
            throw EventLogError(.damaged, detail, position: Position(position))
        }
        return record
    }

    static func gap(at position: UInt64) -> EventLogError {
        EventLogError(.damaged, "no record, but there are later ones or a later head.", position: Position(position))
    }

    @_lifetime(borrow snapshot)
    private func cursor(in snapshot: borrowing Snapshot, _ walk: WalkMemory) throws(EventLogError) -> Cursor {
        do { return try snapshot.cursor(events, walk: walk) } catch { throw EventLogError(error) }
    }
}

extension LogStorage {
    func created() throws(EventLogError) -> Timestamp {
        guard let bytes = try environment.value(meta, LogMeta.createdKey), bytes.count == 8 else {
            throw EventLogError(.damaged, "the log does not say when it was created.")
        }
        return Timestamp(microseconds: Int64(bitPattern: bytes.span.littleEndian64(at: 0)))
    }

    /// Positions ascend from 1 without gaps, so the last one equals the number of events.
    func checkDensity() throws(EventLogError) {
        let numbers: (first: UInt64, last: UInt64, count: UInt64)
        do throws(LMDBError) {
            let environment = environment
            let snapshot = try environment.snapshot()
            var cursor = try snapshot.cursor(events)
            guard try cursor.first() else { return }
            let first = cursor.integerKey
            _ = try cursor.last()
            numbers = (first, cursor.integerKey, UInt64(try snapshot.count(events)))
        } catch { throw EventLogError(error) }
        if numbers.first == 1 && numbers.last == numbers.count { return }
        throw Self.gap(at: try firstMissing())
    }

    /// Called only if a position is missing.
    private func firstMissing() throws(EventLogError) -> UInt64 {
        do throws(LMDBError) {
            let environment = environment
            let snapshot = try environment.snapshot()
            var cursor = try snapshot.cursor(events)
            var expected: UInt64 = 1
            while try cursor.next(), cursor.integerKey == expected { expected += 1 }
            return expected
        } catch { throw EventLogError(error) }
    }
}
