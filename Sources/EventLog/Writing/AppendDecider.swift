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
            return .success(try appender.stage(request.events, unless: request.condition))
        } catch {
            return .failure(error)
        }
    }
}
