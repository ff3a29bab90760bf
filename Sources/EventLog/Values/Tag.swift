internal import Crypto

/// A property by which an event can be found: a kind and a 128-bit value.
///
/// The value is stored and compared in full, so that identifiers of up to 128 bits never collide. ``init(_:_:)-(_,String)`` makes a value
/// from a text. A tag must not contain personal data, because tags cannot be erased.
public struct Tag: Hashable, Comparable, Sendable {
    /// The kind of object that the value identifies.
    public let kind: TagKind
    /// The identifier, for example a UUID's bits, a keyed hash or a small number.
    public let value: UInt128

    /// Creates a tag. An event with this tag can be stored only if the kind is in the log's schema.
    @inlinable
    public init(_ kind: TagKind, _ value: UInt128) {
        self.kind = kind
        self.value = value
    }

    /// Creates a tag. An event with this tag can be stored only if the kind is in the log's schema.
    @inlinable
    public init(kind: TagKind, value: UInt128) { self.init(kind, value) }

    /// Creates a tag for a text such as `c1` or `ada@example.org`. Its value is the first half of a SHA-256 hash of the kind and the text.
    ///
    /// The same kind and text give the same tag in every process, forever. The text's UTF-8 bytes are hashed unchanged: upper and lower
    /// case differ, and so do a composed and a decomposed "é", which Swift treats as equal strings. Normalize texts first if they should
    /// not differ.
    ///
    /// The log stores the 128 bits and not the text, because a record's tags have a fixed width. That suffices: among n texts of one kind
    /// two have the same tag with a probability of about n² / 2¹²⁹, which is 1.5 · 10⁻²¹ for a billion texts and 1.5 · 10⁻¹⁵ for a
    /// trillion. Finding a text with the same tag as a given one takes 2¹²⁸ attempts. Somebody who may choose both texts finds two with the
    /// same tag in 2⁶⁴ attempts. A query for one of these two texts then also finds the events of the other, but no other text is affected.
    /// A program that must exclude even this also stores the text in the payload, and compares it there.
    ///
    /// A hash does not hide a text that can be guessed. Use a keyed hash of a name or an address, or a random identifier, instead.
    ///
    /// - Parameters:
    ///   - kind: must be in the log's schema for the tag to be stored.
    ///   - text: of any length, also empty.
    public init(_ kind: TagKind, _ text: String) {
        var hash = SHA256()
        hash.update(data: Self.textDomain + [0, kind.rawValue])
        hash.update(data: Array(text.utf8))
        self.init(kind, hash.finalize().prefix(UInt128.bitWidth / 8).reduce(0) { $0 << 8 | UInt128($1) })
    }

    /// A prefix that is hashed before the text, so that the value of a text's tag differs from other hashes of the same text.
    private static let textDomain = Array("EventLog text tag 1".utf8)

    /// Orders by kind, then by value: the order of tags in a record.
    @inlinable
    public static func < (left: Tag, right: Tag) -> Bool {
        left.kind == right.kind ? left.value < right.value : left.kind < right.kind
    }
}

/// The number of a kind of tag in the application's schema, 1 to 255. The kind says what a tag's value identifies.
///
/// Like the number of an ``EventType`` it is never reused.
public struct TagKind: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number as records contain it. 0 is not a kind and is rejected wherever a kind is stored.
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

/// The rule for one kind of tags: the name of the kind, and whether its tags are indexed.
public struct TagKindRule: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name stored in the log, for people and other programs, for example "card".
    public let name: String
    /// Whether events can be found by tags of this kind. A tag of a kind that is not indexed costs no index entry, and a query for such a
    /// tag causes an error.
    public let isIndexed: Bool

    /// Creates a rule for one kind.
    public init(name: String, isIndexed: Bool = true) {
        self.name = name
        self.isIndexed = isIndexed
    }

    /// Creates a rule for an indexed kind.
    public init(stringLiteral name: String) { self.init(name: name) }
}
