internal import LMDB

extension LogStorage {
    /// Calls `body` with a stored record.
    ///
    /// - Returns: nil when nothing is stored there.
    /// - Throws: ``EventLogError/Code-swift.struct/damaged`` when the bytes are no record.
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
    /// A walk is a sequence of snapshots, each of at most ``LogLimits/snapshotRecordsMax`` records: stored records never change, and a
    /// snapshot that lasts keeps the writer from using freed pages again.
    ///
    /// - Throws: what `body` throws; ``EventLogError/Code-swift.struct/damaged`` for a missing or unreadable record.
    func scan(
        from first: UInt64, through last: UInt64, _ body: (Position, borrowing Record) throws -> Bool
    ) throws {
        let walk = WalkMemory()
        var next = first
        while next <= last {
            let end = min(last, next &+ (LogLimits.snapshotRecordsMax - 1))
            guard try scanSnapshot(from: next, through: end, walk, body) else { return }
            next = end + 1
        }
    }

    /// - Returns: false when `body` has ended the walk.
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
            // The last entry of a stretch is the end: the next snapshot seeks the one after it.
            if expected <= last { found = try cursor.next() }
        }
        return true
    }

    /// As ``scan(from:through:_:)``, the newest first.
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
        from first: UInt64, through last: UInt64, _ walk: WalkMemory,
        _ body: (Position, borrowing Record) throws(EventLogError) -> Bool
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

    /// The bytes at a position, in place.
    @_lifetime(borrow snapshot)
    func record(at position: UInt64, in snapshot: borrowing Snapshot) throws(EventLogError) -> Span<UInt8>? {
        do { return try snapshot.get(events, position) } catch { throw EventLogError(error) }
    }

    /// Bytes that are a record.
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
