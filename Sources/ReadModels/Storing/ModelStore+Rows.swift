internal import LMDB

/// Reading and writing rows with this layer's errors.
extension ModelStore {
    /// Calls `body` with the model as of its last commit.
    func reading<Result>(
        _ body: (borrowing Snapshot) throws(ReadModelError) -> Result
    ) throws(ReadModelError) -> Result {
        do {
            let environment = environment
            let snapshot = try environment.snapshot()
            return try body(snapshot)
        } catch {
            throw ReadModelError(any: error, model: model)
        }
    }

    /// What `body` makes of the row under a key; nil where there is none.
    func value<Result>(
        _ table: Table, _ key: RowKey, in snapshot: borrowing Snapshot,
        _ body: (Span<UInt8>) throws(ReadModelError) -> Result
    ) throws(ReadModelError) -> Result? {
        do {
            guard let row = try snapshot.get(table, key.bytes) else { return nil }
            return try body(row)
        } catch {
            throw ReadModelError(any: error, model: model)
        }
    }

    /// The same, as the transaction has it.
    @available(*, noasync)
    func value<Result>(
        _ table: Table, _ key: RowKey, in transaction: borrowing WriteTransaction,
        _ body: (Span<UInt8>) throws(ReadModelError) -> Result
    ) throws(ReadModelError) -> Result? {
        do {
            guard let row = try transaction.get(table, key.bytes) else { return nil }
            return try body(row)
        } catch {
            throw ReadModelError(any: error, model: model)
        }
    }

    /// Whether there is a row under a key.
    @available(*, noasync)
    func has(_ table: Table, _ key: RowKey, in transaction: borrowing WriteTransaction) throws(ReadModelError) -> Bool {
        try value(table, key, in: transaction) { _ in true } ?? false
    }

    func has(_ table: Table, _ key: RowKey, in snapshot: borrowing Snapshot) throws(ReadModelError) -> Bool {
        try value(table, key, in: snapshot) { _ in true } ?? false
    }

    @available(*, noasync)
    func put(
        _ table: Table, _ key: RowKey, _ value: Span<UInt8>, in transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        do {
            try transaction.put(table, key.bytes, value)
        } catch {
            throw ReadModelError(any: error, model: model)
        }
    }
}
