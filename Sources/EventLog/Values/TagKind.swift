/// The number of a kind of tag in the application's schema, 1 to 255: what a tag's value is an identifier of.
///
/// Like an ``EventType`` it is never used again once given out.
public struct TagKind: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number as records carry it; 0 is no kind, and refused wherever a kind is stored.
    public let rawValue: UInt8

    /// Wraps a number of the schema.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Wraps a number of the schema.
    @inlinable
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    /// By number, which is also the order of tags in a record.
    @inlinable
    public static func < (left: TagKind, right: TagKind) -> Bool { left.rawValue < right.rawValue }
}
