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
    /// Open addressing, a power of two in size, at most half full: index into ``tagNodes`` plus one in the lower half, 0 for free;
    /// in the upper half that of the tag's spread, so that slots of other tags are passed, and moved, without a look at the tags.
    private var slots: [UInt64]

    /// An empty part that begins at a position.
    init(first: UInt64, expectedTags: Int = 32) {
        self.first = first
        next = first
        slots = [UInt64](repeating: 0, count: Self.slotCount(for: expectedTags))
    }

    /// An empty part that follows another, with room for as much.
    init(after part: borrowing MemoryPart) {
        self.init(first: part.next, expectedTags: part.tagNodes.count)
        entries.reserveCapacity(part.entries.count)
        tagNodes.reserveCapacity(part.tagNodes.count)
        typeNodes.reserveCapacity(part.typeNodes.count)
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
        let content = slots[slot(of: tag, tag.spread)]
        return content == 0 ? nil : tagNodes[Self.index(content)]
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
        let spread = tag.spread
        var slot = slot(of: tag, spread)
        if slots[slot] != 0 { return Int32(Self.index(slots[slot])) }
        if tagNodes.count * 2 >= slots.count {
            grow()
            slot = self.slot(of: tag, spread)
        }
        slots[slot] = Self.content(tagNodes.count, spread)
        tagNodes.append(TagNode(tag: tag))
        return Int32(tagNodes.count - 1)
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
    private func slot(of tag: Tag, _ spread: UInt64) -> Int {
        let mask = slots.count - 1
        var slot = Int(spread >> 32) & mask
        while slots[slot] != 0 {
            if slots[slot] >> 32 == spread >> 32, tagNodes[Self.index(slots[slot])].tag == tag { return slot }
            slot = (slot + 1) & mask
        }
        return slot
    }

    private mutating func grow() {
        let old = slots
        slots = [UInt64](repeating: 0, count: old.count * 2)
        let mask = slots.count - 1
        for content in old where content != 0 {
            // The tags are all different: the next free slot will do.
            var slot = Int(content >> 32) & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = content
        }
    }

    private static func index(_ content: UInt64) -> Int { Int(content & 0xFFFF_FFFF) - 1 }

    private static func content(_ index: Int, _ spread: UInt64) -> UInt64 { (spread & ~0xFFFF_FFFF) | UInt64(index + 1) }

    private static func slotCount(for tags: Int) -> Int {
        var count = 64
        while count < tags * 2 { count *= 2 }
        return count
    }
}
