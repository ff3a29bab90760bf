internal import Crypto

/// A fact about an event that it can be found by: a kind and a 128-bit value.
///
/// The value is stored and compared in full, so identifiers of up to 128 bits are never taken for one another. ``init(_:_:)-(_,String)``
/// makes a value from a text. A tag must carry no personal data: tags cannot be forgotten.
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

    /// A tag for a text such as `c1` or `ada@example.org`: its value is the first half of a SHA-256 hash of the kind and the text.
    ///
    /// The same kind and text give the same tag in every process, for ever. The text is hashed as its UTF-8 bytes, as they are: upper
    /// and lower case differ, and so do a composed and a decomposed "é", which Swift strings take for equal. Normalize before if they
    /// should not differ.
    ///
    /// The log stores the 128 bits and not the text, because a record's tags have a fixed width. That suffices: among n texts of one kind
    /// two have the same tag with a probability of about n² / 2¹²⁹, which is 1.5 · 10⁻²¹ for a billion texts and 1.5 · 10⁻¹⁵ for a
    /// trillion. A text with the tag of a given other text takes 2¹²⁸ attempts to find. Two texts with a common tag take 2⁶⁴ attempts, by
    /// a person who may choose both; such a pair shares one consistency boundary and harms no third text. A program that must exclude even
    /// that also stores the text in the payload, and compares it there.
    ///
    /// A hash does not hide a text that can be guessed: derive the value from a name or an address with a secret key, or use a random
    /// identifier instead.
    ///
    /// - Parameters:
    ///   - kind: must be one of the log's schema to be stored.
    ///   - text: of any length, also empty.
    public init(_ kind: TagKind, _ text: String) {
        var hash = SHA256()
        hash.update(data: Self.textDomain + [0, kind.rawValue])
        hash.update(data: Array(text.utf8))
        self.init(kind, hash.finalize().prefix(UInt128.bitWidth / 8).reduce(0) { $0 << 8 | UInt128($1) })
    }

    /// The beginning of what is hashed for a text: keeps these hashes apart from any others of the same text.
    private static let textDomain = Array("EventLog text tag 1".utf8)

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
public struct TagKindRule: Hashable, Sendable, ExpressibleByStringLiteral {
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

    /// A rule for one kind by which events are found.
    public init(stringLiteral name: String) { self.init(name: name) }
}
