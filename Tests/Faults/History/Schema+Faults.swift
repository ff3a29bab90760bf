package import EventLog

extension EventType {
    static let stamped = EventType(1)
    static let noted = EventType(2)
}

extension TagKind {
    static let card = TagKind(1)
    static let shop = TagKind(2)
    /// Not indexed.
    static let digest = TagKind(200)
}

extension Schema {
    /// What the child writes and the checks read.
    package static let faults = Schema(
        types: [.stamped: "Stamped", .noted: "Noted"],
        tagKinds: [
            .card: TagKindRule(name: "card"), .shop: TagKindRule(name: "shop"),
            .digest: TagKindRule(name: "digest", isIndexed: false),
        ])
}
