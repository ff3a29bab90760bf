import Synchronization

/// The rate of requests.
public enum Pace: Sendable, Equatable {
    /// The next request follows at once.
    case flatOut
    /// Evenly spaced, over all lanes.
    case steady(perSecond: Double)
    /// A week of opening hours, compressed into `seconds`.
    case week(meanPerSecond: Double, seconds: Double)
}

/// The times at which requests are due, shared by all lanes. Except with ``Pace/flatOut``, they do not wait for answers, and measured times
/// begin when due. So a slow server does not reduce its own load.
final class Schedule: Sendable {

    private let pace: Pace
    private let begin: ContinuousClock.Instant
    /// In seconds since the beginning.
    private let last = Mutex(0.0)

    init(_ pace: Pace, begin: ContinuousClock.Instant = .now) { (self.pace, self.begin) = (pace, begin) }

    /// Nil to send at once.
    func next() -> ContinuousClock.Instant? {
        guard pace != .flatOut else { return nil }
        let seconds = last.withLock { last in
            last = Self.due(after: last, pace)
            return last
        }
        return begin + .seconds(seconds)
    }

    static func due(after last: Double, _ pace: Pace) -> Double {
        switch pace {
        case .flatOut: return last
        case .steady(let rate): return last + 1 / rate
        case .week(let mean, let seconds):
            // The rate is constant within an hour. A missing fraction of a request is carried into the next hour.
            var (time, missing) = (last, 1.0)
            let hour = seconds / Double(TrafficCurve.hoursPerWeek)
            while true {
                // Rounding may put a time on either side of an hour's end, so the end counts as the next hour.
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

/// The load of a tea shop's week, as a multiple of its mean. The peak hour has five times its day's mean, and a weekend day twice a
/// Monday's.
struct TrafficCurve: Sendable {
    /// By hour, from midnight on. The sum is 24.
    static let hours: [Double] = [
        0, 0, 0, 0, 0, 0, 0.05, 0.2, 0.4, 0.6, 0.8, 1.4, 1.8, 1.4, 2.6, 5.0, 3.4, 2.0, 1.6, 1.2, 0.8, 0.5, 0.2, 0.05,
    ]
    /// From Monday on. The sum is 7.
    static let days: [Double] = [0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.4].map { $0 * 7 / 7.4 }
    static let hoursPerWeek = 24 * 7

    /// From midnight of the first Monday; weeks repeat.
    static func rate(inHour hour: Int) -> Double { hours[hour % 24] * days[hour / 24 % 7] }
}
