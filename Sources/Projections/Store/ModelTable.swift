package import LMDB

/// One table of a read model: its name, the parts of its keys, and a description of its values.
///
/// All rows, table by table in key order, are the model's canonical content, which digests and comparisons use.
public struct ModelTable: Sendable {
    public let name: String
    public let key: [KeyPart]
    let describe: @Sendable (Span<UInt8>) -> String?

    package init(_ name: String, key: [KeyPart], describe: @escaping @Sendable (Span<UInt8>) -> String?) {
        (self.name, self.key, self.describe) = (name, key, describe)
    }

    package var keyBytes: Int { key.reduce(0) { $0 + $1.bytes } }

    /// Such as `shop_01…/acct_01…`; hexadecimal if the length is wrong.
    public func text(key bytes: Span<UInt8>) -> String {
        guard bytes.count == keyBytes else { return "unreadable key " + RowText.hexadecimal(bytes) }
        var parts: [String] = []
        var offset = 0
        for part in key {
            parts.append(part.text(bytes, at: offset))
            offset += part.bytes
        }
        return parts.joined(separator: "/")
    }

    /// One line; hexadecimal if it is not a value of this table.
    public func text(value bytes: Span<UInt8>) -> String { describe(bytes) ?? "unreadable bytes " + RowText.hexadecimal(bytes) }
}

/// Reads and changes rows of one table in a transaction. Fastest in key order, which avoids searches from the root.
@available(*, noasync)
package struct RowWriter: ~Copyable, ~Escapable {
    private var cursor: WriteCursor
    private let model: String

    @_lifetime(copy cursor)
    init(_ cursor: consuming WriteCursor, of model: String) {
        self.cursor = cursor
        self.model = model
    }

    /// Calls `body` with the value under a key; nil if there is no row.
    package mutating func value<Result>(
        _ key: RowKey, _ body: (Span<UInt8>) throws(ReadModelError) -> Result
    ) throws(ReadModelError) -> Result? {
        do {
            guard let row = try cursor.get(key.bytes) else { return nil }
            return try body(row)
        } catch {
            throw ReadModelError(any: error, model: model)
        }
    }

    /// Stores or replaces a row.
    package mutating func put(_ key: RowKey, _ row: Span<UInt8>) throws(ReadModelError) {
        do { try cursor.put(key.bytes, row) } catch { throw ReadModelError(any: error, model: model) }
    }

    /// Removes a row, if it exists.
    package mutating func delete(_ key: RowKey) throws(ReadModelError) {
        do { _ = try cursor.delete(key.bytes) } catch { throw ReadModelError(any: error, model: model) }
    }
}

@available(*, noasync)
extension ModelStore {
    /// It has exclusive use of the transaction.
    @_lifetime(&transaction)
    package func writer(_ table: Table, in transaction: inout WriteTransaction) throws(ReadModelError) -> RowWriter {
        do { return RowWriter(try transaction.writeCursor(table), of: model) } catch { throw ReadModelError(any: error, model: model) }
    }
}
