/// Events to be appended together, and what must not have happened.
struct AppendRequest: Sendable {
    let events: [NewEvent]
    let condition: AppendCondition?
}

/// Checks conditions, and stages what passes.
struct AppendDecider: BatchDecider {
    let appender: Appender

    mutating func decide(_ request: AppendRequest) -> Result<ClosedRange<Position>, EventLogError> {
        do throws(EventLogError) {
            if request.events.isEmpty { throw EventLogError(.invalidQuery, "an append of no events") }
            return .success(try stage(request))
        } catch {
            return .failure(error)
        }
    }

    private func stage(_ request: AppendRequest) throws(EventLogError) -> ClosedRange<Position> {
        let first = appender.head.next
        if let condition = request.condition {
            try appender.stage(request.events, unless: condition)
        } else {
            try appender.stage(request.events)
        }
        return first...appender.head
    }
}
