extension Query {
    /// Refuses what is no question, before anything is read.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/invalidQuery`` for an empty list, an item with neither types nor tags, too many items
    ///   or types, and a kind of tag that the schema does not index.
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
        for tag in tags where !schema.isIndexed(tag.kind) {
            throw EventLogError(.invalidQuery, "tags of kind \(tag.kind.rawValue) are not indexed")
        }
    }
}
