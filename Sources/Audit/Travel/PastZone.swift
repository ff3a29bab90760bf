internal import Foundation
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// The days of a place, by the name of its time zone in the IANA's list.
public struct PastZone: Hashable, Sendable {
    /// What the service's reports use where nobody says otherwise.
    public static let defaultName = "Asia/Shanghai"

    public let name: String
    private let zone: TimeZone

    /// Nil for what is no zone's name.
    public init?(name: String) {
        // Foundation takes "GMT+0530" and the like for names, too.
        guard name == "UTC" || name.contains("/"), let zone = TimeZone(identifier: name) else { return nil }
        (self.name, self.zone) = (name, zone)
    }

    /// Days since 1970-01-01 by this zone's clocks.
    func day(of instant: Instant) -> Int {
        let (seconds, rest) = instant.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let moment = Int(seconds) - (rest < 0 ? 1 : 0)
        let local = moment + zone.secondsFromGMT(for: .init(timeIntervalSince1970: Double(moment)))
        return Self.day(ofSecond: local)
    }

    /// `2026-11-21` as days since 1970-01-01; nil for anything else.
    public static func day(text: String) -> Int? {
        guard let start = Instant(rfc3339: text + "T00:00:00Z") else { return nil }
        return day(ofSecond: Int(start.microseconds / 1_000_000))
    }

    static func text(day: Int) -> String {
        String(Instant(microseconds: Int64(day) * 86_400_000_000).rfc3339.prefix { $0 != "T" })
    }

    private static func day(ofSecond second: Int) -> Int {
        let (day, left) = second.quotientAndRemainder(dividingBy: 86_400)
        return left < 0 ? day - 1 : day
    }
}
