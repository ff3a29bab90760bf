import Synchronization

/// When the next request is due, whoever sends it. Any lane may ask.
///
/// Requests are due whether or not those before them were answered, as customers come: a slow server does not make its own load lighter,
/// and the times that are measured begin when a request was due.
final class Schedule: Sendable {

    private let pace: Pace
    private let begin: ContinuousClock.Instant
    /// Seconds after the beginning at which the last request was due.
    private let last = Mutex(0.0)

    init(_ pace: Pace, begin: ContinuousClock.Instant = .now) {
        (self.pace, self.begin) = (pace, begin)
    }

    /// When the next one is due; `nil` for at once.
    func next() -> ContinuousClock.Instant? {
        guard pace != .flatOut else { return nil }
        let seconds = last.withLock { last in
            last = Self.due(after: last, pace)
            return last
        }
        return begin + .seconds(seconds)
    }

    /// The moment behind `last` at which one more request is due.
    static func due(after last: Double, _ pace: Pace) -> Double {
        switch pace {
        case .flatOut: return last
        case .steady(let rate): return last + 1 / rate
        case .week(let mean, let seconds):
            // The rate is the same throughout an hour of the week: what an hour cannot take goes into the next.
            var (time, missing) = (last, 1.0)
            let hour = seconds / Double(TrafficCurve.hoursPerWeek)
            while true {
                // The end of an hour is the beginning of the next, whichever way it was rounded.
                let index = Int((time / hour + 1e-9).rounded(.down))
                let end = Double(index + 1) * hour
                let rate = mean * TrafficCurve.rate(inHour: index)
                if rate > 0, missing / rate <= end - time { return time + missing / rate }
                missing -= rate * (end - time)
                time = end
            }
        }
    }
}
