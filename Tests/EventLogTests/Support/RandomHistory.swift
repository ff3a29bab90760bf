import EventLog
import Seeds

/// Random events and, independently, random queries over so few values that they often match.
struct RandomHistory {
    var generator: SeededRandom

    static let types: [EventType] = [.opened, .stamped, .closed, .noted]
    static let indexedKinds: [TagKind] = [.card, .shop, .code]
    /// Values of tags: the smallest, the greatest, and values that differ only in their lower or upper 64 bits. A comparison of 64 bits
    /// alone would confuse some of them.
    static let values: [UInt128] = [0, 1, 2, 255, 256, 1 << 64, 1 << 64 | 1, 1 << 127, UInt128.max - 1, .max]

    mutating func event() -> NewEvent {
        var tags: [Tag] = []
        for _ in 0..<generator.int(0...4) { tags.append(tag()) }
        if generator.oneIn(3) { tags.append(Tag(.digest, generator.pick(Self.values))) }
        // Most events have shop 1, so that some lists are long.
        if !generator.oneIn(4) { tags.append(shop(1)) }
        let payload = (0..<generator.int(0...20)).map { _ in UInt8(generator.int(0...255)) }
        return NewEvent(
            type: generator.pick(Self.types), schemaVersion: UInt16(generator.int(0...3)),
            time: Timestamp(microseconds: Int64(generator.int(-5...5))), actor: generator.pick(Self.values), tags: tags, payload: payload)
    }

    mutating func events(_ count: Int) -> [NewEvent] { (0..<count).map { _ in event() } }

    mutating func tag() -> Tag { Tag(generator.pick(Self.indexedKinds), generator.pick(Self.values)) }

    mutating func query() -> Query {
        if generator.oneIn(15) { return .all }
        return .items((0..<generator.int(1...3)).map { _ in item() })
    }

    private mutating func item() -> QueryItem {
        var item = QueryItem()
        for _ in 0..<generator.int(0...2) { item.types.append(generator.pick(Self.types)) }
        for _ in 0..<generator.pick([0, 1, 1, 1, 2, 2, 3]) { item.tags.append(tag()) }
        if item.types.isEmpty && item.tags.isEmpty { item.tags.append(tag()) }
        return item
    }
}
