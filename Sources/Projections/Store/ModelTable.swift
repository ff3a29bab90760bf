package import LMDB

/// One table of a read model: its name, the parts of its keys, and a description of its values.
///
/// The rows of a model's tables, table by table and in key order, are the model's canonical content. This content is a pure function of the
/// events up to the model's position, so it is the same on every machine and for every division of the events into batches. Digests and
/// comparisons use it.
public struct ModelTable: Sendable {
    /// The name under which the table is stored.
    public let name: String
    /// The parts of the key, in order.
    public let key: [KeyPart]
    /// Returns a description of a value in one line; nil if the bytes are not a value of this table.
    let describe: @Sendable (Span<UInt8>) -> String?

    package init(_ name: String, key: [KeyPart], describe: @escaping @Sendable (Span<UInt8>) -> String?) {
        self.name = name
        self.key = key
        self.describe = describe
    }

    /// The number of bytes of each key.
    package var keyBytes: Int { key.reduce(0) { $0 + $1.bytes } }

    /// A key as text, such as `shop_01…/acct_01…`; in hexadecimal digits if its length is wrong.
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

    /// A value as one line of text; in hexadecimal digits if the bytes are not a value of this table.
    public func text(value bytes: Span<UInt8>) -> String {
        describe(bytes) ?? "unreadable bytes " + RowText.hexadecimal(bytes)
    }
}

/// Reads and changes rows of one table in a transaction. It is fastest if the rows are changed in key order, because the next key is then
/// found without a search from the tree's root.
@available(*, noasync)
package struct RowWriter: ~Copyable, ~Escapable {
    private var cursor: WriteCursor
    private let model: String

    @_lifetime(copy cursor)
    init(_ cursor: consuming WriteCursor, of model: String) {
        self.cursor = cursor
        self.model = model
    }

    /// Calls `body` with the value that the row under a key has in the transaction, and returns the result; nil if there is no such row.
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

    /// Stores a row under a key, or replaces the row that exists under it.
    package mutating func put(_ key: RowKey, _ row: Span<UInt8>) throws(ReadModelError) {
        do {
            try cursor.put(key.bytes, row)
        } catch {
            throw ReadModelError(any: error, model: model)
        }
    }

    /// Removes a row, if it exists.
    package mutating func delete(_ key: RowKey) throws(ReadModelError) {
        do {
            _ = try cursor.delete(key.bytes)
        } catch {
            throw ReadModelError(any: error, model: model)
        }
    }
}

@available(*, noasync)
extension ModelStore {
    /// Returns a writer for one table's rows. While the writer exists, the transaction cannot be used in another way.
    @_lifetime(&transaction)
    package func writer(_ table: Table, in transaction: inout WriteTransaction) throws(ReadModelError) -> RowWriter {
        do {
            return RowWriter(try transaction.writeCursor(table), of: model)
        } catch {
            throw ReadModelError(any: error, model: model)
        }
    }
}
