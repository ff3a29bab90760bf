/// The number of a kind of event in the application's schema.
///
/// A number is given out once and never used again, for records carry the number and not the name. The log stores the name
/// beside it once, at the first opening with a ``Schema`` that knows it.
public struct EventType: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number as records carry it.
    public let rawValue: UInt16

    /// Wraps a number of the schema.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Wraps a number of the schema.
    @inlinable
    public init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// By number.
    @inlinable
    public static func < (left: EventType, right: EventType) -> Bool { left.rawValue < right.rawValue }
}
