internal import Crypto
internal import LMDB
package import Projections
internal import ReadModels

/// SHA-256 over the canonical rows of one model.
///
/// ```
/// u32 length, name of the model   u32 schema version
/// for each table: u8 1   u32 length, name
///   for each row: u8 2   u32 length, key   u32 length, value
/// u8 0
/// ```
/// All numbers are little-endian. Every length precedes its bytes, so that different contents never result in the same bytes.
package struct ModelHasher {
    /// Each call of the hash function costs more than copying these bytes.
    private static let bufferBytes = 65_536

    private var hash = SHA256()
    private var buffer = [UInt8](repeating: 0, count: bufferBytes)
    private var filled = 0
    private(set) var rows = 0

    package init(model: String, schemaVersion: Int) {
        append(Array(model.utf8).span)
        append(UInt32(schemaVersion))
    }

    /// Begins the rows of a table.
    package mutating func begin(table: String) {
        append(UInt8(1))
        append(Array(table.utf8).span)
    }

    /// Adds a row to the table that was begun last.
    @inline(__always)
    package mutating func add(key: Span<UInt8>, value: Span<UInt8>) {
        append(UInt8(2))
        append(key)
        append(value)
        rows += 1
    }

    /// Adds the end mark, and returns the SHA-256.
    package mutating func finish() -> [UInt8] {
        append(UInt8(0))
        flush()
        return Array(hash.finalize())
    }

    /// Appends a length and bytes. Bytes that do not fit into the emptied buffer are hashed directly.
    @inline(__always)
    private mutating func append(_ bytes: Span<UInt8>) {
        append(UInt32(bytes.count))
        makeRoom(for: bytes.count)
        guard bytes.count <= Self.bufferBytes else { return hash.update(data: [UInt8](copying: bytes)) }
        let place = filled
        var buffer = buffer.mutableSpan
        buffer.store(copying: bytes, at: place)
        filled = place + bytes.count
    }

    @inline(__always)
    private mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
        makeRoom(for: MemoryLayout<Number>.size)
        let place = filled
        var buffer = buffer.mutableSpan
        buffer.store(littleEndian: number, at: place)
        filled = place + MemoryLayout<Number>.size
    }

    @inline(__always)
    private mutating func makeRoom(for count: Int) { if filled + count > Self.bufferBytes { flush() } }

    private mutating func flush() {
        hash.update(data: buffer[..<filled])
        filled = 0
    }
}

/// The expected rows of one table in key order, each computed when it is needed.
package struct CanonicalTable {
    package let name: String
    package let count: Int
    private let fill: (_ index: Int, _ row: inout CanonicalRow) -> Void

    init(_ name: String, count: Int, _ fill: @escaping (_ index: Int, _ row: inout CanonicalRow) -> Void) {
        (self.name, self.count, self.fill) = (name, count, fill)
    }

    /// - Parameter rows: in the order of their keys.
    @inline(__always)
    init<Row>(_ name: String, _ rows: [Row], _ fill: @escaping (Row, _ row: inout CanonicalRow) -> Void) {
        self.init(name, count: rows.count) { (index, row) in fill(rows[index], &row) }
    }

    /// Writes one row into the buffers.
    package func row(_ index: Int, into row: inout CanonicalRow) { fill(index, &row) }
}

/// Reused buffers for the key and the value of one row.
package struct CanonicalRow {
    package var key = RowKey(0)
    package var value: [UInt8] = []

    package init() {}

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
