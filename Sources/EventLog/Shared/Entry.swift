internal import Crypto
internal import LMDB
package import Merkle

/// The events of one append to a shared log, sealed by a node of the cluster.
///
/// ```
///  0 u8  format = 1     1 three zeros      4 u32 number of records
///  8 u64 term          16 u64 first position
/// 24 root before, 32 bytes                56 root after, 32 bytes
/// 88 for each record: u16 length, bytes
///  … HMAC-SHA256 of everything before, 32 bytes
/// ```
/// Numbers are little-endian. The roots tie an entry to the whole history before it, so that it fits nowhere else.
package struct Entry: Sendable {
    /// As stored.
    package let bytes: [UInt8]
    /// The term of the writer that appended it.
    package let term: UInt64
    /// The tree's root before the first record, and after the last.
    package let before, after: NodeHash
    /// The records; without hashes if the entry was read.
    let batch: EncodedBatch

    package var first: Position { batch.first }
    package var last: Position { batch.last }

    private static let format: UInt8 = 1
    private static let countAt = 4, termAt = 8, firstAt = 16, beforeAt = 24, afterAt = 56, recordsAt = 88
    /// The bytes beside the records, and beside each record.
    static let sealBytes = recordsAt + EntryKey.codeBytes, lengthBytes = 2
    /// No node seals an entry with more bytes: this one would have only records without tags and payload.
    static let bytesMax =
        sealBytes + LogLimits.sharedBatchBytesMax + lengthBytes * (LogLimits.sharedBatchBytesMax / RecordLayout.tagsAt)

    /// Seals a batch. Traps if the batch is empty, or has no root.
    ///
    /// - Parameter after: nil for the batch's own root.
    init(_ batch: EncodedBatch, term: UInt64, before: NodeHash, after: NodeHash? = nil, key: EntryKey) {
        guard !batch.isEmpty, let after = after ?? batch.root else { preconditionFailure("a batch without events or without its root") }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.sealBytes + batch.byteCount + Self.lengthBytes * batch.count)
        bytes.append(contentsOf: [Self.format, 0, 0, 0])
        bytes.append(littleEndian: UInt32(batch.count))
        bytes.append(littleEndian: term)
        bytes.append(littleEndian: batch.first.rawValue)
        before.append(to: &bytes)
        after.append(to: &bytes)
        for index in 0..<batch.count {
            bytes.append(littleEndian: UInt16(batch.record(index).count))
            bytes.append(copying: batch.record(index))
        }
        bytes.append(contentsOf: key.code(of: bytes[...]))
        (self.bytes, self.term, self.before, self.after, self.batch) = (bytes, term, before, after, batch)
    }

    /// Reads the bytes of an entry, which may come from anywhere.
    ///
    /// - Throws: ``EventLogError`` `.formatTooNew`; `.logMismatch` for bytes that no node of this cluster has sealed for this log.
    package init(_ bytes: [UInt8], key: EntryKey) throws(EventLogError) {
        if let format = bytes.first, SharedFormat.isLater(format, than: Self.format) {
            throw EventLogError(.formatTooNew, "an entry of the shared log has format \(format), this program knows \(Self.format).")
        }
        let end = bytes.count - EntryKey.codeBytes
        guard end >= Self.recordsAt, bytes.count <= Self.bytesMax, key.isCode(bytes[end...], of: bytes[..<end]) else {
            throw EventLogError(.logMismatch, "an entry of the shared log was not sealed with this cluster's secret for this log.")
        }
        let view = bytes.span
        guard let before = NodeHash(view.extracting(Self.beforeAt..<Self.afterAt)),
            let after = NodeHash(view.extracting(Self.afterAt..<Self.recordsAt)),
            let batch = Self.records(view.extracting(..<end))
        else { throw EventLogError(.logMismatch, "an entry of the shared log is sealed, but has another layout.") }
        (self.bytes, self.before, self.after, self.batch) = (bytes, before, after, batch)
        term = view.littleEndian64(at: Self.termAt)
    }

    /// The first position of stored bytes, unchecked; nil if they are no entry's.
    package static func first(in bytes: [UInt8]) -> Position? {
        guard bytes.count > recordsAt, bytes[0] == format else { return nil }
        return Position(bytes.span.littleEndian64(at: firstAt))
    }

    /// The last position of stored bytes, unchecked; nil if they are no entry's.
    package static func last(in bytes: [UInt8]) -> Position? {
        guard bytes.count > recordsAt, bytes[0] == format else { return nil }
        let view = bytes.span
        return Position(view.littleEndian64(at: firstAt) &- 1 &+ UInt64(view.littleEndian32(at: countAt)))
    }

    /// The records after a position, if they are not all.
    ///
    /// - Parameter root: the tree's root through the position. ``after`` proves the records before it, too.
    func rest(after position: Position, root: NodeHash) -> Entry {
        Entry(bytes: bytes, term: term, before: root, after: after, batch: batch.rest(after: position))
    }

    private init(bytes: [UInt8], term: UInt64, before: NodeHash, after: NodeHash, batch: EncodedBatch) {
        (self.bytes, self.term, self.before, self.after, self.batch) = (bytes, term, before, after, batch)
    }

    private static func records(_ bytes: Span<UInt8>) -> EncodedBatch? {
        let first = Position(bytes.littleEndian64(at: firstAt)), count = Int(bytes.littleEndian32(at: countAt))
        let bytesLeft = bytes.count - recordsAt
        guard first > .start, first.rawValue < .max - UInt64(count), count > 0, count <= bytesLeft / lengthBytes else { return nil }
        var batch = EncodedBatch(first: first, count: count, bytes: bytesLeft)
        var at = recordsAt
        for _ in 0..<count {
            guard at + lengthBytes <= bytes.count else { return nil }
            let begin = at + lengthBytes
            at = begin + Int(bytes.littleEndian16(at: at))
            guard at <= bytes.count else { return nil }
            batch.append(record: bytes.extracting(begin..<at))
        }
        return at == bytes.count ? batch : nil
    }
}

extension Entry {
    /// Calls `body` with each record whose format this program knows, in order.
    package func eachRecord(_ body: (Position, borrowing Record) -> Void) {
        for index in 0..<batch.count {
            if let record = Record(batch.record(index)) { body(Position(first.rawValue + UInt64(index)), record) }
        }
    }
}

extension Entry: CustomStringConvertible {
    package var description: String { "the entry of \(first) to \(last) in term \(term)" }
}

/// The key that seals the entries of one log.
package struct EntryKey: Sendable {
    static let codeBytes = 32

    private let key: SymmetricKey

    /// Derives the key.
    ///
    /// - Parameters:
    ///   - secret: shared by all nodes of the cluster, derived from their root secret for this purpose alone.
    ///   - origin: the log's name, so that the entries of another log of the same cluster are refused.
    package init(secret: [UInt8], log origin: String) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret), info: Array(origin.utf8), outputByteCount: Self.codeBytes)
    }

    func code(of bytes: ArraySlice<UInt8>) -> [UInt8] { Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key)) }

    /// Takes the same time for any wrong code.
    func isCode(_ code: ArraySlice<UInt8>, of bytes: ArraySlice<UInt8>) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: bytes, using: key)
    }
}
