public import Loyalty

/// A quarter of an hour of UTC: the finest time that statistics know.
///
/// Every zone in use today is a whole number of quarters away from UTC, so that days of any of them can be made of these.
public struct Quarter: Hashable, Comparable, Sendable {
    /// Microseconds.
    private static let length: Int64 = 900_000_000

    /// Quarters since 1970-01-01T00:00:00Z; negative before it.
    public let number: Int64

    public init(number: Int64) {
        self.number = number
    }

    /// The quarter that a moment lies in.
    public init(of instant: Instant) {
        let (quotient, rest) = instant.microseconds.quotientAndRemainder(dividingBy: Self.length)
        self.init(number: rest < 0 ? quotient - 1 : quotient)
    }

    /// From a part of a key, whose bytes are in the order of the numbers.
    package init(key: UInt64) {
        self.init(number: Int64(bitPattern: key ^ (1 << 63)))
    }

    package var key: UInt64 { UInt64(bitPattern: number) ^ (1 << 63) }

    /// Its first moment.
    public var start: Instant {
        let (product, overflow) = number.multipliedReportingOverflow(by: Self.length)
        return Instant(microseconds: overflow ? (number < 0 ? .min : .max) : product)
    }

    public static func < (left: Quarter, right: Quarter) -> Bool { left.number < right.number }
}
