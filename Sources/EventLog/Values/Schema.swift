/// The numbers that an application's records use, and their names.
///
/// At each opening for writing the names are compared with those in the log: a new number is added, a number under another name
/// is refused (``EventLogError/Code-swift.struct/schemaConflict``), for then the application and the log mean different things.
/// A number that the log knows and the schema does not is left alone: its records stay readable.
public struct Schema: Sendable {
    /// The name of each event type.
    public let types: [EventType: String]
    /// Name and treatment of each kind of tag.
    public let tagKinds: [TagKind: TagKindRule]

    /// A schema. Names must not be empty nor longer than ``LogLimits/nameBytesMax``, and kinds not 0; opening a log checks it.
    public init(types: [EventType: String], tagKinds: [TagKind: TagKindRule]) {
        self.types = types
        self.tagKinds = tagKinds
    }

    /// Whether tags of this kind may be asked for.
    func isIndexed(_ kind: TagKind) -> Bool { tagKinds[kind]?.isIndexed ?? false }
}

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

    /// Orders by number.
    @inlinable
    public static func < (left: EventType, right: EventType) -> Bool { left.rawValue < right.rawValue }
}
