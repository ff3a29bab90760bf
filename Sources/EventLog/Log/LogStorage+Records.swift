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

    /// Calls `body` with each record from `first` through `last`, in one snapshot, until it returns false.
    ///
    /// - Throws: what `body` throws; ``EventLogError/Code-swift.struct/damaged`` for a missing or unreadable record.
    func scan(
        from first: UInt64, through last: UInt64, _ body: (Position, borrowing Record) throws -> Bool
    ) throws {
        if first > last { return }
        let environment = environment
        let snapshot = try environment.readable()
        var cursor = try cursor(in: snapshot)
        var expected = first
        var found = try cursor.seek(first)
        while expected <= last {
            guard found, cursor.integerKey == expected else { throw Self.gap(at: expected) }
            cursor.prefetchWhatFollows()
            guard try body(Position(expected), Self.checked(cursor.value, at: expected)) else { return }
            expected += 1
            found = try cursor.next()
        }
    }

    /// As ``scan(from:through:_:)``, the newest first.
    func scanBackwards(
        from first: UInt64, through last: UInt64, _ body: (Position, borrowing Record) throws(EventLogError) -> Bool
    ) throws(EventLogError) {
        if first > last { return }
        do {
            let environment = environment
            let snapshot = try environment.readable()
            var cursor = try cursor(in: snapshot)
            var expected = last
            var found = try cursor.seek(last)
            while expected >= first {
                guard found, cursor.integerKey == expected else { throw Self.gap(at: expected) }
                guard try body(Position(expected), Self.checked(cursor.value, at: expected)) else { return }
                expected -= 1
                found = try cursor.previous()
            }
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
    private func cursor(in snapshot: borrowing Snapshot) throws(EventLogError) -> Cursor {
        do { return try snapshot.cursor(events) } catch { throw EventLogError(error) }
    }
}
