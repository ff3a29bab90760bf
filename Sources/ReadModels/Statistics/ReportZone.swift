internal import Foundation
public import Loyalty

/// A time zone by its IANA name, as far as reports need one.
public struct ReportZone: Hashable, Sendable {
    /// Whose days reports mean where nobody says otherwise.
    public static let defaultName = "Asia/Shanghai"

    private static let secondsPerDay = 86_400
    private static let lengthMax = 64

    public let name: String
    private let zone: TimeZone

    /// `nil` for what is no zone's name.
    public init?(name: String) {
        // Foundation takes "GMT+0530" and the like for names, too; those of the IANA have none but these characters.
        let isName = name.utf8.count <= Self.lengthMax && name.utf8.allSatisfy { $0 != UInt8(ascii: ".") && (0x2B...0x7A).contains($0) }
        guard isName, name == "UTC" || name.contains("/"), let zone = TimeZone(identifier: name) else { return nil }
        (self.name, self.zone) = (name, zone)
    }

    /// Days since 1970-01-01 by this zone's clocks.
    public func day(of instant: Instant) -> Int {
        let (seconds, rest) = instant.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let moment = Int(seconds) - (rest < 0 ? 1 : 0)
        let local = moment + zone.secondsFromGMT(for: .init(timeIntervalSince1970: Double(moment)))
        let (day, left) = local.quotientAndRemainder(dividingBy: Self.secondsPerDay)
        return left < 0 ? day - 1 : day
    }

    /// Those days as a report takes them.
    public func period(_ days: ClosedRange<Int>) -> ReportPeriod {
        ReportPeriod(days: days) { day(of: $0.start) }
    }
}
