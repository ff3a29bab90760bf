internal import LMDB
internal import Loyalty
internal import ReadModels

/// The rows that one table of a read model must have, in key order, made from a replayed state when they are asked for.
struct CanonicalTable {
    let name: String
    let count: Int
    private let fill: (_ index: Int, _ row: inout CanonicalRow) -> Void

    init(_ name: String, count: Int, _ fill: @escaping (_ index: Int, _ row: inout CanonicalRow) -> Void) {
        (self.name, self.count, self.fill) = (name, count, fill)
    }

    /// One row, in place of what the buffers held.
    func row(_ index: Int, into row: inout CanonicalRow) {
        fill(index, &row)
    }
}

/// Buffers for one row, used again for the next.
struct CanonicalRow {
    var key = RowKey(0)
    var value: [UInt8] = []

    mutating func set<Number: FixedWidthInteger & BitwiseCopyable>(_ key: RowKey, number: Number) {
        self.key = key
        value.setCount(MemoryLayout<Number>.size)
        var bytes = value.mutableSpan
        bytes.store(littleEndian: number, at: 0)
    }

    mutating func set(_ key: RowKey, id: UInt128) {
        self.key = key
        value.setCount(16)
        var bytes = value.mutableSpan
        bytes.store(bigEndian: id, at: 0)
    }
}
