package import EventLog

extension EventType {
    static let stamped = EventType(1)
    static let noted = EventType(2)
}

extension TagKind {
    static let card = TagKind(1)
    static let shop = TagKind(2)
    /// A kind of tag that is not indexed.
    static let digest = TagKind(200)
}

extension Schema {
    /// The schema of the child's log.
    package static let faults = Schema(
        types: [.stamped: "Stamped", .noted: "Noted"],
        tagKinds: [
            .card: TagKindRule(name: "card"), .shop: TagKindRule(name: "shop"),
            .digest: TagKindRule(name: "digest", isIndexed: false),
        ])
}
