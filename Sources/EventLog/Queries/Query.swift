/// The events to find, in the terms of the DCB specification: all, or those that match at least one item.
public enum Query: Hashable, Sendable {
    case all
    /// An empty list causes an error when the query is used.
    case items([QueryItem])

    /// The events of these types, whatever their tags.
    public static func types(_ types: EventType...) -> Query { .items([QueryItem(types: types)]) }

    /// The events that have all of these tags.
    public static func tags(_ tags: Tag...) -> Query { .items([QueryItem(tags: tags)]) }

    /// The events with this tag and one of these types, if any are given.
    public static func tag(_ tag: Tag, types: EventType...) -> Query { .items([QueryItem(types: types, tags: [tag])]) }

    /// Whether a record matches.
    public func matches(_ record: borrowing Record) -> Bool {
        switch self {
        case .all: return true
        case .items(let items):
            for item in items where item.matches(record) { return true }
            return false
        }
    }

    /// The first matching item, from 0; nil for ``all``.
    func firstItem(matching record: borrowing Record) -> Int? {
        guard case .items(let items) = self else { return nil }
        for index in items.indices where items[index].matches(record) { return index }
        return nil
    }
}

/// One alternative of a query: an event's type is one of ``types``, and it has all of ``tags``.
public struct QueryItem: Hashable, Sendable {
    /// Empty means any.
    public var types: [EventType]
    /// Empty means any. An item must have at least one type or tag.
    public var tags: [Tag]

    /// Creates an item, which is checked when the query is used.
    public init(types: [EventType] = [], tags: [Tag] = []) { (self.types, self.tags) = (types, tags) }

    /// Whether a record matches. This defines the item's meaning, with which every index must agree.
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
    /// As few queries as all these items need; a query has at most ``LogLimits/queryItemsMax``.
    package static func all(of items: [QueryItem]) -> [Query] {
        stride(from: 0, to: items.count, by: LogLimits.queryItemsMax).map { start in
            .items(Array(items[start...].prefix(LogLimits.queryItemsMax)))
        }
    }

    /// Rejects an invalid query before anything is read.
    ///
    /// - Throws: ``EventLogError`` `.invalidQuery` for an empty list, an item with neither types nor tags, too many of these, or a kind
    ///   that the schema does not index; `.schemaConflict` for an unnamed type or kind.
    func check(by schema: Schema) throws(EventLogError) {
        guard case .items(let items) = self else { return }
        if items.isEmpty { throw EventLogError(.invalidQuery, "no items; to ask for every event, say so with .all") }
        if items.count > LogLimits.queryItemsMax {
            throw EventLogError(.invalidQuery, "\(items.count) items, at most \(LogLimits.queryItemsMax)")
        }
        for item in items { try item.check(by: schema) }
    }

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
