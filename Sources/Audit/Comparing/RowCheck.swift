internal import LMDB

/// All stored tables of a model beside the rows that they must have.
struct RowCheck {
    let stored: [Table]
    let expected: [CanonicalTable]

    /// Rows that there must be.
    var rows: Int { expected.reduce(0) { $0 + $1.count } }

    /// The first row at which they part, table by table and in key order; nil where they are the same.
    ///
    /// - Parameter step: called now and then; what it throws ends the walk.
    func firstDifference(in snapshot: borrowing Snapshot, step: () throws -> Void = {}) throws -> RowDifference? {
        for (index, canonical) in expected.enumerated() {
            let cursor = try snapshot.cursor(stored[index])
            let check = TableCheck(table: index, canonical: canonical)
            if let difference = try check.firstDifference(cursor, step: step) { return difference }
        }
        return nil
    }
}
