/// The result of ``LogWriter/decide(on:newest:attempts:_:)``: the appended events' positions, and the position through which the decision
/// is valid.
public struct DecisionResult: Hashable, Sendable {
    /// The positions of the appended events; nil if the decision had none.
    public let positions: ClosedRange<Position>?
    /// The position through which the decision is valid: the position of the last appended event, or the head of the decision's read if
    /// nothing was appended. A read model that has reached this position shows the decision's effects.
    public let head: Position

    init(appended positions: ClosedRange<Position>) { (self.positions, head) = (positions, positions.upperBound) }

    init(nothingAt head: Position) { (positions, self.head) = (nil, head) }
}

extension LogWriter {
    /// Reads the events that match a query, calls `decide` with them, and appends the events that it returns.
    ///
    /// If another caller has appended a matching event meanwhile, nothing is appended: the new matching events are read as well, and
    /// `decide` is called again with all of them.
    ///
    /// The query is the consistency boundary: the new events depend on every event that matches it, and on nothing else in the log. Each
    /// attempt reads only the events that the previous attempt did not have. There is no pause between attempts, because a conflict means
    /// that another decision was stored.
    ///
    /// - Parameters:
    ///   - query: the events that the decision depends on.
    ///   - newest: the maximum number of these events to read, newest first; at least 0. Even if a decision reads only some of the matching
    ///     events, it conflicts with every new match.
    ///   - attempts: the maximum number of decisions, at least 1.
    ///   - decide: gets the events that were read, oldest first, and returns the events to append. An empty result is a valid decision, and
    ///     appends nothing. The closure is called once per attempt, so its only effect MUST be its result: it is a pure function, without
    ///     `await`. An error that it throws ends the attempts.
    /// - Returns: the result, once the new events, if any, are on disk.
    /// - Throws: errors of `decide`; ``EventLogError/Code-swift.struct/contended`` if the last attempt met a conflict as well;
    ///   ``EventLogError/Code-swift.struct/invalidQuery``, also for `newest` or `attempts` out of range; `CancellationError` if the task is
    ///   cancelled between two attempts; otherwise the errors of ``append(_:unless:)`` and of a read.
    @discardableResult
    public func decide(
        on query: Query, newest: Int = .max, attempts: Int = LogLimits.decisionAttemptsMax,
        _ decide: ([SequencedEvent]) throws -> [NewEvent]
    ) async throws -> DecisionResult {
        try await repeatedly(on: query, newest: newest, attempts: attempts) { known in try decide(known) }
    }

    /// Like ``decide(on:newest:attempts:_:)``, but the decision may be asynchronous. It is for tests that append events between the read
    /// and the decision.
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

    /// Reads the matching events. Runs on no actor, because a read may wait for the disk.
    @concurrent
    private func read(_ query: Query, after: Position, newest: Int) async throws(EventLogError) -> ReadResult {
        try running().read(query, after: after, backwards: true, limit: newest)
    }
}

extension EventLogError {
    /// Creates the error for a decision whose last attempt also met a conflict.
    init(contended last: EventLogError, attempts: Int) {
        self.init(.contended, "a conflict at each of \(attempts) attempts; the last one: \(last.detail)", conflict: last.conflict)
    }
}
