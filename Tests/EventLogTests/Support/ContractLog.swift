import EventLog

/// A log reduced to the two operations of the contract. Each of the two returns a result or throws.
protocol ContractLog {
    func append(_ events: [NewEvent], unless condition: AppendCondition?) async throws(EventLogError) -> ClosedRange<Position>
    func read(_ query: Query, after: Position, backwards: Bool, limit: Int) async throws(EventLogError) -> ReadResult
}

extension ContractLog {
    func read(_ query: Query, after: Position = .start) async throws(EventLogError) -> ReadResult {
        try await read(query, after: after, backwards: false, limit: .max)
    }

    /// The outcome of an append, in a comparable form.
    func outcome(of events: [NewEvent], unless condition: AppendCondition? = nil) async -> ContractOutcome {
        do throws(EventLogError) { return .appended(try await append(events, unless: condition)) } catch { return .refused(error) }
    }

    /// The outcome of a read, in a comparable form.
    func outcome(ofReading query: Query, after: Position, backwards: Bool, limit: Int) async -> ContractOutcome {
        do throws(EventLogError) {
            return .read(try await read(query, after: after, backwards: backwards, limit: limit))
        } catch { return .refused(error) }
    }
}

/// The outcome of an operation. An error is compared by code, position and conflict, but not by its text.
enum ContractOutcome: Hashable {
    case appended(ClosedRange<Position>)
    case read(ReadResult)
    case refused(code: String, position: Position?, conflict: AppendConflict?)

    static func refused(_ error: EventLogError) -> Self {
        .refused(code: error.code.description, position: error.position, conflict: error.conflict)
    }

    static func refused(_ code: EventLogError.Code) -> Self { .refused(code: code.description, position: nil, conflict: nil) }

    static func appended(_ first: UInt64, _ last: UInt64) -> Self { .appended(Position(first)...Position(last)) }

    static func conflict(at positions: UInt64..., item: Int?, canRetryHelp: Bool) -> Self {
        let conflict = AppendConflict(positions: positions.map { Position($0) }, item: item, canRetryHelp: canRetryHelp)
        return .refused(code: EventLogError.Code.conditionFailed.description, position: nil, conflict: conflict)
    }
}
