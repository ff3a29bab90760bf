internal import Loyalty
internal import LoyaltyCodec

/// A date without a time, as RFC 3339 writes it: `2026-11-21`.
public enum FullDate {
    private static let microsecondsPerDay: Int64 = 86_400_000_000

    /// Days since 1970-01-01; `nil` for what is no date.
    public static func day(_ text: some StringProtocol) -> Int? {
        guard text.utf8.count == 10, let midnight = Instant(rfc3339: text + "T00:00:00Z") else { return nil }
        return Int(midnight.microseconds / microsecondsPerDay)
    }

    /// The date of a day since 1970-01-01.
    public static func text(_ day: Int) -> String {
        String(Instant(microseconds: Int64(day) * microsecondsPerDay).rfc3339.prefix(10))
    }
}
