internal import Crypto

/// A property by which an event can be found: a kind and a 128-bit value, stored and compared in full.
///
/// A tag must not contain personal data, because tags cannot be erased.
public struct Tag: Hashable, Comparable, Sendable {
    /// The kind of object that the value identifies.
    public let kind: TagKind
    /// The identifier, for example a UUID's bits, a keyed hash or a small number.
    public let value: UInt128

    /// Creates a tag. It can be stored only if the kind is in the log's schema.
    @inlinable
    public init(_ kind: TagKind, _ value: UInt128) { (self.kind, self.value) = (kind, value) }

    /// Creates a tag. It can be stored only if the kind is in the log's schema.
    @inlinable
    public init(kind: TagKind, value: UInt128) { self.init(kind, value) }

    /// Creates a tag for a text such as `c1`. Its value is the first half of a SHA-256 hash of the kind and the text, forever the same.
    ///
    /// UTF-8 bytes are hashed unchanged: upper and lower case differ, and so do a composed and a decomposed "é". Normalize texts first if
    /// they should not.
    ///
    /// Among n texts of one kind two have the same tag with a probability of about n² / 2¹²⁹. A sender who may choose both finds such a
    /// pair in 2⁶⁴ attempts, and a query for one then also finds the other. To exclude this, compare the text in the payload too.
    ///
    /// A hash does not hide a text that can be guessed: use a keyed hash of a name or an address.
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

    /// Makes the value differ from other hashes of the same text.
    private static let textDomain = Array("EventLog text tag 1".utf8)

    /// Orders by kind, then by value: the order of tags in a record.
    @inlinable
    public static func < (left: Tag, right: Tag) -> Bool { left.kind == right.kind ? left.value < right.value : left.kind < right.kind }
}

/// The number of a kind of tag in the application's schema, 1 to 255, never reused.
public struct TagKind: RawRepresentable, Hashable, Comparable, Sendable {
    /// 0 is not a kind, and is rejected wherever a kind is stored.
    public let rawValue: UInt8

    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    @inlinable
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    @inlinable
    public static func < (left: TagKind, right: TagKind) -> Bool { left.rawValue < right.rawValue }
}

/// The rule for one kind of tags: its name, and whether its tags are indexed.
public struct TagKindRule: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name stored in the log, such as "card".
    public let name: String
    /// Whether events can be found by tags of this kind. Otherwise a tag costs no index entry, and a query for it causes an error.
    public let isIndexed: Bool

    public init(name: String, isIndexed: Bool = true) { (self.name, self.isIndexed) = (name, isIndexed) }

    /// Creates a rule for an indexed kind.
    public init(stringLiteral name: String) { self.init(name: name) }
}
