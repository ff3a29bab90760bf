/// The numbers of event types and tag kinds that an application's records use, and the names of these numbers.
///
/// At each opening the names are compared with those in the log. An opening for writing adds new numbers. A number with another name causes
/// an error (``EventLogError/Code-swift.struct/schemaConflict``), because the application and the log disagree about its meaning. A number
/// that only the log has stays as it is, and records with this number stay readable.
public struct Schema: Sendable {
    /// The name of each event type.
    public let types: [EventType: String]
    /// The name and rule of each kind of tag.
    public let tagKinds: [TagKind: TagKindRule]
    /// Whether a type has a name, by number. It is an array instead of the dictionary, because every query reads it.
    private let isTypeNamed: [Bool]
    /// Whether tags of a kind are indexed, by number.
    private let isKindIndexed: [Bool]

    /// Creates a schema. A name must not be empty and not be longer than ``LogLimits/nameBytesMax``, and no kind may be 0. Opening a log
    /// checks this.
    public init(types: [EventType: String], tagKinds: [TagKind: TagKindRule]) {
        self.types = types
        self.tagKinds = tagKinds
        let last = types.keys.max()
        isTypeNamed = (0...(last?.rawValue ?? 0)).map { types[EventType($0)] != nil }
        isKindIndexed = (0...UInt8.max).map { tagKinds[TagKind($0)]?.isIndexed ?? false }
    }

    /// Whether the schema names a type.
    func names(_ type: EventType) -> Bool { Int(type.rawValue) < isTypeNamed.count && isTypeNamed[Int(type.rawValue)] }

    /// Whether queries may use tags of this kind.
    func isIndexed(_ kind: TagKind) -> Bool { isKindIndexed[Int(kind.rawValue)] }

    /// Rejects a type without a name: a query for it would find nothing, and its events could not be distinguished from another program's.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/schemaConflict``.
    func require(_ type: EventType) throws(EventLogError) {
        if !names(type) { throw EventLogError(.schemaConflict, "the schema has no type \(type.rawValue).") }
    }

    /// Rejects a kind of tag by which events cannot be found.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/schemaConflict`` for a kind without a name,
    ///   ``EventLogError/Code-swift.struct/invalidQuery`` for a kind that is not indexed.
    func requireIndexed(_ kind: TagKind) throws(EventLogError) {
        if isIndexed(kind) { return }
        guard let rule = tagKinds[kind] else {
            throw EventLogError(.schemaConflict, "the schema has no tag kind \(kind.rawValue).")
        }
        throw EventLogError(.invalidQuery, "tags of kind \(kind.rawValue) (\(rule.name)) are not indexed.")
    }
}

/// The number of an event type in the application's schema.
///
/// A number is never reused, because records contain the number and not the name. The log stores the name once, at the first opening for
/// writing with a ``Schema`` that has it.
public struct EventType: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number as records contain it.
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
