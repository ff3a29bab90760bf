/// The numbers of event types and tag kinds that an application's records use, and their names.
///
/// Each opening compares the names with the log's. For writing it adds new ones. A number with another name causes an error
/// (`.schemaConflict`). Numbers that only the log has stay readable.
public struct Schema: Sendable {
    public let types: [EventType: String]
    public let tagKinds: [TagKind: TagKindRule]
    /// By number; arrays, because every query and every staged event reads them.
    private let isTypeNamed, isKindNamed, isKindIndexed: [Bool]

    /// Creates a schema. Opening a log checks it: names have 1 to ``LogLimits/nameBytesMax`` bytes, and no kind is 0.
    public init(types: [EventType: String], tagKinds: [TagKind: TagKindRule]) {
        (self.types, self.tagKinds) = (types, tagKinds)
        let last = types.keys.max()
        isTypeNamed = (0...(last?.rawValue ?? 0)).map { types[EventType($0)] != nil }
        isKindNamed = (0...UInt8.max).map { tagKinds[TagKind($0)] != nil }
        isKindIndexed = (0...UInt8.max).map { tagKinds[TagKind($0)]?.isIndexed ?? false }
    }

    func names(_ type: EventType) -> Bool { Int(type.rawValue) < isTypeNamed.count && isTypeNamed[Int(type.rawValue)] }

    func names(_ kind: TagKind) -> Bool { isKindNamed[Int(kind.rawValue)] }

    func isIndexed(_ kind: TagKind) -> Bool { isKindIndexed[Int(kind.rawValue)] }

    /// Rejects a type without a name, whose events could be another program's.
    ///
    /// - Throws: ``EventLogError`` `.schemaConflict`.
    func require(_ type: EventType) throws(EventLogError) {
        if !names(type) { throw EventLogError(.schemaConflict, "the schema has no type \(type.rawValue).") }
    }

    /// - Throws: ``EventLogError`` `.schemaConflict`.
    func require(_ kind: TagKind) throws(EventLogError) {
        if !names(kind) { throw EventLogError(.schemaConflict, "the schema has no tag kind \(kind.rawValue).") }
    }

    /// - Throws: ``EventLogError`` `.schemaConflict` for a kind without a name, `.invalidQuery` for one that is not indexed.
    func requireIndexed(_ kind: TagKind) throws(EventLogError) {
        if isIndexed(kind) { return }
        guard let rule = tagKinds[kind] else { throw EventLogError(.schemaConflict, "the schema has no tag kind \(kind.rawValue).") }
        throw EventLogError(.invalidQuery, "tags of kind \(kind.rawValue) (\(rule.name)) are not indexed.")
    }
}

/// The number of an event type in the application's schema, never reused, because records contain it and not the name.
public struct EventType: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: UInt16

    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    @inlinable
    public init(_ rawValue: UInt16) { self.rawValue = rawValue }

    @inlinable
    public static func < (left: EventType, right: EventType) -> Bool { left.rawValue < right.rawValue }
}
