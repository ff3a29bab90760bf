internal import LMDB

/// What models that take things back need besides putting rows.
@available(*, noasync)
extension ModelStore {
    /// Removes a row; does nothing where there is none.
    func delete(_ table: Table, _ key: RowKey, in transaction: inout WriteTransaction) throws(ReadModelError) {
        do {
            _ = try transaction.delete(table, key.bytes)
        } catch {
            throw ReadModelError(any: error, model: model)
        }
    }

    /// What `body` makes of the newest row of one thing, or of a pair, as the transaction has it; nil where there is none.
    ///
    /// - Parameter bound: the thing's key with the greatest position that there is.
    func newest<Result>(
        _ table: Table, before bound: RowKey, in transaction: borrowing WriteTransaction,
        _ body: (_ position: UInt64, _ value: Span<UInt8>) throws(ReadModelError) -> Result
    ) throws(ReadModelError) -> Result? {
        do {
            var cursor = try transaction.cursor(table)
            let isThere = try cursor.seek(bound.bytes) ? cursor.previous() : cursor.last()
            guard isThere, Self.isSameThing(cursor.key, bound.bytes) else { return nil }
            let position = UInt64(truncatingIfNeeded: cursor.key.extracting(droppingFirst: cursor.key.count - 16).bigEndian128(at: 0))
            return try body(position, cursor.value)
        } catch {
            throw ReadModelError(any: error, model: model)
        }
    }

    /// Whether two keys are the same but for the position that they end with.
    private static func isSameThing(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count, left.count > 8 else { return false }
        for index in 0..<(left.count - 8) where left[index] != right[index] { return false }
        return true
    }
}
