/// Which lists of postings are asked for: those of one tag, of all types or of some.
struct TagLists: Sendable {
    let tag: Tag
    /// The tag's ``Tag/spread``.
    let spread: UInt64
    /// Different ones; none means all.
    let types: [EventType]

    init(_ tag: Tag, _ types: [EventType]) {
        self.tag = tag
        spread = tag.spread
        self.types = types.count > 1 ? Array(Set(types)) : types
    }

    /// As above, of one type or all, with the spread known already.
    init(_ tag: Tag, _ spread: UInt64, _ type: EventType?) {
        self.tag = tag
        self.spread = spread
        types = type.map { [$0] } ?? []
    }

    /// A place among the tag's entries.
    func key(_ type: EventType, _ position: UInt64) -> PostingKey {
        PostingKey(spread: spread, tag: tag, type: type, position: position)
    }

    /// False when a part has none of them.
    func mayBe(in part: borrowing RunPart) -> Bool {
        if types.isEmpty { return part.mayHold(FilterMask(spread, nil)) }
        for type in types where part.mayHold(FilterMask(spread, type)) { return true }
        return false
    }
}
