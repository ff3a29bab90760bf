/// A moment as events carry it: handed in by the application, never read from a clock here.
///
/// The order of events is their ``Position``; times need not ascend.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z, leap seconds not counted; negative before.
    public let microseconds: Int64

    /// A moment by its number of microseconds since 1970.
    @inlinable
    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// Whether `left` is the earlier moment.
    @inlinable
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }
}
