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
