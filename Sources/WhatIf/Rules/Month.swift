internal import Loyalty
internal import LoyaltyCodec

/// A month of the Gregorian calendar.
public struct Month: Hashable, Comparable, Sendable {
    public let year: Int
    /// 1 to 12.
    public let month: Int

    init(year: Int, month: Int) {
        (self.year, self.month) = (year, month)
    }

    /// The month that a moment lies in, in UTC.
    init(of instant: Instant) {
        let parts = instant.rfc3339.split(separator: "-", omittingEmptySubsequences: true).prefix(2).compactMap { Int($0) }
        self.init(year: parts.first ?? 1970, month: parts.dropFirst().first ?? 1)
    }

    /// `2026-03`.
    public var text: String { "\(year)-\(month < 10 ? "0" : "")\(month)" }

    public static func < (left: Self, right: Self) -> Bool { (left.year, left.month) < (right.year, right.month) }
}
