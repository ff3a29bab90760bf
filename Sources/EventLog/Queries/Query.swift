/// Which events are asked for, in the words of the DCB specification: all, or those that match at least one item.
public enum Query: Hashable, Sendable {
    /// Every event.
    case all
    /// The events that match one or more of the items; an empty list is refused when asked.
    case items([QueryItem])

    /// The events of these types, whatever their tags.
    public static func types(_ types: EventType...) -> Query { .items([QueryItem(types: types)]) }

    /// The events that have all of these tags.
    public static func tags(_ tags: Tag...) -> Query { .items([QueryItem(tags: tags)]) }

    /// The events of one of these types that have this tag.
    public static func tag(_ tag: Tag, types: EventType...) -> Query { .items([QueryItem(types: types, tags: [tag])]) }

    /// Whether a record is one of those asked for.
    public func matches(_ record: borrowing Record) -> Bool {
        switch self {
        case .all: return true
        case .items(let items):
            for item in items where item.matches(record) { return true }
            return false
        }
    }

    /// The first item that asks for a record, counted from 0; nil for ``all``, and when none does.
    func firstItem(matching record: borrowing Record) -> Int? {
        guard case .items(let items) = self else { return nil }
        for index in items.indices where items[index].matches(record) { return index }
        return nil
    }
}

/// One alternative of a query: an event matches when its type is one of the types and it has all of the tags.
public struct QueryItem: Hashable, Sendable {
    /// The types that match; none means any.
    public var types: [EventType]
    /// The tags that an event must have, all of them; none means any event. At least one part must be given.
    public var tags: [Tag]

    /// An alternative; a query checks it when it is asked.
    public init(types: [EventType] = [], tags: [Tag] = []) {
        self.types = types
        self.tags = tags
    }

    /// Whether a record is one of those asked for: the meaning of the item, to which every index must agree.
    public func matches(_ record: borrowing Record) -> Bool {
        if !types.isEmpty {
            guard types.contains(record.type) else { return false }
        }
        for tag in tags {
            guard record.has(tag) else { return false }
        }
        return true
    }
}

extension Query {
    /// Refuses what is no question, before anything is read.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/invalidQuery`` for an empty list, an item with neither types nor tags, too many items
    ///   or types, and a kind of tag that the schema does not index; ``EventLogError/Code-swift.struct/schemaConflict`` for a type or a
    ///   kind that the schema does not name.
    func check(by schema: Schema) throws(EventLogError) {
        guard case .items(let items) = self else { return }
        if items.isEmpty { throw EventLogError(.invalidQuery, "no items; to ask for every event, say so with .all") }
        if items.count > LogLimits.queryItemsMax {
            throw EventLogError(.invalidQuery, "\(items.count) items, at most \(LogLimits.queryItemsMax)")
        }
        for item in items { try item.check(by: schema) }
    }

    /// Whether some item can only be answered by looking at every event.
    var needsScan: Bool {
        switch self {
        case .all: true
        case .items(let items): items.contains { $0.tags.isEmpty }
        }
    }
}

extension QueryItem {
    func check(by schema: Schema) throws(EventLogError) {
        if types.isEmpty && tags.isEmpty { throw EventLogError(.invalidQuery, "an item with neither types nor tags") }
        if types.count > LogLimits.queryTypesMax {
            throw EventLogError(.invalidQuery, "\(types.count) types in an item, at most \(LogLimits.queryTypesMax)")
        }
        if tags.count > LogLimits.tagsMax {
            throw EventLogError(.invalidQuery, "\(tags.count) tags in an item, but no event has more than \(LogLimits.tagsMax)")
        }
        for type in types { try schema.require(type) }
        for tag in tags { try schema.requireIndexed(tag.kind) }
    }
}
