/// The result of ``LogWriter/decide(on:newest:attempts:_:)``.
public struct DecisionResult: Hashable, Sendable {
    /// The appended events; nil if there were none.
    public let positions: ClosedRange<Position>?
    /// The position through which the decision is valid: the last appended event, or the head of its read. A read model at this position
    /// shows the decision's effects.
    public let head: Position

    init(appended positions: ClosedRange<Position>) { (self.positions, head) = (positions, positions.upperBound) }

    init(nothingAt head: Position) { (positions, self.head) = (nil, head) }
}

extension LogWriter {
    /// Reads the events that match a query, calls `decide` with them, and appends the events that it returns.
    ///
    /// If a matching event was appended meanwhile, nothing is appended, and `decide` is called again with the new ones too. The query is
    /// the consistency boundary: the decision depends on all matching events, and on nothing else in the log. There is no pause between
    /// attempts.
    ///
    /// - Parameters:
    ///   - query: the events that the decision depends on.
    ///   - newest: the maximum number to read, newest first; at least 0. The decision conflicts with every new match in any case.
    ///   - attempts: the maximum number of decisions, at least 1.
    ///   - decide: gets the events, oldest first, and returns those to append, perhaps none. It is called once per attempt, so it MUST be a
    ///     pure function. An error that it throws ends the attempts.
    /// - Returns: the result, once the new events, if any, are on disk.
    /// - Throws: errors of `decide`; ``EventLogError`` `.contended` if the last attempt also met a conflict; `.invalidQuery`, also for
    ///   `newest` or `attempts` out of range; `CancellationError` if cancelled between two attempts; the errors of ``append(_:unless:)``
    ///   and of a read.
    @discardableResult
    public func decide(
        on query: Query, newest: Int = .max, attempts: Int = LogLimits.decisionAttemptsMax,
        _ decide: ([SequencedEvent]) throws -> [NewEvent]
    ) async throws -> DecisionResult {
        try await repeatedly(on: query, newest: newest, attempts: attempts) { known in try decide(known) }
    }

    /// An asynchronous decision, for tests that append events between the read and the decision.
    @discardableResult
    package func repeatedly(
        on query: Query, newest: Int = .max, attempts: Int = LogLimits.decisionAttemptsMax,
        _ decide: ([SequencedEvent]) async throws -> [NewEvent]
    ) async throws -> DecisionResult {
        guard newest >= 0 else { throw EventLogError(.invalidQuery, "a decision on the newest \(newest) events; it must be at least 0.") }
        var known: [SequencedEvent] = []
        var (head, last) = (Position.start, EventLogError(.invalidQuery, "\(attempts) attempts at a decision; it must be at least 1."))
        for attempt in 0..<max(0, attempts) {
            if attempt > 0 { try Task.checkCancellation() }
            let read = try await read(query, after: head, newest: newest)
            known = Array((known + read.events.reversed()).suffix(newest))
            head = read.head
            let events = try await decide(known)
            if events.isEmpty { return DecisionResult(nothingAt: head) }
            do throws(EventLogError) {
                return DecisionResult(appended: try await append(events, unless: AppendCondition(failIfEventsMatch: query, after: head)))
            } catch {
                guard error.code == .conditionFailed else { throw error }
                last = EventLogError(contended: error, attempts: attempts)
            }
        }
        throw last
    }

    /// Runs on no actor, because a read may wait for the disk.
    @concurrent
    private func read(_ query: Query, after: Position, newest: Int) async throws(EventLogError) -> ReadResult {
        try running().read(query, after: after, backwards: true, limit: newest)
    }
}

extension EventLogError {
    init(contended last: EventLogError, attempts: Int) {
        self.init(.contended, "a conflict at each of \(attempts) attempts; the last one: \(last.detail)", conflict: last.conflict)
    }
}
