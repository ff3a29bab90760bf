package import LMDB

/// Walking the rows of one thing in the order of the log; their keys are the thing's id and a position.
extension ModelStore {
    private static let idBytes = 16

    /// From the newest to the oldest, as long as `body` says to go on.
    ///
    /// - Parameter before: exclusive; nil begins with the newest.
    package func descend(
        _ table: Table, of id: UInt128, before: UInt64?, in snapshot: borrowing Snapshot,
        _ body: (_ position: UInt64, _ value: Span<UInt8>) throws(ReadModelError) -> Bool
    ) throws(ReadModelError) {
        do {
            var cursor = try snapshot.cursor(table)
            // The first row at or after the bound; before it stands the newest one wanted. Beyond the end, the last row does.
            let bound = RowKey(id, position: before ?? .max)
            var goesOn = try cursor.seek(bound.bytes) ? cursor.previous() : cursor.last()
            while goesOn, cursor.key.count == Self.idBytes + 8, cursor.key.bigEndian128(at: 0) == id {
                goesOn = try body(Self.position(cursor.key), cursor.value) && cursor.previous()
            }
        } catch {
            throw ReadModelError(any: error, model: model)
        }
    }

    /// Visits the rows from the oldest to the newest until `body` returns false.
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
