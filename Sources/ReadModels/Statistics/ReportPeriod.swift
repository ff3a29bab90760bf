internal import Foundation
public import Loyalty

/// The days that a report covers, and the time zone that defines them.
public struct ReportPeriod: Sendable {
    /// The days of the period, from the first through the last, counted from 1970-01-01 in the zone.
    public let days: ClosedRange<Int>
    /// The day in the zone to which a quarter of an hour belongs.
    public let day: @Sendable (Quarter) -> Int

    public init(days: ClosedRange<Int>, day: @escaping @Sendable (Quarter) -> Int) {
        (self.days, self.day) = (days, day)
    }

    /// All quarters of an hour of the days, with a margin of 16 hours on both sides, because a zone's days differ from the days of UTC. The
    /// margin is greater than the offset of any zone from UTC.
    package var quarters: ClosedRange<Quarter> {
        let (perDay, margin) = (96, 64)
        return Quarter(number: Int64(days.lowerBound * perDay - margin))...Quarter(number: Int64((days.upperBound + 1) * perDay + margin))
    }

    /// The Monday of the week to which a day belongs. 1970-01-01 was a Thursday.
    public static func monday(of day: Int) -> Int {
        let sinceMonday = (day + 3) % 7
        return day - (sinceMonday < 0 ? sinceMonday + 7 : sinceMonday)
    }
}

/// A time zone by its IANA name, with the functions that reports need.
public struct ReportZone: Hashable, Sendable {
    /// The default time zone of the reports that tools make.
    public static let defaultName = "Asia/Shanghai"

    private static let secondsPerDay = 86_400
    private static let lengthMax = 64

    public let name: String
    private let zone: TimeZone

    /// The time zone UTC. It is used if a shop's time zone has no name that ``init(name:)`` accepts.
    public static let utc = ReportZone(name: "UTC", zone: .gmt)

    private init(name: String, zone: TimeZone) {
        (self.name, self.zone) = (name, zone)
    }

    /// Finds a time zone by its IANA name; nil for a text that is not the name of a time zone.
    public init?(name: String) {
        // Foundation also accepts names such as "GMT+0530". IANA names consist of these characters only.
        let isName = name.utf8.count <= Self.lengthMax && name.utf8.allSatisfy { $0 != UInt8(ascii: ".") && (0x2B...0x7A).contains($0) }
        guard isName, name == "UTC" || name.contains("/"), let zone = TimeZone(identifier: name) else { return nil }
        (self.name, self.zone) = (name, zone)
    }

    /// The day of a moment in this time zone, counted from 1970-01-01.
    public func day(of instant: Instant) -> Int {
        let (seconds, rest) = instant.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let moment = Int(seconds) - (rest < 0 ? 1 : 0)
        let local = moment + secondsAhead(at: moment)
        let (day, left) = local.quotientAndRemainder(dividingBy: Self.secondsPerDay)
        return left < 0 ? day - 1 : day
    }

    /// The number of seconds by which this zone's clocks are ahead of UTC at a moment.
    public func secondsAhead(at instant: Instant) -> Int {
        secondsAhead(at: Int(instant.microseconds / 1_000_000))
    }

    private func secondsAhead(at moment: Int) -> Int {
        zone.secondsFromGMT(for: .init(timeIntervalSince1970: Double(moment)))
    }

    /// The period of a report for these days.
    public func period(_ days: ClosedRange<Int>) -> ReportPeriod {
        ReportPeriod(days: days) { day(of: $0.start) }
    }
}

/// A quarter of an hour in UTC. Statistics distinguish no shorter times.
///
/// Every zone in use today differs from UTC by a whole number of quarters, so days of any zone consist of whole quarters.
public struct Quarter: Hashable, Comparable, Sendable {
    /// The length of a quarter in microseconds.
    private static let length: Int64 = 900_000_000

    /// The number of quarters since 1970-01-01T00:00:00Z; negative before that time.
    public let number: Int64

    public init(number: Int64) {
        self.number = number
    }

    /// The quarter to which a moment belongs.
    public init(of instant: Instant) {
        let (quotient, rest) = instant.microseconds.quotientAndRemainder(dividingBy: Self.length)
        self.init(number: rest < 0 ? quotient - 1 : quotient)
    }

    /// Reads a quarter of an hour from a part of a row key. The sign bit is inverted there, so that keys in byte order are in the order of
    /// time.
    package init(key: UInt64) {
        self.init(number: Int64(bitPattern: key ^ (1 << 63)))
    }

    package var key: UInt64 { UInt64(bitPattern: number) ^ (1 << 63) }

    /// The quarter's first moment.
    public var start: Instant {
        let (product, overflow) = number.multipliedReportingOverflow(by: Self.length)
        return Instant(microseconds: overflow ? (number < 0 ? .min : .max) : product)
    }

    public static func < (left: Quarter, right: Quarter) -> Bool { left.number < right.number }
}
