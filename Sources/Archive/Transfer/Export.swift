public import Audit
public import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec
public import Merkle

/// Exports the exact bytes of events, with roots of the Merkle tree, by which the importing log can verify the events.
public struct Export {
    /// The result of an export.
    public struct Summary: Hashable, Sendable {
        public let after: UInt64
        public let head: UInt64
        public let root: NodeHash
    }

    private let log: EventLog
    private let format: TransferFormat
    private let origin: String?
    private let write: ([UInt8]) throws -> Void

    /// - Parameters:
    ///   - origin: the log's name in checkpoints; nil for the stored name, if there is one.
    ///   - write: receives the head, and then at most 1,024 events at a time.
    public init(of log: EventLog, format: TransferFormat, origin: String? = nil, write: @escaping ([UInt8]) throws -> Void) {
        (self.log, self.format, self.origin, self.write) = (log, format, origin, write)
    }

    /// Exports all events after a position, up to the present head.
    ///
    /// Each record is compared with its hash in the tree. Otherwise a changed record would get a root that makes it look intact.
    ///
    /// - Throws: ``AuditError/Code/input`` if the log does not reach `after`; ``AuditError/Code/damaged`` with the position of a changed
    ///   record, after the batches before it were written. An error of `write` becomes ``AuditError/Code/log`` unless it is an
    ///   ``AuditError``.
    public func run(after: Position = .start, progress: (UInt64) -> Void = { _ in }) throws(AuditError) -> Summary {
        do {
            let head = log.head
            guard after <= head else {
                throw AuditError(.input, "the log has \(head) events, not \(after).", remedy: "Name a position that it has.")
            }
            var edge = try TreeEdge(at: after.rawValue, of: log.tree)
            let hashed = try log.tree.storedSize()
            let name = try origin ?? log.givenName() ?? ""
            try write(self.head(TransferHead(after: after.rawValue, count: head.rawValue - after.rawValue, origin: name)))
            var last = after
            while last < head {
                last = min(head, Position(last.rawValue + UInt64(TransferFormat.batchEvents)))
                try write(try batch(through: last, onto: &edge, hashed: hashed))
                progress(last.rawValue)
            }
            if format == .binary { try write([0, 0, 0, 0]) }
            return Summary(after: after.rawValue, head: head.rawValue, root: edge.root)
        } catch { throw AuditError(any: error) }
    }

    private func head(_ head: TransferHead) -> [UInt8] {
        if format == .jsonl { return TransferLines.line(head) }
        var bytes = TransferFormat.magic
        bytes.append(littleEndian: TransferFormat.version)
        bytes.append(littleEndian: UInt16(head.origin.utf8.count))
        bytes += head.origin.utf8
        bytes.append(littleEndian: head.after)
        bytes.append(littleEndian: head.count)
        return bytes
    }

    /// Later events than `hashed` may have no stored hash.
    private func batch(through last: Position, onto edge: inout TreeEdge, hashed: UInt64) throws -> [UInt8] {
        var bytes: [UInt8] = []
        if format == .binary { bytes.append(littleEndian: UInt32(last.rawValue - edge.size)) }
        var hashes: [TreeEntry] = []
        try log.scan(after: Position(edge.size), through: last) { position, record in
            edge.append(record.bytes, completing: &hashes)
            if format == .jsonl {
                bytes += TransferLines.line(record, at: position)
            } else {
                bytes.append(littleEndian: UInt16(record.bytes.count))
                bytes.append(copying: record.bytes)
            }
            return true
        }
        try require(hashes, storedUpTo: hashed)
        bytes += format == .jsonl ? TransferLines.line(root: edge.root, through: last) : edge.root.bytes
        return bytes
    }

    private func require(_ hashes: [TreeEntry], storedUpTo size: UInt64) throws {
        var position: UInt64 = 0
        for entry in hashes {
            if entry.level == 0 { position = entry.index + 1 }
            if position > size { return }
            guard try log.tree.hash(level: entry.level, index: entry.index) == entry.hash else {
                throw AuditError.changedRecord(at: Position(position))
            }
        }
    }
}

/// The two formats for exporting events from one log and importing them into another one, byte for byte.
///
/// Binary, numbers little-endian:
/// ```
/// 16 bytes  "GreenTea events\n"   u16 version = 1   u16 length, origin (UTF-8, may be empty)
/// u64 after: the position before the first event   u64 count of events
/// for each batch: u32 count, 1 to 1,024   for each record: u16 length, bytes   32 bytes: the root of the tree through this batch
/// u32 0
/// ```
/// The roots are those of the whole log's tree. With them, an import verifies the events' bytes, and that the importing log ends just
/// before the first event.
///
/// JSON lines: `{"format":"greentea-events","version":1,"after":N,"count":N,"origin":"…"}`. Then, for each event, a line with the fields
/// that `greentea-replay` prints, and with `"record"`, the event's bytes as base64. After every 1,024 events and at the end,
/// `{"through":N,"root":"<hex>"}`.
public enum TransferFormat: String, Sendable, CaseIterable {
    case binary
    case jsonl

    static let magic = Array("GreenTea events\n".utf8)
    static let version: UInt16 = 1
    /// The maximum number of events between two roots, which an import stores in one batch.
    static let batchEvents = 1_024
    static let jsonName = "greentea-events"
}

struct TransferHead: Hashable, Sendable {
    let after: UInt64
    let count: UInt64
    let origin: String
    var salvaged: UInt64?
}
