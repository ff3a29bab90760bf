/// The days that a report is about, and what a day is.
public struct ReportPeriod: Sendable {
    /// Days since 1970-01-01 in the zone, both included.
    public let days: ClosedRange<Int>
    /// The day that a quarter lies in, in the zone.
    public let day: @Sendable (Quarter) -> Int

    public init(days: ClosedRange<Int>, day: @escaping @Sendable (Quarter) -> Int) {
        (self.days, self.day) = (days, day)
    }

    /// Every quarter of the days, and some more: no zone is further than this from UTC.
    package var quarters: ClosedRange<Quarter> {
        let (perDay, margin) = (96, 64)
        return Quarter(number: Int64(days.lowerBound * perDay - margin))...Quarter(number: Int64((days.upperBound + 1) * perDay + margin))
    }

    /// The Monday of the week of a day. 1970-01-01 was a Thursday.
    public static func monday(of day: Int) -> Int {
        let sinceMonday = (day + 3) % 7
        return day - (sinceMonday < 0 ? sinceMonday + 7 : sinceMonday)
    }
}
