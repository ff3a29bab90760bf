public import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec
public import Merkle

/// Writes events out, each with its exact bytes, and with roots by which another log can tell that they are the same.
public struct Export {
    /// What was written.
    public struct Summary: Hashable, Sendable {
        public let after: UInt64
        /// The last position written.
        public let head: UInt64
        public let root: NodeHash
    }

    private let log: EventLog
    private let format: TransferFormat
    private let origin: String
    private let write: ([UInt8]) throws -> Void

    /// - Parameters:
    ///   - origin: the log's name in checkpoints; empty where it has none.
    ///   - write: gets the bytes in order, some kilobytes at a time.
    public init(of log: EventLog, format: TransferFormat, origin: String = "", write: @escaping ([UInt8]) throws -> Void) {
        (self.log, self.format, self.origin, self.write) = (log, format, origin, write)
    }

    /// Writes all events behind a position, up to the head as it is now.
    ///
    /// - Throws: ``AuditError``; what writing throws comes as ``AuditError/Code/log``.
    public func run(after: Position = .start, progress: (UInt64) -> Void = { _ in }) throws(AuditError) -> Summary {
        do {
            let head = log.head
            guard after <= head else {
                throw AuditError(.input, "the log has \(head) events, not \(after).", remedy: "Name a position that it has.")
            }
            var edge = try TreeEdge(at: after.rawValue, of: log.tree)
            try write(self.head(TransferHead(after: after.rawValue, count: head.rawValue - after.rawValue, origin: origin)))
            var last = after
            while last < head {
                last = min(head, Position(last.rawValue + UInt64(TransferFormat.batchEvents)))
                try write(try batch(through: last, onto: &edge))
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

    private func batch(through last: Position, onto edge: inout TreeEdge) throws -> [UInt8] {
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
        bytes += format == .jsonl ? TransferLines.line(root: edge.root, through: last) : edge.root.bytes
        return bytes
    }
}
