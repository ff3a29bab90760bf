internal import LMDB

/// Changes rows of one table, best in the order of their keys: neighbours are then found without a search from the root.
@available(*, noasync)
struct RowWriter: ~Copyable, ~Escapable {
    private var cursor: WriteCursor
    private let model: String

    @_lifetime(copy cursor)
    init(_ cursor: consuming WriteCursor, of model: String) {
        self.cursor = cursor
        self.model = model
    }

    /// What `body` makes of the row under a key, as the transaction has it; nil where there is none.
    mutating func value<Result>(
        _ key: RowKey, _ body: (Span<UInt8>) throws(ReadModelError) -> Result
    ) throws(ReadModelError) -> Result? {
        do {
            guard let row = try cursor.get(key.bytes) else { return nil }
            return try body(row)
        } catch {
            throw ReadModelError(any: error, model: model)
        }
    }

    mutating func put(_ key: RowKey, _ row: Span<UInt8>) throws(ReadModelError) {
        do {
            try cursor.put(key.bytes, row)
        } catch {
            throw ReadModelError(any: error, model: model)
        }
    }

    /// Removes a row; does nothing where there is none.
    mutating func delete(_ key: RowKey) throws(ReadModelError) {
        do {
            _ = try cursor.delete(key.bytes)
        } catch {
            throw ReadModelError(any: error, model: model)
        }
    }
}

@available(*, noasync)
extension ModelStore {
    /// What changes rows of one table; nothing else can be done with the transaction while it lives.
    @_lifetime(&transaction)
    func writer(_ table: Table, in transaction: inout WriteTransaction) throws(ReadModelError) -> RowWriter {
        do {
            return RowWriter(try transaction.writeCursor(table), of: model)
        } catch {
            throw ReadModelError(any: error, model: model)
        }
    }
}
