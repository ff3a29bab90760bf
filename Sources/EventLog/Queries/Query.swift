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
