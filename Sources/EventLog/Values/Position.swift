/// The position of an event in the log: consecutive numbers from 1 without gaps, in the order of appends.
///
/// One writer assigns positions, so a reader at a position has seen all earlier events.
public struct Position: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number; 0 is before the first event.
    public let rawValue: UInt64

    /// Wraps a number, which may lie beyond the head.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    @inlinable
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// Before the first event: the head of an empty log, and the `after` that includes all events.
    public static let start = Position(0)

    /// The greatest number; as `through` of a read, "to the head".
    public static let max = Position(UInt64.max)

    /// The position that follows; traps at ``max``.
    @inlinable public var next: Position { Position(rawValue + 1) }

    public var description: String { String(rawValue) }

    @inlinable
    public static func < (left: Position, right: Position) -> Bool { left.rawValue < right.rawValue }
}
