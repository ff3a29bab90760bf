internal import Crypto
internal import LMDB

/// SHA-256 over the canonical rows of one model.
///
/// ```
/// u32 length, name of the model   u32 schema version
/// for each table: u8 1   u32 length, name
///   for each row: u8 2   u32 length, key   u32 length, value
/// u8 0
/// ```
/// All numbers are little-endian. Every length stands before its bytes, so that no two contents give one stream.
struct ModelHasher {
    /// Bytes gathered before they are hashed: calls cost more than copies.
    private static let bufferBytes = 65_536

    private var hash = SHA256()
    private var buffer: [UInt8] = []
    private(set) var rows = 0

    init(model: String, schemaVersion: Int) {
        buffer.reserveCapacity(2 * Self.bufferBytes)
        append(Array(model.utf8).span)
        buffer.append(littleEndian: UInt32(schemaVersion))
    }

    mutating func begin(table: String) {
        buffer.append(1)
        append(Array(table.utf8).span)
    }

    mutating func add(key: Span<UInt8>, value: Span<UInt8>) {
        buffer.append(2)
        append(key)
        append(value)
        rows += 1
        if buffer.count >= Self.bufferBytes { flush() }
    }

    mutating func finish() -> [UInt8] {
        buffer.append(0)
        flush()
        return Array(hash.finalize())
    }

    private mutating func append(_ bytes: Span<UInt8>) {
        buffer.append(littleEndian: UInt32(bytes.count))
        buffer.append(copying: bytes)
    }

    private mutating func flush() {
        hash.update(data: buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}
