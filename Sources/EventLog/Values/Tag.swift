/// A fact about an event that it can be found by: a kind and a 128-bit value.
///
/// The value is compared in full and never shortened to a hash, so that two things can never be taken for one another. It must
/// carry no personal data: tags cannot be forgotten.
public struct Tag: Hashable, Comparable, Sendable {
    /// What the value identifies.
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

    /// By kind, then by value: the order of tags in a record.
    @inlinable
    public static func < (left: Tag, right: Tag) -> Bool {
        left.kind == right.kind ? left.value < right.value : left.kind < right.kind
    }
}
