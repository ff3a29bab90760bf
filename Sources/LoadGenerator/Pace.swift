import Synchronization

/// The rate of requests.
public enum Pace: Sendable, Equatable {
    /// Each lane sends the next request as soon as it has an answer.
    case flatOut
    /// The lanes together send this many requests per second, evenly spaced.
    case steady(perSecond: Double)
    /// The rate follows a week of opening hours with the given mean rate. The week is compressed into the given number of seconds.
    case week(meanPerSecond: Double, seconds: Double)
}

/// The times at which requests are due, shared by all lanes.
///
/// With any pace but ``Pace/flatOut``, a request is due whether or not earlier requests have been answered, because real customers do not
/// wait for each other either. So a slow server does not reduce its own load, and measured times begin when a request was due.
final class Schedule: Sendable {

    private let pace: Pace
    private let begin: ContinuousClock.Instant
    /// The time at which the last request was due, in seconds since the beginning.
    private let last = Mutex(0.0)

    init(_ pace: Pace, begin: ContinuousClock.Instant = .now) {
        (self.pace, self.begin) = (pace, begin)
    }

    /// The time at which the next request is due; `nil` if it is to be sent at once.
    func next() -> ContinuousClock.Instant? {
        guard pace != .flatOut else { return nil }
        let seconds = last.withLock { last in
            last = Self.due(after: last, pace)
            return last
        }
        return begin + .seconds(seconds)
    }

    /// The time after `last` at which the next request is due.
    static func due(after last: Double, _ pace: Pace) -> Double {
        switch pace {
        case .flatOut: return last
        case .steady(let rate): return last + 1 / rate
        case .week(let mean, let seconds):
            // The rate is constant within an hour of the week. If an hour ends before the next request is due, the fraction of the request
            // that is still missing is carried into the next hour.
            var (time, missing) = (last, 1.0)
            let hour = seconds / Double(TrafficCurve.hoursPerWeek)
            while true {
                // Rounding may put a time on either side of an hour's end, so a time at the end always counts as the beginning of the next
                // hour.
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

/// The load at each time of a tea shop's week, as a multiple of the week's mean.
///
/// The peak hour in the afternoon has five times its day's mean, and a day of the weekend twice as much as a Monday.
/// ``Pace/week(meanPerSecond:seconds:)`` compresses the whole week into a number of seconds.
struct TrafficCurve: Sendable {
    /// Multiples of a day's mean, from midnight on. Their sum is 24.
    static let hours: [Double] = [
        0, 0, 0, 0, 0, 0, 0.05, 0.2, 0.4, 0.6, 0.8, 1.4, 1.8, 1.4, 2.6, 5.0, 3.4, 2.0, 1.6, 1.2, 0.8, 0.5, 0.2, 0.05,
    ]
    /// Multiples of the mean day, from Monday on. Their sum is 7.
    static let days: [Double] = [0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.4].map { $0 * 7 / 7.4 }
    static let hoursPerWeek = 24 * 7

    /// The load in an hour, counted from midnight of the first Monday; weeks repeat.
    static func rate(inHour hour: Int) -> Double {
        hours[hour % 24] * days[hour / 24 % 7]
    }
}
