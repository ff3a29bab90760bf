public import Audit
public import EventLog
internal import LMDB
public import Loyalty
internal import LoyaltyCodec
internal import Merkle

extension EventListing {
    /// Calls `body` with each selected event before the first damage in a log, until `body` returns false.
    ///
    /// The file is read without the storage engine, and each record is compared with its hash in the tree.
    ///
    /// - Returns: the last position that could be compared, or at which `body` returned false.
    /// - Throws: ``AuditError`` if the file cannot be opened at all; an error of `body`.
    public func forEachSound(in folder: AuditedFolder, _ body: (Fact) throws -> Bool) throws -> Position {
        let log: LogFile
        do throws(EventLogError) { log = try LogFile(directory: DataFolder(folder.path).log) } catch { throw AuditError(any: error) }
        defer { log.letGo() }
        var records = SoundRecords(of: log)
        let through = bound.through(log.head)
        while records.last < through, let next = records.next() {
            guard let record = Record(next.bytes.span), !bound.ends(before: record) else { return records.last }
            guard selects(record) else { continue }
            guard let fact = try? LoyaltyCodec.decode(record, at: next.position), try body(fact) else { return records.last }
        }
        return records.last
    }
}

/// The records of a log's file, up to the first that cannot be read or that differs from its hash.
private struct SoundRecords {
    private(set) var last = Position.start
    private var events: FileCursor?
    private var hashes: FileCursor?
    private let hashed: UInt64
    private var hasher = TreeHasher()

    init(of log: LogFile) {
        events = log.events.map { FileCursor($0, in: log.file) }
        hashes = log.tree.map { FileCursor($0, in: log.file) }
        hashed = log.tree?.entries ?? 0
    }

    mutating func next() -> (position: Position, bytes: [UInt8])? {
        let position = last.rawValue + 1
        guard let record = Self.value(at: position, in: &events) else { return nil }
        if position <= hashed {
            guard let stored = Self.value(at: position, in: &hashes) else { return nil }
            guard stored.starts(with: hasher.leaf(record).bytes) else { return nil }
        }
        last = Position(position)
        return (last, record)
    }

    private static func value(at position: UInt64, in cursor: inout FileCursor?) -> [UInt8]? {
        var bytes: [UInt8] = []
        guard (try? cursor?.next()) == true, cursor?.key == position, (try? cursor?.value(into: &bytes)) != nil else { return nil }
        return bytes
    }
}
