internal import Foundation
public import Loyalty

/// The days that a report covers, and the time zone that defines them.
public struct ReportPeriod: Sendable {
    /// Counted from 1970-01-01 in the zone.
    public let days: ClosedRange<Int>
    public let day: @Sendable (Quarter) -> Int

    public init(days: ClosedRange<Int>, day: @escaping @Sendable (Quarter) -> Int) { (self.days, self.day) = (days, day) }

    /// All quarters of the days, with a margin of 16 hours, more than any zone's offset from UTC.
    package var quarters: ClosedRange<Quarter> {
        let (perDay, margin) = (96, 64)
        return Quarter(number: Int64(days.lowerBound * perDay - margin))...Quarter(number: Int64((days.upperBound + 1) * perDay + margin))
    }

    /// The Monday of a day's week; 1970-01-01 was a Thursday.
    public static func monday(of day: Int) -> Int {
        let sinceMonday = (day + 3) % 7
        return day - (sinceMonday < 0 ? sinceMonday + 7 : sinceMonday)
    }
}

/// A time zone by its IANA name, with the functions that reports need.
public struct ReportZone: Hashable, Sendable {
    public static let defaultName = "Asia/Shanghai"

    private static let secondsPerDay = 86_400
    private static let lengthMax = 64

    public let name: String
    private let zone: TimeZone

    /// Used if a shop's time zone is not known here.
    public static let utc = ReportZone(name: "UTC", zone: .gmt)

    private init(name: String, zone: TimeZone) { (self.name, self.zone) = (name, zone) }

    public init?(name: String) {
        // Foundation also accepts names such as "GMT+0530"; IANA names have only these characters.
        let isName = name.utf8.count <= Self.lengthMax && name.utf8.allSatisfy { $0 != UInt8(ascii: ".") && (0x2B...0x7A).contains($0) }
        guard isName, name == "UTC" || name.contains("/"), let zone = TimeZone(identifier: name) else { return nil }
        (self.name, self.zone) = (name, zone)
    }

    /// The day of a moment in this zone, counted from 1970-01-01.
    public func day(of instant: Instant) -> Int {
        let (seconds, rest) = instant.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let moment = Int(seconds) - (rest < 0 ? 1 : 0)
        let local = moment + secondsAhead(at: moment)
        let (day, left) = local.quotientAndRemainder(dividingBy: Self.secondsPerDay)
        return left < 0 ? day - 1 : day
    }

    /// Seconds by which this zone is ahead of UTC at a moment.
    public func secondsAhead(at instant: Instant) -> Int { secondsAhead(at: Int(instant.microseconds / 1_000_000)) }

    private func secondsAhead(at moment: Int) -> Int { zone.secondsFromGMT(for: .init(timeIntervalSince1970: Double(moment))) }

    /// The period of a report for these days.
    public func period(_ days: ClosedRange<Int>) -> ReportPeriod { ReportPeriod(days: days) { day(of: $0.start) } }
}

/// A quarter of an hour in UTC, the shortest time in statistics, because every zone differs from UTC by whole quarters.
public struct Quarter: Hashable, Comparable, Sendable {
    private static let length: Int64 = 900_000_000

    /// Quarters since 1970-01-01T00:00:00Z; may be negative.
    public let number: Int64

    public init(number: Int64) { self.number = number }

    public init(of instant: Instant) {
        let (quotient, rest) = instant.microseconds.quotientAndRemainder(dividingBy: Self.length)
        self.init(number: rest < 0 ? quotient - 1 : quotient)
    }

    /// From a row key, with an inverted sign bit, so that byte order is the order of time.
    package init(key: UInt64) { self.init(number: Int64(bitPattern: key ^ (1 << 63))) }

    package var key: UInt64 { UInt64(bitPattern: number) ^ (1 << 63) }

    /// The quarter's first moment.
    public var start: Instant {
        let (product, overflow) = number.multipliedReportingOverflow(by: Self.length)
        return Instant(microseconds: overflow ? (number < 0 ? .min : .max) : product)
    }

    public static func < (left: Quarter, right: Quarter) -> Bool { left.number < right.number }
}
