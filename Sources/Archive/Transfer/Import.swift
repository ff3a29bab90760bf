public import Audit
public import EventLog
public import Merkle

/// Appends exported events to a log that ends just before the first of them, with the same positions, bytes and tree roots.
///
/// A batch is stored only if the tree root after it equals the export's. After a faulty batch, another import resumes there.
public struct Import {
    /// The result of an import.
    public struct Summary: Hashable, Sendable {
        public let events: UInt64
        public let head: UInt64
        public let root: NodeHash
        /// Positions that neither this log nor the salvaged file has.
        public var lost: [ClosedRange<UInt64>] = []
        /// Positions of salvaged events behind lost ones, which were not imported.
        public var left: [ClosedRange<UInt64>] = []
    }

    private let open: (String?) throws -> EventLog

    /// - Parameter log: a log opened for writing, whose appender nothing else uses.
    public init(into log: EventLog) { open = { _ in log } }

    /// - Parameter open: opens the log for writing once the input's head was found valid. A new log MUST take the name that it receives,
    ///   because checkpoints and receipts contain it; nil for a log without a name.
    public init(opening open: @escaping (String?) throws -> EventLog) { self.open = open }

    /// Appends the events of an export, or those of a salvaged file that follow without a gap.
    ///
    /// - Parameters:
    ///   - end: the last position to import; nil to import all.
    ///   - read: returns at most the requested number of the next bytes; none at the end.
    /// - Throws: ``AuditError/Code/input`` for input that is not an export, or that does not begin just after this log's last position.
    public func run(
        through end: UInt64? = nil, progress: (UInt64) -> Void = { _ in }, read: @escaping (Int) throws -> [UInt8]
    ) throws(AuditError) -> Summary {
        do {
            var reader = try TransferReader(read)
            let log = try open(reader.head.origin.isEmpty ? nil : reader.head.origin)
            if reader.head.salvaged != nil { return try appendSalvaged(&reader, to: log, progress) }
            let first = log.head
            guard reader.head.after == first.rawValue else {
                let detail = "the events come after position \(reader.head.after), and the log's head is \(first)."
                throw AuditError(.input, detail, remedy: "Export with --after \(first), or import into a new folder.")
            }
            let appender = try log.appender()
            var edge = try TreeEdge(at: first.rawValue, of: log.tree)
            reader.imported = first.rawValue
            while log.head.rawValue < end ?? .max, let batch = try reader.next() {
                try append(batch, through: end, appender, &edge, reader)
                reader.imported = log.head.rawValue
                progress(log.head.rawValue)
            }
            guard log.head.rawValue - first.rawValue == reader.head.count || log.head.rawValue == end else {
                throw reader.wrong("not \(reader.head.count) events, as the head says")
            }
            return Summary(events: log.head.rawValue - first.rawValue, head: log.head.rawValue, root: try log.root(through: log.head))
        } catch { throw AuditError(any: error) }
    }

    private func append(
        _ batch: TransferReader.Batch, through end: UInt64?, _ appender: Appender, _ edge: inout TreeEdge, _ reader: TransferReader
    ) throws {
        var grown = edge
        var (hashes, events): ([TreeEntry], [NewEvent]) = ([], [])
        for bytes in batch.records {
            grown.append(bytes, completing: &hashes)
            let event = try Self.event(bytes, at: grown.size, reader)
            if grown.size <= end ?? .max { events.append(event) }
        }
        guard grown.root.hex == batch.root else { throw reader.wrong("the events up to \(grown.size) do not lead to this root") }
        guard !events.isEmpty else { return }
        try appender.stage(events)
        try appender.commit()
        edge = grown
    }

    /// Refuses bytes in any but the one form that a record has.
    static func event(_ bytes: [UInt8], at position: UInt64, _ reader: TransferReader) throws -> NewEvent {
        guard let record = Record(bytes.span) else { throw reader.wrong("event \(position) is no record") }
        let event = record.event
        var again: [UInt8] = []
        try RecordEncoder.append(event, to: &again)
        guard again == bytes else { throw reader.wrong("event \(position) is not in the one form that a record has") }
        return event
    }
}
