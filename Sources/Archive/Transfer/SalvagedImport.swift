internal import Audit
internal import EventLog
internal import Merkle

extension Import {
    /// Appends the events of a salvaged file that follow the log's last event without a gap. Events that the log has already are compared
    /// with it. Events behind a gap are read and checked, but not appended, because a log has no gaps.
    func appendSalvaged(_ reader: inout TransferReader, to log: EventLog, _ progress: (UInt64) -> Void) throws -> Summary {
        let (first, end) = (log.head.rawValue, reader.head.salvaged ?? 0)
        let appender = try log.appender()
        var sections: [ClosedRange<UInt64>] = []
        repeat {
            let section = reader.head
            guard section.after >= sections.last?.upperBound ?? 0, section.after <= end, section.count <= end - section.after else {
                throw reader.wrong("a section of \(section.count) events after position \(section.after)")
            }
            let follows = section.after <= log.head.rawValue
            var edge = TreeEdge()
            while let batch = try reader.next() {
                let position = section.after + edge.size + 1
                try Self.check(batch, from: position, onto: &edge, reader)
                if follows { try append(batch, from: position, to: log, appender, reader) }
                progress(section.after + edge.size)
            }
            guard edge.size == section.count else { throw reader.wrong("not \(section.count) events, as the head says") }
            if section.count > 0 { sections.append(section.after + 1...section.after + section.count) }
        } while reader.nextSection()
        let head = log.head.rawValue
        let left = sections.filter { $0.lowerBound > head }
        return Summary(
            events: head - first, head: head, root: try log.root(through: log.head), lost: Self.gaps(in: left, after: head, through: end),
            left: left)
    }

    /// Compares the root of the section's own tree after a batch with the root that the file states.
    private static func check(
        _ batch: TransferReader.Batch, from position: UInt64, onto edge: inout TreeEdge, _ reader: TransferReader
    ) throws {
        var hashes: [TreeEntry] = []
        for bytes in batch.records { edge.append(bytes, completing: &hashes) }
        guard batch.first ?? position == position else { throw reader.wrong("event \(batch.first ?? 0) in the place of event \(position)") }
        guard edge.root.hex == batch.root else { throw reader.wrong("the events from \(position) on do not lead to this root") }
    }

    private func append(
        _ batch: TransferReader.Batch, from first: UInt64, to log: EventLog, _ appender: Appender, _ reader: TransferReader
    ) throws {
        let head = log.head.rawValue
        var (events, hasher): ([NewEvent], TreeHasher) = ([], TreeHasher())
        for (index, bytes) in batch.records.enumerated() {
            let position = first + UInt64(index)
            if position > head {
                events.append(try Self.event(bytes, at: position, reader))
            } else if !batch.unproved.contains(index), try log.tree.hash(level: 0, index: position - 1) != hasher.leaf(bytes) {
                throw AuditError(
                    .input, "event \(position) is another one in the log: the salvaged events are of another log.",
                    remedy: "Take a backup of the log that the events were salvaged from.")
            }
        }
        guard !events.isEmpty else { return }
        try appender.stage(events)
        try appender.commit()
    }

    private static func gaps(in ranges: [ClosedRange<UInt64>], after head: UInt64, through end: UInt64) -> [ClosedRange<UInt64>] {
        var (gaps, last): ([ClosedRange<UInt64>], UInt64) = ([], head)
        for range in ranges {
            if range.lowerBound > last + 1 { gaps.append(last + 1...range.lowerBound - 1) }
            last = range.upperBound
        }
        return last < end ? gaps + [last + 1...end] : gaps
    }
}
