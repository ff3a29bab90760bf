import EventLog

/// The real log. Events are appended through a `LogWriter` with its two threads, and read through the public interface.
final class WrittenLog: ContractLog {
    let log: EventLog
    let writer: LogWriter

    init(_ log: EventLog) {
        self.log = log
        writer = LogWriter(log)
    }

    deinit { writer.stop() }

    func append(_ events: [NewEvent], unless condition: AppendCondition?) async throws(EventLogError) -> ClosedRange<Position> {
        try await writer.append(events, unless: condition)
    }

    func read(_ query: Query, after: Position, backwards: Bool, limit: Int) throws(EventLogError) -> ReadResult {
        try log.read(query, after: after, backwards: backwards, limit: limit)
    }
}
