public import Audit
internal import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec
internal import Merkle

/// Writes every intact event of a damaged log to a file, which ``Import`` and ``ChainRestore`` read.
///
/// The file is JSON lines as in ``TransferFormat``, but a head line with `"salvaged"`, the damaged log's last position, begins a new
/// section after each gap. A section's roots are of a tree over its own events. An event without proof has `"unproved":true`.
public struct Salvage {
    /// The result of a salvage.
    public struct Summary: Hashable, Sendable {
        public let head: UInt64
        public let events: [ClosedRange<UInt64>]
        public let missing: [ClosedRange<UInt64>]
        /// Positions of events whose hashes are lost, so that only their form was checked.
        public let unproved: [ClosedRange<UInt64>]
    }

    private let remains: LogRemains
    private let origin: String
    private let write: ([UInt8]) throws -> Void

    /// - Parameter write: receives at most 1,024 events at a time.
    /// - Throws: ``AuditError/Code/occupied`` while a server has the log open; ``AuditError/Code/missing`` if nothing is left of the log.
    public init(of folder: AuditedFolder, write: @escaping ([UInt8]) throws -> Void) throws(AuditError) {
        let data = DataFolder(folder.path)
        // Taking the lock would create a file, and the disk may be read-only by now.
        if FileLock.isHeld(writerOf: data.log) == true {
            throw AuditError(.occupied, "a server holds \(folder.path).", remedy: "Stop it first, then try again.")
        }
        let signed = Self.checkpoint(of: data)
        do throws(EventLogError) { remains = try LogRemains(directory: data.log, headMin: signed?.size ?? 0) } catch {
            // Only a file that ends within its head is refused as damaged.
            throw error.code == .damaged ? Self.nothingLeft(error.detail, of: data) : AuditError(any: error)
        }
        if let signed, signed.size > 0, remains.head == 0 || remains.origin.map({ $0 != signed.origin.string }) ?? false {
            throw Self.nothingLeft("\(data.log) had the log \(signed.origin) with \(signed.size) events.", of: data)
        }
        origin = remains.origin ?? signed?.origin.string ?? ""
        self.write = write
    }

    private static func nothingLeft(_ what: String, of data: DataFolder) -> AuditError {
        AuditError(
            .missing, "nothing is left of the log: \(what)",
            remedy: "Restore the newest backup: mv \(data.path) \(data.path).damaged && greentea-audit restore --from BACKUPS/LAST --data "
                + "\(data.path); then put the keys back, as the runbook says at the end of The log is damaged.")
    }

    /// ``run(progress:)`` reads each of them twice.
    public var positions: UInt64 { remains.head }

    /// Calls `progress` with the number of reads so far, up to twice ``positions``.
    public func run(progress: (UInt64) -> Void = { _ in }) throws(AuditError) -> Summary {
        var (kept, missing, unproved) = (KeyRanges(), KeyRanges(), KeyRanges())
        remains.forEach { position, entry in
            if Self.record(entry, at: position) != nil { kept.append(position.rawValue) } else { missing.append(position.rawValue) }
            if case .unproved = entry, kept.ranges.last?.upperBound == position.rawValue { unproved.append(position.rawValue) }
            if position.rawValue % UInt64(TransferFormat.batchEvents) == 0 { progress(position.rawValue) }
        }
        do { try write(kept.ranges, progress) } catch { throw AuditError(any: error) }
        return Summary(head: remains.head, events: kept.ranges, missing: missing.ranges, unproved: unproved.ranges)
    }

    private func write(_ ranges: [ClosedRange<UInt64>], _ progress: (UInt64) -> Void) throws {
        if ranges.isEmpty { try write(head(after: 0, count: 0)) }
        var (rest, edge, bytes): (ArraySlice, TreeEdge, [UInt8]) = (ranges[...], TreeEdge(), [])
        var hashes: [TreeEntry] = []
        try remains.forEach { position, entry in
            let number = position.rawValue
            guard let range = rest.first, range.contains(number), let kept = Self.record(entry, at: position),
                let record = Record(kept.span)
            else { return }
            if number == range.lowerBound {
                edge = TreeEdge()
                bytes += head(after: number - 1, count: range.upperBound - range.lowerBound + 1)
            }
            hashes.removeAll(keepingCapacity: true)
            edge.append(kept, completing: &hashes)
            bytes += TransferLines.line(record, at: position, isProved: entry == .proved(kept))
            guard number == range.upperBound || edge.size.isMultiple(of: UInt64(TransferFormat.batchEvents)) else { return }
            bytes += TransferLines.line(root: edge.root, through: position)
            try write(bytes)
            bytes.removeAll(keepingCapacity: true)
            if number == range.upperBound { rest.removeFirst() }
            progress(remains.head + number)
        }
    }

    private func head(after: UInt64, count: UInt64) -> [UInt8] {
        TransferLines.line(TransferHead(after: after, count: count, origin: origin, salvaged: remains.head))
    }

    /// An unproved record must at least decode, because it may be of another table.
    private static func record(_ entry: LogRemains.Entry, at position: Position) -> [UInt8]? {
        switch entry {
        case .missing: nil
        case .proved(let bytes): bytes
        case .unproved(let bytes): decodes(bytes, at: position) ? bytes : nil
        }
    }

    private static func decodes(_ bytes: [UInt8], at position: Position) -> Bool {
        guard let record = Record(bytes.span) else { return false }
        return (try? LoyaltyCodec.decode(record, at: position)) != nil
    }

    /// Nil without a validly signed checkpoint.
    private static func checkpoint(of data: DataFolder) -> Checkpoint? {
        guard let key = VerifierKey(inFile: data.verifierKey), let bytes = FileManager.default.contents(atPath: data.checkpoint) else {
            return nil
        }
        return try? TrustPolicy(key).open(try SignedNote([UInt8](bytes))).checkpoint
    }
}

extension Salvage {
    /// The maximum number of ranges in a text.
    private static let rangesShownMax = 20

    /// Such as `501-510, 700`.
    public static func text(_ ranges: [ClosedRange<UInt64>]) -> String {
        let shown = ranges.prefix(rangesShownMax).map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
        let more = ranges.count - shown.count
        return shown.joined(separator: ", ") + (more > 0 ? " and \(more) more ranges" : "")
    }

    /// The number of positions.
    public static func count(_ ranges: [ClosedRange<UInt64>]) -> UInt64 { ranges.reduce(0) { $0 + $1.upperBound - $1.lowerBound + 1 } }
}
