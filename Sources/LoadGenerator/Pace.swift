import Synchronization

/// How fast the generator asks.
public enum Pace: Sendable, Equatable {
    /// Each lane sends as soon as it was answered.
    case flatOut
    /// So many requests a second, evenly.
    case steady(perSecond: Double)
    /// So many a second on the mean of a week that goes by in so many seconds.
    case week(meanPerSecond: Double, seconds: Double)
}

/// The times at which requests are due, over all lanes. Any lane may call it.
///
/// Requests are due whether or not earlier ones were answered, as customers come: a slow server does not reduce its own load, and measured
/// times begin when a request was due.
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

/// How much there is to do at each moment of a tea shop's week, as a multiple of the week's mean.
///
/// The afternoon's peak hour has five times its day's mean, and a day of the weekend twice as much as a Monday. A compressed clock goes
/// through the whole week in seconds.
struct TrafficCurve: Sendable {
    /// Multiples of a day's mean, from midnight; they add up to 24.
    static let hours: [Double] = [
        0, 0, 0, 0, 0, 0, 0.05, 0.2, 0.4, 0.6, 0.8, 1.4, 1.8, 1.4, 2.6, 5.0, 3.4, 2.0, 1.6, 1.2, 0.8, 0.5, 0.2, 0.05,
    ]
    /// Multiples of a mean day, from Monday; they add up to 7.
    static let days: [Double] = [0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.4].map { $0 * 7 / 7.4 }
    static let hoursPerWeek = 24 * 7

    /// In an hour since the first Monday's midnight; weeks repeat.
    static func rate(inHour hour: Int) -> Double {
        hours[hour % 24] * days[hour / 24 % 7]
    }
}
