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
