/// A fact about an event that it can be found by: a kind and a 128-bit value.
///
/// The value is compared in full and never shortened to a hash, so that two things can never be taken for one another. It must
/// carry no personal data: tags cannot be forgotten.
public struct Tag: Hashable, Comparable, Sendable {
    /// The kind of thing that the value identifies.
    public let kind: TagKind
    /// The identifier: a UUID's bits, a keyed hash, a small number.
    public let value: UInt128

    /// A tag; its kind must be one of the log's schema to be stored.
    @inlinable
    public init(_ kind: TagKind, _ value: UInt128) {
        self.kind = kind
        self.value = value
    }

    /// A tag; its kind must be one of the log's schema to be stored.
    @inlinable
    public init(kind: TagKind, value: UInt128) { self.init(kind, value) }

    /// Orders by kind, then by value: the order of tags in a record.
    @inlinable
    public static func < (left: Tag, right: Tag) -> Bool {
        left.kind == right.kind ? left.value < right.value : left.kind < right.kind
    }
}

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

    /// Orders by number, which is also the order of tags in a record.
    @inlinable
    public static func < (left: TagKind, right: TagKind) -> Bool { left.rawValue < right.rawValue }
}

/// How a log treats the tags of one kind.
public struct TagKindRule: Hashable, Sendable {
    /// The name stored in the log, for people and other programs: "card".
    public let name: String
    /// Whether events are found by tags of this kind. A kind that only tells something about an event costs no index entry, and
    /// a query that names it is refused.
    public let isIndexed: Bool

    /// A rule for one kind.
    public init(name: String, isIndexed: Bool = true) {
        self.name = name
        self.isIndexed = isIndexed
    }
}
