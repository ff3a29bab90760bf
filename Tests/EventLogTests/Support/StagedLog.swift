import EventLog

/// The real log, read through its appender. Some events are stored and others only staged, and the log is reopened regularly.
final class StagedLog: ContractLog {
    private let sandbox: Sandbox
    private let options: EventLog.Options
    /// `commitsEvery` is the number of appends between two commits, and `reopensEvery` the number of commits between two openings. For 0,
    /// the log is never committed or never reopened.
    private let commitsEvery, reopensEvery: Int
    private var appends = 0
    private var log: EventLog?
    private var appender: Appender?

    init(_ sandbox: Sandbox, commitsEvery: Int, reopensEvery: Int, options: EventLog.Options) throws(EventLogError) {
        (self.sandbox, self.options) = (sandbox, options)
        (self.commitsEvery, self.reopensEvery) = (commitsEvery, reopensEvery)
        try open()
    }

    private func open() throws(EventLogError) {
        let log = try sandbox.open(options: options)
        appender = try log.appender()
        self.log = log
    }

    private var opened: Appender {
        get throws(EventLogError) {
            guard let appender else { throw EventLogError(.closed, "between two openings") }
            return appender
        }
    }

    func append(_ events: [NewEvent], unless condition: AppendCondition?) throws(EventLogError) -> ClosedRange<Position> {
        let range = try opened.stage(events, unless: condition)
        appends += 1
        if commitsEvery > 0, appends % commitsEvery == 0 { try opened.commit() }
        if reopensEvery > 0, appends % (commitsEvery * reopensEvery) == 0 { try reopen() }
        return range
    }

    func read(_ query: Query, after: Position, backwards: Bool, limit: Int) throws(EventLogError) -> ReadResult {
        try opened.read(query, after: after, backwards: backwards, limit: limit)
    }

    private func reopen() throws(EventLogError) {
        try log?.close()
        (log, appender) = (nil, nil)
        try open()
    }
}
