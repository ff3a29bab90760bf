import EventLog

extension EventType {
    static let opened = EventType(1)
    static let stamped = EventType(2)
    static let closed = EventType(3)
    static let noted = EventType(4)
    /// The event type with the greatest number, which is not in the schema.
    static let max = EventType(.max)
}

extension TagKind {
    static let card = TagKind(1)
    static let shop = TagKind(2)
    static let code = TagKind(9)
    /// A kind of tag that is not indexed.
    static let digest = TagKind(200)
}

extension Schema {
    static let forTests = Schema(
        types: [.opened: "Opened", .stamped: "Stamped", .closed: "Closed", .noted: "Noted"],
        tagKinds: [
            .card: TagKindRule(name: "card"), .shop: TagKindRule(name: "shop"), .code: TagKindRule(name: "code"),
            .digest: TagKindRule(name: "digest", isIndexed: false),
        ])
}

extension EventLog.Options {
    /// Limits of the index that are so small that even a short history reaches them often.
    static func tiny(flush: Int, stall: Int? = nil) -> EventLog.Options {
        var options = EventLog.Options()
        options.indexFlushEvents = flush
        options.indexStallEvents = stall ?? flush * 2
        options.indexMergeFactor = 2
        return options
    }
}

func event(_ type: EventType, _ tags: Tag..., payload: [UInt8] = [], time: Int64 = 0) -> NewEvent {
    NewEvent(type: type, time: Timestamp(microseconds: time), tags: tags, payload: payload)
}

func card(_ value: UInt128) -> Tag { Tag(.card, value) }

func shop(_ value: UInt128) -> Tag { Tag(.shop, value) }
