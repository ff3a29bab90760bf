import EventLog

/// An append under a condition, and what became of it.
struct Attempt: Sendable {
    let condition: AppendCondition
    let events: [NewEvent]
    let range: ClosedRange<Position>?
    let error: EventLogError?

    /// Tries it.
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

    /// Whether the verdict is the right one in the final history: an accepted append's events stand where it was told, and nothing that
    /// breaks its condition stands between what it had read and itself; a refused one names the first things that do.
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
