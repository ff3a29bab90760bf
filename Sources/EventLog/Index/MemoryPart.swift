/// The indexed tags of consecutive events, in memory until a flush writes them as a run; damaged runs are rebuilt in the same way.
///
/// One array has the entries by position, each linked to the previous one of its tag, and of its tag and type. A hash table maps a tag to
/// its newest entry. Any thread can read a part without a lock once writing to it has ended.
struct MemoryPart: Sendable {
    /// Links are indices into ``entries``, or -1.
    struct Entry: Sendable {
        let position: UInt64
        let previousOfTag: Int32
        let previousOfType: Int32
    }

    struct TagNode: Sendable {
        let tag: Tag
        var newest: Int32 = -1
        var count: Int32 = 0
        /// The first of this tag's linked types, or -1.
        var firstType: Int32 = -1
    }

    struct TypeNode: Sendable {
        let type: EventType
        let nextType: Int32
        var newest: Int32 = -1
        var count: Int32 = 0
    }

    let first: UInt64
    private(set) var next: UInt64
    private(set) var entries: [Entry] = []
    private(set) var tagNodes: [TagNode] = []
    private(set) var typeNodes: [TypeNode] = []
    /// A hash table with open addressing, at most half full. A slot's lower half is an index into ``tagNodes`` plus one, or 0. Its upper
    /// half is from the tag's hash, so that slots can be skipped and moved without reading tags.
    private var slots: [UInt64]

    init(first: UInt64, expectedTags: Int = 32) {
        self.first = first
        next = first
        slots = [UInt64](repeating: 0, count: Self.slotCount(for: expectedTags))
    }

    /// Follows another part, with the same capacity.
    init(after part: borrowing MemoryPart) {
        self.init(first: part.next, expectedTags: part.tagNodes.count)
        entries.reserveCapacity(part.entries.count)
        tagNodes.reserveCapacity(part.tagNodes.count)
        typeNodes.reserveCapacity(part.typeNodes.count)
    }

    var eventCount: Int { Int(next - first) }

    mutating func insert(_ record: borrowing Record, at position: UInt64, kinds: IndexedKinds) {
        precondition(position == next, "the index was given event \(position), but \(next) comes next")
        let type = record.type
        for index in 0..<record.tagCount {
            let tag = record.tag(at: index)
            if kinds.contains(tag.kind) { insert(tag, type, position) }
        }
        next += 1
    }

    func node(of tag: Tag) -> TagNode? {
        let content = slots[slot(of: tag, tag.spread)]
        return content == 0 ? nil : tagNodes[Self.index(content)]
    }

    private mutating func insert(_ tag: Tag, _ type: EventType, _ position: UInt64) {
        let tagIndex = Int(nodeIndex(of: tag))
        let typeIndex = Int(nodeIndex(of: type, under: tagIndex))
        let entry = Entry(position: position, previousOfTag: tagNodes[tagIndex].newest, previousOfType: typeNodes[typeIndex].newest)
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

    /// The free slot for it always exists.
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
            // No tag is twice in the table, so tags need not be compared.
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

extension MemoryPart {
    func count(of tag: Tag, types: [EventType]) -> Int {
        guard let node = node(of: tag) else { return 0 }
        if types.isEmpty { return Int(node.count) }
        var total = 0
        for type in Set(types) { total += Int(typeNode(of: type, under: node)?.count ?? 0) }
        return total
    }

    func newest(of tag: Tag, type: EventType?, through last: UInt64) -> UInt64? {
        guard let node = node(of: tag) else { return nil }
        var index: Int32
        if let type { index = typeNode(of: type, under: node)?.newest ?? -1 } else { index = node.newest }
        while index >= 0 {
            let entry = entries[Int(index)]
            if entry.position <= last { return entry.position }
            index = type == nil ? entry.previousOfTag : entry.previousOfType
        }
        return nil
    }

    /// Newest first: at least the newest `limit` positions in the range.
    func collect(_ tag: Tag, types: [EventType], in range: PositionRange, limit: Int, into found: inout [UInt64]) {
        guard let node = node(of: tag) else { return }
        if types.isEmpty { return collect(from: node.newest, ofType: false, range, limit, &found) }
        let start = found.count
        var chains = 0
        for type in Set(types) {
            guard let typeNode = typeNode(of: type, under: node) else { continue }
            collect(from: typeNode.newest, ofType: true, range, limit, &found)
            chains += 1
        }
        if chains > 1 { found[start...].sort(by: >) }
    }

    private func collect(from newest: Int32, ofType: Bool, _ range: PositionRange, _ limit: Int, _ found: inout [UInt64]) {
        var (index, left) = (newest, limit)
        while index >= 0, left > 0 {
            let entry = entries[Int(index)]
            if entry.position < range.first { return }
            if entry.position <= range.last {
                found.append(entry.position)
                left -= 1
            }
            index = ofType ? entry.previousOfType : entry.previousOfTag
        }
    }

    private func typeNode(of type: EventType, under node: TagNode) -> TypeNode? {
        var index = node.firstType
        while index >= 0 {
            let typeNode = typeNodes[Int(index)]
            if typeNode.type == type { return typeNode }
            index = typeNode.nextType
        }
        return nil
    }
}

extension MemoryPart {
    /// A tag, for sorting in run order, the order of ``PostingKey``.
    ///
    /// For a tag of one event, as most are, all data is here: fetching it in run order would cost three cache misses per tag.
    struct RankedTag: Sendable {
        let tag: Tag
        let spread: UInt64
        /// Relative to the part's first.
        let position: UInt64
        /// The index in ``tagNodes``.
        let node: Int32
        let type: EventType
        let isInOneEvent: Bool
    }

    /// The hashes are evenly distributed, so the top bits alone put each tag near its place.
    func tagsInRunOrder() -> [RankedTag] {
        let bits = max(1, Int.bitWidth - tagNodes.count.leadingZeroBitCount)
        let shift = UInt64(64 - bits)
        let spreads = tagNodes.map { $0.tag.spread }
        var ends = [Int32](repeating: 0, count: 1 << bits)
        for spread in spreads { ends[Int(spread >> shift)] += 1 }
        for bucket in 1..<ends.count { ends[bucket] += ends[bucket - 1] }
        guard !spreads.isEmpty else { return [] }
        var ranked = [RankedTag](repeating: rankedTag(0, spreads[0]), count: spreads.count)
        for index in spreads.indices.reversed() {
            let bucket = Int(spreads[index] >> shift)
            ends[bucket] -= 1
            ranked[Int(ends[bucket])] = rankedTag(index, spreads[index])
        }
        Self.sortBuckets(&ranked, beginnings: ends)
        return ranked
    }

    /// Positions are relative to the part's first.
    func forEachList(of ranked: RankedTag, _ positions: inout [UInt64], _ body: (EventType, [UInt64]) -> Void) {
        for list in sortedTypes(of: tagNodes[Int(ranked.node)]) {
            positions.removeAll(keepingCapacity: true)
            var index = list.newest
            while index >= 0 {
                positions.append(entries[Int(index)].position - first)
                index = entries[Int(index)].previousOfType
            }
            positions.reverse()
            body(list.type, positions)
        }
    }

    @inline(__always)
    private func rankedTag(_ index: Int, _ spread: UInt64) -> RankedTag {
        let node = tagNodes[index]
        return RankedTag(
            tag: node.tag, spread: spread, position: entries[Int(node.newest)].position - first, node: Int32(index),
            type: typeNodes[Int(node.firstType)].type, isInOneEvent: node.count == 1)
    }

    /// A bucket holds about one tag, unless a client chose tags to collide.
    private static func sortBuckets(_ ranked: inout [RankedTag], beginnings: [Int32]) {
        for bucket in beginnings.indices {
            let begin = Int(beginnings[bucket])
            let end = bucket + 1 < beginnings.count ? Int(beginnings[bucket + 1]) : ranked.count
            if end - begin > 1 { ranked[begin..<end].sort { $0.spread == $1.spread ? $0.tag < $1.tag : $0.spread < $1.spread } }
        }
    }

    private func sortedTypes(of node: TagNode) -> [TypeNode] {
        var types: [TypeNode] = []
        var index = node.firstType
        while index >= 0 {
            types.append(typeNodes[Int(index)])
            index = typeNodes[Int(index)].nextType
        }
        return types.sorted { $0.type < $1.type }
    }
}
