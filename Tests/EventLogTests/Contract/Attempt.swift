import EventLog

/// A conditional append and its result.
struct Attempt: Sendable {
    let condition: AppendCondition
    let events: [NewEvent]
    let range: ClosedRange<Position>?
    let error: EventLogError?

    /// Appends `events` under `condition`, and stores the result.
    init(condition: AppendCondition, events: [NewEvent], writer: LogWriter) async {
        self.condition = condition
        self.events = events
        do throws(EventLogError) {
            range = try await writer.append(events, unless: condition)
            error = nil
        } catch {
            range = nil
            self.error = error
        }
    }

    /// Whether the result agrees with the final history. The events of an accepted append must be at the returned positions, and no event
    /// after the condition's `after` and before the appended events may match the condition. A rejected append must report the first
    /// matching events.
    func isRight(in history: Oracle) -> Bool {
        let after = condition.after?.rawValue ?? 0
        if let range {
            let stored = history.events[Int(range.lowerBound.rawValue) - 1..<Int(range.upperBound.rawValue)]
            let before = range.lowerBound.rawValue - 1
            let broken = history.positions(condition.failIfEventsMatch, after: after, through: before, backwards: false, limit: 1)
            return stored.elementsEqual(events.map(\.normalized)) && broken.isEmpty
        }
        guard let found = error?.conflict?.positions, let last = found.last else { return false }
        let limit = LogLimits.conflictPositionsMax
        let through = found.count < limit ? last.rawValue : .max
        return found == history.positions(condition.failIfEventsMatch, after: after, through: through, backwards: false, limit: limit)
    }
}
