internal import Audit
internal import Crypto
internal import Foundation
internal import LMDB

/// One table of a snapshot, for look-ups on one thread. Each block is compared with its digest before its rows are used.
///
/// It is no `BlockFile`, because SHA-256 also detects deliberate changes, and because the index has the first key of each block.
final class SortedTable {
    private static let digestAt = 12
    private static let keyAt = 44

    let rows: Int
    private let path: String
    private let keyBytes: Int
    private let index: [UInt8]
    private let file: FileHandle
    private var block: (number: Int, bytes: [UInt8]) = (-1, [])

    /// - Parameters:
    ///   - digest: the index's digest in hexadecimal, as in the manifest.
    ///   - keyBytes: the length of every key.
    init(_ path: String, digest: String, rows: Int, keyBytes: Int) throws(SnapshotFault) {
        (self.path, self.rows, self.keyBytes) = (path, rows, keyBytes)
        let name = (path as NSString).lastPathComponent
        guard let stored = FileManager.default.contents(atPath: path + ".index"), let file = FileHandle(forReadingAtPath: path) else {
            throw .unreadable(name)
        }
        (index, self.file) = ([UInt8](stored), file)
        guard SnapshotManifest.digest(index) == digest, index.count % (Self.keyAt + keyBytes) == 0 else { throw .changed(name + ".index") }
    }

    var blocks: Int { index.count / (Self.keyAt + keyBytes) }

    /// The value under a key; nil if there is none.
    func value(of key: [UInt8]) throws(SnapshotFault) -> [UInt8]? {
        var found: [UInt8]?
        let wanted = key.span
        try forEach(from: key) { (key, value) throws(SnapshotFault) in
            if KeyOrder.compare(key, wanted) == 0 {
                found = [UInt8](copying: value)
            }
            return false
        }
        return found
    }

    /// Calls `body` with the rows whose keys begin with a prefix, in key order.
    func forEach(
        under prefix: [UInt8], _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(SnapshotFault) -> Void
    ) throws(SnapshotFault) {
        let start = prefix + [UInt8](repeating: 0, count: max(0, keyBytes - prefix.count))
        let wanted = prefix.span
        try forEach(from: start) { (key, value) throws(SnapshotFault) in
            guard KeyOrder.compare(key.extracting(first: wanted.count), wanted) == 0 else { return false }
            try body(key, value)
            return true
        }
    }

    /// Calls `body` with rows in key order, from the first row whose key is not less than `start`, until `body` returns false.
    func forEach(
        from start: [UInt8], _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(SnapshotFault) -> Bool
    ) throws(SnapshotFault) {
        let wanted = start.span
        var number = self.block(before: wanted)
        while number < blocks {
            let bytes = try bytes(of: number)
            let span = bytes.span
            var offset = 0
            while offset < span.count {
                let (valueAt, end) = try bounds(span, offset)
                let key = span.extracting(offset..<(offset + keyBytes))
                offset = end
                if KeyOrder.compare(key, wanted) < 0 { continue }
                if try !body(key, span.extracting(valueAt..<end)) { return }
            }
            number += 1
        }
    }

    /// The last block whose first key is not greater than `key`, or 0.
    private func block(before key: Span<UInt8>) -> Int {
        let index = index
        let entries = index.span
        var (low, high) = (0, blocks)
        while high - low > 1 {
            let middle = (low + high) / 2
            let at = middle * (Self.keyAt + keyBytes) + Self.keyAt
            if KeyOrder.compare(entries.extracting(at..<(at + keyBytes)), key) <= 0 { low = middle } else { high = middle }
        }
        return low
    }

    /// The begin and end of a row's value.
    private func bounds(_ bytes: Span<UInt8>, _ offset: Int) throws(SnapshotFault) -> (Int, Int) {
        let valueAt = offset + keyBytes + 4
        guard bytes.count >= valueAt else { throw .changed(path) }
        let end = valueAt + Int(bytes.littleEndian32(at: valueAt - 4))
        guard end <= bytes.count else { throw .changed(path) }
        return (valueAt, end)
    }

    private func bytes(of number: Int) throws(SnapshotFault) -> [UInt8] {
        if block.number == number { return block.bytes }
        let entry = number * (Self.keyAt + keyBytes)
        let index = index
        let entries = index.span
        let (offset, length) = (entries.littleEndian64(at: entry), Int(entries.littleEndian32(at: entry + 8)))
        let name = (path as NSString).lastPathComponent
        guard (try? file.seek(toOffset: offset)) != nil, let data = try? file.read(upToCount: length), data.count == length else {
            throw .unreadable(name)
        }
        let bytes = [UInt8](data)
        let digest = index[(entry + Self.digestAt)..<(entry + Self.keyAt)]
        guard Array(SHA256.hash(data: bytes)) == Array(digest) else { throw .changed(name) }
        block = (number, bytes)
        return bytes
    }
}
