package import LMDB

/// The continuation of a walk after a row.
package enum WalkStep: Sendable {
    case next
    /// The first row at or after a key.
    case seek(RowKey)
    case end
}

/// Reads the rows of one id.
extension ModelStore {
    private static let idBytes = 16

    /// Newest first, until `body` returns false. Only positions below `before` are visited; nil for all.
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
            throw wrapped(error)
        }
    }

    /// Oldest first, until `body` returns false.
    package func ascend(
        _ table: Table, of id: UInt128, in snapshot: borrowing Snapshot,
        _ body: (_ position: UInt64, _ value: Span<UInt8>) throws(ReadModelError) -> Bool
    ) throws(ReadModelError) {
        let start = RowKey(id, position: 0)
        try walk(table, of: id, from: start, keyBytes: Self.idBytes + 8, in: snapshot) { (key, value) throws(ReadModelError) in
            try body(Self.position(key), value) ? .next : .end
        }
    }

    /// - Parameters:
    ///   - start: the key at or after which the walk begins; the id, or a key that begins with it.
    ///   - keyBytes: the length of the table's keys.
    package func walk(
        _ table: Table, of id: UInt128, from start: RowKey, keyBytes: Int, in snapshot: borrowing Snapshot,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(ReadModelError) -> WalkStep
    ) throws(ReadModelError) {
        do {
            var cursor = try snapshot.cursor(table)
            var goesOn = try cursor.seek(start.bytes)
            while goesOn, cursor.key.count == keyBytes, cursor.key.bigEndian128(at: 0) == id {
                switch try body(cursor.key, cursor.value) {
                case .next: goesOn = try cursor.next()
                case .seek(let key): goesOn = try cursor.seek(key.bytes)
                case .end: goesOn = false
                }
            }
        } catch {
            throw wrapped(error)
        }
    }

    private static func position(_ key: Span<UInt8>) -> UInt64 {
        UInt64(truncatingIfNeeded: key.extracting(droppingFirst: 8).bigEndian128(at: 0))
    }
}
