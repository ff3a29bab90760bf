internal import Loyalty
public import ReadModels

/// The days that statistics are asked for; where one end is missing, it is as far from the other, or from the moment, as the service's
/// reports mostly go.
public struct PastDays: Hashable, Sendable {
    private static let daysDefault = 30
    /// More are refused, as the service does.
    public static let daysMax = 367

    let from: Int?
    let to: Int?
    let zone: ReportZone

    /// - Parameters: days since 1970-01-01, both included.
    /// - Returns: nil when the last day is before the first, or there are too many.
    public init?(from: Int?, to: Int?, zone: ReportZone) {
        (self.from, self.to, self.zone) = (from, to, zone)
        if let from, let to, from > to || to - from >= Self.daysMax { return nil }
    }

    func period(at clock: Instant) -> ReportPeriod {
        let today = zone.day(of: clock)
        let last = to ?? from.map { min($0 + Self.daysDefault - 1, max($0, today)) } ?? today
        let first = from ?? last - Self.daysDefault + 1
        return zone.period(first...last)
    }
}
