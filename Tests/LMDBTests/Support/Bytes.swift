import LMDB

extension Span where Element == UInt8 {
    /// A copy of the bytes, which can be compared and kept.
    var array: [UInt8] { indices.map { self[$0] } }

    var text: String { String(decoding: array, as: UTF8.self) }
}

extension String {
    var bytes: [UInt8] { Array(utf8) }
}

extension Snapshot {
    func text(_ table: Table, _ key: String) throws -> String? {
        let value = try get(table, key.bytes)
        guard let value else { return nil }
        return value.text
    }

    func text(_ table: Table, _ key: UInt64) throws -> String? {
        let value = try get(table, key)
        guard let value else { return nil }
        return value.text
    }
}
