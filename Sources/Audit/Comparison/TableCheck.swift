internal import EventLog
internal import LMDB
internal import Projections
internal import ReadModels

/// Compares one stored table with its expected rows.
struct TableCheck {
    private static let rowsPerStep = 16_384

    let table: Int
    let canonical: CanonicalTable

    /// The first row that differs. An error that `step` throws ends the comparison.
    func firstDifference(_ cursor: consuming Cursor, step: () throws -> Void = {}) throws -> RowDifference? {
        var row = CanonicalRow()
        var isThere = try cursor.next()
        for index in 0..<canonical.count {
            if index % Self.rowsPerStep == 0 { try step() }
            canonical.row(index, into: &row)
            let order = isThere ? KeyOrder.compare(cursor.key, row.key.bytes) : 1
            if order > 0 { return difference(row.key.bytes, stored: nil, expected: row.value) }
            if order < 0 { return difference(cursor.key, stored: [UInt8](copying: cursor.value), expected: nil) }
            if Self.differ(cursor.value, row.value.span) {
                return difference(row.key.bytes, stored: [UInt8](copying: cursor.value), expected: row.value)
            }
            isThere = try cursor.next()
        }
        return isThere ? difference(cursor.key, stored: [UInt8](copying: cursor.value), expected: nil) : nil
    }

    private func difference(_ key: Span<UInt8>, stored: [UInt8]?, expected: [UInt8]?) -> RowDifference {
        RowDifference(place: RowPlace(table: table, key: [UInt8](copying: key)), stored: stored, expected: expected)
    }

    private static func differ(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return true }
        for index in 0..<left.count where left[index] != right[index] { return true }
        return false
    }
}

/// LMDB's order of keys.
package enum KeyOrder {
    /// Negative if `left` comes first, 0 if the keys are equal.
    package static func compare(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return Int(left[index]) - Int(right[index])
        }
        return left.count - right.count
    }
}

struct RowCheck {
    let stored: [Table]
    let expected: [CanonicalTable]

    var rows: Int { expected.reduce(0) { $0 + $1.count } }

    /// The first row that differs, table by table and in key order.
    ///
    /// - Throws: ``AuditError/Code/model`` if a stored table has no expected rows to be compared with; errors of LMDB and of `step`.
    func firstDifference(in snapshot: borrowing Snapshot, step: () throws -> Void = {}) throws -> RowDifference? {
        guard stored.count == expected.count else {
            throw AuditError(
                .model, "the model has \(stored.count) tables, its replay \(expected.count).",
                remedy: "Use the tools of the server's version.")
        }
        for (index, canonical) in expected.enumerated() {
            let cursor = try snapshot.cursor(stored[index])
            let check = TableCheck(table: index, canonical: canonical)
            if let difference = try check.firstDifference(cursor, step: step) { return difference }
        }
        return nil
    }
}

extension Replay {
    /// The number of events between two calls of `step`.
    static let eventsPerStep: UInt64 = 16_384

    init(ofModel name: String, in log: EventLog) throws(AuditError) {
        try self.init(of: log, until: .position(.start), models: [name])
    }

    /// The first of a model's stored rows that differs from the replay.
    func firstDifference<Model: Projection>(
        from store: ModelStore, _ tables: [Table], of model: Model.Type, step: () throws -> Void = {}
    ) throws -> RowDifference? {
        let environment = store.environment
        let snapshot = try environment.snapshot()
        return try RowCheck(stored: tables, expected: self.tables(of: Model.name)).firstDifference(in: snapshot, step: step)
    }

    /// Folds the log range by range, so that a running service can pause or stop between ranges.
    ///
    /// - Parameter step: called before each range; an error that it throws ends the function.
    mutating func walk(to end: Position, step: (Position) throws(AuditError) -> Void) throws(AuditError) {
        while position < end {
            try step(position)
            try advance(until: .position(Position(min(end.rawValue, position.rawValue + Self.eventsPerStep))))
        }
    }
}
