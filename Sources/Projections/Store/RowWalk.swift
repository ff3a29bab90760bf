package import LMDB

/// Reads the rows of one id by position.
extension ModelStore {
    private static let idBytes = 16

    /// Calls `body` with the rows of an id, newest first, until it returns false.
    ///
    /// - Parameter before: only lower positions are visited; nil for all.
    package func descend(
        _ table: Table, of id: UInt128, before: UInt64?, in snapshot: borrowing Snapshot,
        _ body: (_ position: UInt64, _ value: Span<UInt8>) throws(ReadModelError) -> Bool
    ) throws(ReadModelError) {
        do {
            var cursor = try snapshot.cursor(table)
            // The cursor goes to the first row at or after the bound; the wanted row is before it, or the table's last.
            let bound = RowKey(id, position: before ?? .max)
            var goesOn = try cursor.seek(bound.bytes) ? cursor.previous() : cursor.last()
            while goesOn, cursor.key.count == Self.idBytes + 8, cursor.key.bigEndian128(at: 0) == id {
                goesOn = try body(Self.position(cursor.key), cursor.value) && cursor.previous()
            }
        } catch {
            throw ReadModelError(any: error, model: model)
        }
    }

    /// Calls `body` with the rows of an id, oldest first, until it returns false.
    package func ascend(
        _ table: Table, of id: UInt128, in snapshot: borrowing Snapshot,
        _ body: (_ position: UInt64, _ value: Span<UInt8>) throws(ReadModelError) -> Bool
    ) throws(ReadModelError) {
        do {
            var cursor = try snapshot.cursor(table)
            let start = RowKey(id, position: 0)
            var goesOn = try cursor.seek(start.bytes)
            while goesOn, cursor.key.count == Self.idBytes + 8, cursor.key.bigEndian128(at: 0) == id {
                goesOn = try body(Self.position(cursor.key), cursor.value) && cursor.next()
            }
        } catch {
            throw ReadModelError(any: error, model: model)
        }
    }

    private static func position(_ key: Span<UInt8>) -> UInt64 {
        UInt64(truncatingIfNeeded: key.extracting(droppingFirst: 8).bigEndian128(at: 0))
    }
}
