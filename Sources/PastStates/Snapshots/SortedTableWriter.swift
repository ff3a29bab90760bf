internal import Crypto
internal import Foundation
internal import LMDB

/// Writes the rows of one table, in key order, into a file of blocks, and an index beside it.
///
/// ```
/// NAME         blocks, each of rows:  key   u32 length, value
/// NAME.index   for each block:  u64 offset   u32 length   SHA-256 of the block   its first key
/// ```
/// Numbers are little-endian. All keys of a table have the same length.
struct SortedTableWriter {
    /// A look-up reads and hashes about this many bytes.
    static let blockBytes = 32_768

    private let path: String
    private let file: FileHandle
    private let keyBytes: Int
    private var block: [UInt8] = []
    private var index: [UInt8] = []
    private var offset: UInt64 = 0
    private(set) var rows = 0

    /// The index is in memory until ``finish()`` writes its file.
    init(_ path: String, keyBytes: Int) throws {
        (self.path, self.keyBytes) = (path, keyBytes)
        try Data().write(to: URL(fileURLWithPath: path))
        file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        block.reserveCapacity(2 * Self.blockBytes)
    }

    mutating func add(key: Span<UInt8>, value: Span<UInt8>) throws {
        if block.count >= Self.blockBytes { try endBlock() }
        block.append(copying: key)
        block.append(littleEndian: UInt32(value.count))
        block.append(copying: value)
        rows += 1
    }

    /// Makes both files durable. Returns the SHA-256 of the index, in hexadecimal.
    mutating func finish() throws -> String {
        if !block.isEmpty { try endBlock() }
        try file.synchronize()
        try file.close()
        try Data(index).write(to: URL(fileURLWithPath: path + ".index"))
        try DurableNames.flush(path + ".index")
        return SnapshotManifest.digest(index)
    }

    private mutating func endBlock() throws {
        index.append(littleEndian: offset)
        index.append(littleEndian: UInt32(block.count))
        index.append(contentsOf: Array(SHA256.hash(data: block)))
        index.append(contentsOf: block.prefix(keyBytes))
        try file.write(contentsOf: Data(block))
        offset += UInt64(block.count)
        block.removeAll(keepingCapacity: true)
    }
}
