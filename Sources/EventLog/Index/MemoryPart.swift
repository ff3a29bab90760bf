/// The newest part of the tag index: every indexed tag of a run of consecutive events.
///
/// One array of entries in the order of positions, each linked to the previous entry of its tag, and of its tag and type; one
/// hash table from a tag to its newest entry. Nothing is allocated per key, and a part that is no longer written to can be read
/// by any thread without a lock.
struct MemoryPart: Sendable {
    /// One indexed tag of one event. Links are indices into ``entries``, -1 for none.
    struct Entry: Sendable {
        let position: UInt64
        let previousOfTag: Int32
        let previousOfType: Int32
    }

    /// A tag that occurs in this part.
    struct TagNode: Sendable {
        let tag: Tag
        var newest: Int32 = -1
        var count: Int32 = 0
        /// Index into ``typeNodes``, -1 for none.
        var firstType: Int32 = -1
    }

    /// A type that occurs with a tag.
    struct TypeNode: Sendable {
        let type: EventType
        let nextType: Int32
        var newest: Int32 = -1
        var count: Int32 = 0
    }

    /// The first position that this part covers, whether or not that event has tags.
    let first: UInt64
    /// The position that the next event must have.
    private(set) var next: UInt64
    private(set) var entries: [Entry] = []
    private(set) var tagNodes: [TagNode] = []
    private(set) var typeNodes: [TypeNode] = []
    /// Open addressing, a power of two in size, at most half full: indices into ``tagNodes``, -1 for free.
    private var slots: [Int32]

    /// An empty part that begins at a position.
    init(first: UInt64, expectedEvents: Int = 64) {
        self.first = first
        next = first
        slots = [Int32](repeating: -1, count: Self.slotCount(for: expectedEvents))
        entries.reserveCapacity(expectedEvents)
    }

    /// How many events this part covers.
    var eventCount: Int { Int(next - first) }

    /// Adds the next event's tags of the kinds that are indexed.
    mutating func insert(_ record: borrowing Record, at position: UInt64, kinds: IndexedKinds) {
        precondition(position == next, "the index was given event \(position), but \(next) comes next")
        let type = record.type
        for index in 0..<record.tagCount {
            let tag = record.tag(at: index)
            if kinds.contains(tag.kind) { insert(tag, type, position) }
        }
        next += 1
    }

    /// The node of a tag, if any event here has it.
    func node(of tag: Tag) -> TagNode? {
        let index = slots[slot(of: tag)]
        return index < 0 ? nil : tagNodes[Int(index)]
    }

    private mutating func insert(_ tag: Tag, _ type: EventType, _ position: UInt64) {
        let tagIndex = Int(nodeIndex(of: tag))
        let typeIndex = Int(nodeIndex(of: type, under: tagIndex))
        let entry = Entry(
            position: position, previousOfTag: tagNodes[tagIndex].newest, previousOfType: typeNodes[typeIndex].newest)
        let entryIndex = Int32(entries.count)
        entries.append(entry)
        tagNodes[tagIndex].newest = entryIndex
        tagNodes[tagIndex].count += 1
        typeNodes[typeIndex].newest = entryIndex
        typeNodes[typeIndex].count += 1
    }

    private mutating func nodeIndex(of tag: Tag) -> Int32 {
        var slot = slot(of: tag)
        if slots[slot] >= 0 { return slots[slot] }
        if tagNodes.count * 2 >= slots.count {
            grow()
            slot = self.slot(of: tag)
        }
        slots[slot] = Int32(tagNodes.count)
        tagNodes.append(TagNode(tag: tag))
        return slots[slot]
    }

    private mutating func nodeIndex(of type: EventType, under tagIndex: Int) -> Int32 {
        var index = tagNodes[tagIndex].firstType
        while index >= 0 {
            if typeNodes[Int(index)].type == type { return index }
            index = typeNodes[Int(index)].nextType
        }
        index = Int32(typeNodes.count)
        typeNodes.append(TypeNode(type: type, nextType: tagNodes[tagIndex].firstType))
        tagNodes[tagIndex].firstType = index
        return index
    }

    /// Where a tag is, or where it would go: there is always a free slot.
    private func slot(of tag: Tag) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: tag.spread) & mask
        while slots[slot] >= 0, tagNodes[Int(slots[slot])].tag != tag { slot = (slot + 1) & mask }
        return slot
    }

    private mutating func grow() {
        slots = [Int32](repeating: -1, count: slots.count * 2)
        for index in tagNodes.indices { slots[slot(of: tagNodes[index].tag)] = Int32(index) }
    }

    private static func slotCount(for events: Int) -> Int {
        var count = 64
        while count < events { count *= 2 }
        return count
    }
}
